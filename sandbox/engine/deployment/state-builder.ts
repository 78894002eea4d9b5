/** Applies a run's operations to the old resources, and writes the resulting state. */
import { manifest, type OperationType, type PendingOperation, type Snapshot } from "./checkpoint.ts";
import { normalizeReferences } from "./references.ts";
import type { ResourceState } from "./state.ts";

/** The result of an operation: new states, and the old states that they replace. */
export interface Outcome {
  operation?: ResourceState;
  done?: readonly ResourceState[];
  news?: readonly ResourceState[];
  /** The new state takes the old one's position in the list, as after a refresh. */
  inPlace?: boolean;
}

export class StateBuilder {
  readonly #base: Snapshot;
  readonly #news: ResourceState[] = [];
  readonly #done = new Set<ResourceState>();
  readonly #found = new Map<ResourceState, ResourceState>();
  readonly #operations = new Map<ResourceState, OperationType>();
  /** Whether to remove references to resources that a refresh dropped. */
  refreshed = false;

  constructor(base: Snapshot) {
    this.#base = base;
  }

  begin(state: ResourceState, type: OperationType): void {
    this.#operations.set(state, type);
  }

  end({ operation, done = [], news = [], inPlace = false }: Outcome): void {
    if (operation) this.#operations.delete(operation);
    const [old] = done;
    const [found] = news;
    if (inPlace && old && found) {
      this.#found.set(old, found);
      return;
    }
    for (const state of done) this.#done.add(state);
    this.#news.push(...news);
  }

  get #resources(): ResourceState[] {
    const base = this.#base.resources.map((state) => this.#found.get(state) ?? state);
    const all = [...this.#news, ...base].filter((state) => !this.#done.has(state));
    return normalizeReferences(all, this.refreshed);
  }

  get pendingOperations(): PendingOperation[] {
    const begun = [...this.#operations].map(([resource, type]) => ({ resource, type }));
    return [...begun, ...keptOperations(this.#base)];
  }

  /** The deployment as JSON. @param textOf a resource's own JSON */
  text(textOf: (state: ResourceState) => string, secretsProviders: unknown): string {
    const resources = this.#resources.map(textOf);
    const operations = this.pendingOperations.map((operation) => operationText(operation, textOf));
    const parts = [
      `"manifest":${JSON.stringify(manifest())}`,
      `"secrets_providers":${JSON.stringify(secretsProviders)}`,
    ];
    if (resources.length > 0) parts.push(`"resources":[${resources.join(",")}]`);
    if (operations.length > 0) parts.push(`"pending_operations":[${operations.join(",")}]`);
    parts.push(`"metadata":${JSON.stringify(this.#base.metadata)}`);
    return `{${parts.join(",")}}`;
  }
}

/** Pending operations of earlier runs that stay: creations, whose result only a person can find out. */
export function keptOperations({ pendingOperations }: Snapshot): PendingOperation[] {
  return pendingOperations.filter(({ type }) => type === "creating");
}

export function operationText(
  { resource, type }: PendingOperation,
  textOf: (state: ResourceState) => string,
): string {
  return `{"resource":${textOf(resource)},"type":"${type}"}`;
}
