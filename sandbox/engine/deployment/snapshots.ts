/**
 * Keeps what a run has done where a crash does not reach it. Each operation is in the journal before it begins, and
 * its result before anybody hears of it; lines that come while a write waits share it. The whole state is written
 * once, at the end.
 */
import type { SecretsManager } from "../secrets.ts";
import { toState } from "../values.ts";
import { type OperationType, type Snapshot, secretsProvider } from "./checkpoint.ts";
import { type JournalLine, lineText } from "./journal.ts";
import { type ResourceState, writeResource } from "./state.ts";
import { keptOperations, type Outcome, operationText, StateBuilder } from "./state-builder.ts";

/** What a journal says first, besides who writes it and over what. */
export interface Beginning {
  secretsProviders: unknown;
  /** The pending operations that the run began with, as JSON. */
  pendingOperations: readonly string[];
}

/** Where the lines go; what returns has stored them. */
export interface Journal {
  begin(beginning: Beginning): void;
  append(lines: readonly string[]): void;
}

export class SnapshotManager {
  readonly #ledger: StateBuilder;
  readonly #secrets: SecretsManager;
  readonly #save: (deployment: string) => void;
  readonly #journal: Journal | undefined;
  readonly #texts = new WeakMap<ResourceState, string>();
  /** The base's resources by their place, new ones in the order in which they came. */
  readonly #keys: Map<ResourceState, number>;
  readonly #baseSize: number;
  /** Which text of a resource the journal has. */
  readonly #noted = new WeakMap<ResourceState, string>();
  readonly #changed = new Set<ResourceState>();
  #lines: string[] = [];
  #waiting: Promise<void> | undefined;
  #frozen: string | undefined;

  /** `save` gets the deployment's JSON text and must have stored it when it returns. */
  constructor(
    base: Snapshot,
    secrets: SecretsManager,
    save: (deployment: string) => void,
    journal?: Journal,
  ) {
    this.#ledger = new StateBuilder(base);
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

  /** Notes that an operation begins. Resolves when the journal says so. */
  begin(state: ResourceState, type: OperationType): Promise<void> {
    this.#ledger.begin(state, type);
    const key = this.#key(state);
    this.#note({ begin: { key, type, urn: state.urn } }, key < this.#baseSize ? [] : [state]);
    return this.flush();
  }

  /** Notes what an operation ended with. */
  end(outcome: Outcome): void {
    const { operation, done = [], news = [], inPlace } = outcome;
    this.#ledger.end(outcome);
    // Its text may date from before the operation.
    for (const state of news) this.#texts.delete(state);
    const keys = (states: readonly ResourceState[]) => states.map((state) => this.#key(state));
    const ended = operation ? { operation: this.#key(operation) } : {};
    const place = inPlace ? { inPlace } : {};
    this.#note({ end: { ...ended, done: keys(done), news: keys(news), ...place } }, news);
  }

  /** To be called where a resource changes that was noted before. */
  changed(state: ResourceState): void {
    this.#texts.delete(state);
    if (this.#keys.has(state)) this.#changed.add(state);
  }

  /** From now on references to resources that a refresh dropped are removed. */
  markRefreshed(): void {
    if (this.#ledger.refreshed) return;
    this.#ledger.refreshed = true;
    this.#note({ refreshed: true }, []);
  }

  /** Resolves when the journal has all that was noted. */
  flush(): Promise<void> {
    this.#waiting ??= new Promise<void>((resolve, reject) => {
      // A turn of the event loop gathers what came at the same time.
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

  /** From now on nothing is noted: what is under way is cut off, and stays pending. */
  freeze(): void {
    this.#frozen ??= this.text();
  }

  /** Writes the whole state, at the end of a run. */
  close(): void {
    this.#save(this.#frozen ?? this.text());
  }

  /** The deployment as it stands, as JSON. */
  text(): string {
    return this.#ledger.text(this.#text, secretsProvider(this.#secrets));
  }

  #key(state: ResourceState): number {
    const key = this.#keys.get(state) ?? this.#keys.size;
    this.#keys.set(state, key);
    return key;
  }

  /** A line about what happened, with the resources that are new or not what they were. */
  #note(what: Omit<JournalLine, "states">, about: readonly ResourceState[]): void {
    if (!this.#journal || this.#frozen !== undefined) return;
    const states = new Map<number, string>();
    for (const state of [...about, ...this.#changed]) {
      const text = this.#text(state);
      if (this.#noted.get(state) === text) continue;
      this.#noted.set(state, text);
      states.set(this.#key(state), text);
    }
    this.#changed.clear();
    this.#lines.push(lineText(what, states));
  }

  #append(): void {
    if (this.#changed.size > 0) this.#note({}, []);
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
