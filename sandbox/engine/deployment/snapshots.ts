/**
 * Keeps the state file up to date while an update runs. Each operation is in the file before it begins and its
 * result is in the file before anybody hears of it. Writes that come while one is under way share the next one,
 * and each resource's text is kept, so a thousand resources cost a thousand short writes, not a million encodings.
 */
import type { SecretsManager } from "../secrets.ts";
import { toState } from "../values.ts";
import { manifest, type OperationType, type Snapshot, secretsProvider } from "./checkpoint.ts";
import { normalizeReferences } from "./references.ts";
import { type ResourceState, writeResource } from "./state.ts";

export class SnapshotManager {
  readonly #base: Snapshot;
  readonly #secrets: SecretsManager;
  readonly #save: (deployment: string) => void;
  readonly #news: ResourceState[] = [];
  readonly #done = new Set<ResourceState>();
  readonly #operations = new Map<ResourceState, OperationType>();
  readonly #texts = new WeakMap<ResourceState, string>();
  #waiting: Promise<void> | undefined;
  #unsaved = true;
  #refreshed = false;
  #frozen = false;

  /** `save` gets the deployment's JSON text and must have stored it when it returns. */
  constructor(base: Snapshot, secrets: SecretsManager, save: (deployment: string) => void) {
    this.#base = base;
    this.#secrets = secrets;
    this.#save = save;
  }

  /** Notes that an operation begins. Resolves when the file says so. */
  begin(state: ResourceState, type: OperationType): Promise<void> {
    this.#operations.set(state, type);
    return this.#write();
  }

  /** Notes what an operation ended with: states that are new and states they take the place of. */
  end(result: { operation?: ResourceState; done?: ResourceState[]; news?: ResourceState[] }): void {
    if (result.operation) this.#operations.delete(result.operation);
    for (const state of result.done ?? []) this.#done.add(state);
    // Its text may date from before the operation.
    for (const state of result.news ?? []) this.#texts.delete(state);
    this.#news.push(...(result.news ?? []));
    this.#unsaved = true;
  }

  /** Forgets a resource's text: to be called where a state changes that was written before. */
  changed(state: ResourceState): void {
    this.#texts.delete(state);
    this.#unsaved = true;
  }

  /** From now on references to resources that a refresh dropped are removed. */
  markRefreshed(): void {
    this.#refreshed = true;
    this.#unsaved = true;
  }

  flush(): Promise<void> {
    return this.#write();
  }

  /** Leaves the file as it is: what is under way is cut off, and stays noted as pending. */
  freeze(): void {
    this.#frozen = true;
  }

  /** Writes what is not yet written, for the end of an update. */
  close(): void {
    if (this.#unsaved) this.#saveNow();
  }

  #write(): Promise<void> {
    this.#unsaved = true;
    this.#waiting ??= new Promise<void>((resolve, reject) => {
      // A turn of the event loop gathers what came at the same time.
      setImmediate(() => {
        this.#waiting = undefined;
        try {
          this.#saveNow();
          resolve();
        } catch (error) {
          reject(error);
        }
      });
    });
    return this.#waiting;
  }

  resources(): ResourceState[] {
    const all = [...this.#news, ...this.#base.resources].filter((state) => !this.#done.has(state));
    return normalizeReferences(all, this.#refreshed);
  }

  #saveNow(): void {
    this.#unsaved = false;
    if (this.#frozen) return;
    const resources = this.resources().map((state) => this.#text(state));
    const kept = this.#base.pendingOperations.filter(({ type }) => type === "creating");
    const operations = [
      ...[...this.#operations].map(([resource, type]) => ({ resource, type })),
      ...kept,
    ].map(({ resource, type }) => `{"resource":${this.#text(resource)},"type":"${type}"}`);
    const parts = [
      `"manifest":${JSON.stringify(manifest())}`,
      `"secrets_providers":${JSON.stringify(secretsProvider(this.#secrets))}`,
    ];
    if (resources.length > 0) parts.push(`"resources":[${resources.join(",")}]`);
    if (operations.length > 0) parts.push(`"pending_operations":[${operations.join(",")}]`);
    parts.push(`"metadata":${JSON.stringify(this.#base.metadata)}`);
    this.#save(`{${parts.join(",")}}`);
  }

  #text(state: ResourceState): string {
    const known = this.#texts.get(state);
    if (known !== undefined) return known;
    const encode = (properties: ResourceState["inputs"]) => toState(properties, this.#secrets.crypter);
    const text = JSON.stringify(writeResource(state, encode));
    this.#texts.set(state, text);
    return text;
  }
}
