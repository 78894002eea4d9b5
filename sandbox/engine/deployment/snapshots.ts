/**
 * Stores a run's operations so that they survive a crash. Each operation is in the journal before it begins, and its
 * result before the program gets it. Lines of the same turn of the event loop share a write. At the end it writes the
 * whole state.
 */
import type { SecretsManager } from "../secrets.ts";
import { toState } from "../values.ts";
import { type OperationType, type Snapshot, secretsProvider } from "./checkpoint.ts";
import { type JournalLine, lineText } from "./journal.ts";
import { type ResourceState, writeResource } from "./state.ts";
import { keptOperations, type Outcome, operationText, StateBuilder } from "./state-builder.ts";

/** The part of a journal's first line that comes from the state. */
export interface Beginning {
  secretsProviders: unknown;
  /** The pending operations at the start of the run, as JSON. */
  pendingOperations: readonly string[];
}

/** Stores lines before it returns. */
export interface Journal {
  begin(beginning: Beginning): void;
  append(lines: readonly string[]): void;
}

export class SnapshotManager {
  readonly #builder: StateBuilder;
  readonly #secrets: SecretsManager;
  readonly #save: (deployment: string) => void;
  readonly #journal: Journal | undefined;
  readonly #texts = new WeakMap<ResourceState, string>();
  /** Numbers of resources: old ones by their position, then new ones in their order. */
  readonly #keys: Map<ResourceState, number>;
  readonly #baseSize: number;
  /** The last text of a resource in the journal. */
  readonly #recorded = new WeakMap<ResourceState, string>();
  readonly #changed = new Set<ResourceState>();
  #lines: string[] = [];
  #waiting: Promise<void> | undefined;
  #frozen: string | undefined;

  /** @param save stores the deployment's JSON text before it returns */
  constructor(
    base: Snapshot,
    secrets: SecretsManager,
    save: (deployment: string) => void,
    journal?: Journal,
  ) {
    this.#builder = new StateBuilder(base);
    this.#secrets = secrets;
    this.#save = save;
    this.#journal = journal;
    this.#keys = new Map(base.resources.map((state, index) => [state, index]));
    this.#baseSize = base.resources.length;
    journal?.begin({
      secretsProviders: secretsProvider(secrets),
      pendingOperations: keptOperations(base).map((one) => operationText(one, this.#text)),
    });
  }

  /** Records the start of an operation. Resolves when the journal has it. */
  begin(state: ResourceState, type: OperationType): Promise<void> {
    this.#builder.begin(state, type);
    const key = this.#key(state);
    this.#record({ begin: { key, type, urn: state.urn } }, key < this.#baseSize ? [] : [state]);
    return this.flush();
  }

  /** Records the end of an operation. */
  end(outcome: Outcome): void {
    const { operation, done = [], news = [], inPlace } = outcome;
    this.#builder.end(outcome);
    // Its text may date from before the operation.
    for (const state of news) this.#texts.delete(state);
    const keys = (states: readonly ResourceState[]) => states.map((state) => this.#key(state));
    const ended = operation ? { operation: this.#key(operation) } : {};
    const place = inPlace ? { inPlace } : {};
    this.#record({ end: { ...ended, done: keys(done), news: keys(news), ...place } }, news);
  }

  /** Records a change of a resource. */
  changed(state: ResourceState): void {
    this.#texts.delete(state);
    if (this.#keys.has(state)) this.#changed.add(state);
  }

  /** From now on, removes references to resources that a refresh dropped. */
  markRefreshed(): void {
    if (this.#builder.refreshed) return;
    this.#builder.refreshed = true;
    this.#record({ refreshed: true }, []);
  }

  /** Resolves when the journal has all records. */
  flush(): Promise<void> {
    this.#waiting ??= new Promise<void>((resolve, reject) => {
      // Gathers the lines of one turn of the event loop.
      setImmediate(() => {
        this.#waiting = undefined;
        try {
          this.#append();
          resolve();
        } catch (error) {
          reject(error);
        }
      });
    });
    return this.#waiting;
  }

  /** Records nothing more: running operations stay pending. */
  freeze(): void {
    this.#frozen ??= this.text();
  }

  /** Writes the whole state, at the end of a run. */
  close(): void {
    this.#save(this.#frozen ?? this.text());
  }

  /** The current deployment as JSON. */
  text(): string {
    return this.#builder.text(this.#text, secretsProvider(this.#secrets));
  }

  #key(state: ResourceState): number {
    const key = this.#keys.get(state) ?? this.#keys.size;
    this.#keys.set(state, key);
    return key;
  }

  /** Adds a line, with the resources that are new or have changed. */
  #record(what: Omit<JournalLine, "states">, about: readonly ResourceState[]): void {
    if (!this.#journal || this.#frozen !== undefined) return;
    const states = new Map<number, string>();
    for (const state of [...about, ...this.#changed]) {
      const text = this.#text(state);
      if (this.#recorded.get(state) === text) continue;
      this.#recorded.set(state, text);
      states.set(this.#key(state), text);
    }
    this.#changed.clear();
    this.#lines.push(lineText(what, states));
  }

  #append(): void {
    if (this.#changed.size > 0) this.#record({}, []);
    if (!this.#journal || this.#frozen !== undefined || this.#lines.length === 0) return;
    this.#journal.append(this.#lines);
    this.#lines = [];
  }

  #text = (state: ResourceState): string => {
    const known = this.#texts.get(state);
    if (known !== undefined) return known;
    const encode = (properties: ResourceState["inputs"]) => toState(properties, this.#secrets.crypter);
    const text = JSON.stringify(writeResource(state, encode));
    this.#texts.set(state, text);
    return text;
  };
}
