/** What the code of a call gets and gives. */
import type { Database } from "./database.ts";
import type { Caller } from "./identity.ts";
import type { Organization } from "./organizations.ts";
import type { Switches } from "./settings.ts";
import type { VectorDatabase } from "./vector-database.ts";

/** Everything a call may look at. The caller is checked already: the right credential, this organization, an admin. */
export interface Scope {
  readonly database: Database;
  /** The service's time, the same for the whole call. */
  readonly now: number;
  readonly switches: Switches;
  readonly organization: Organization;
  readonly caller: Caller;
  /** The variables of the path. */
  readonly path: Readonly<Record<string, string>>;
}

/**
 * One call, run inside a transaction. `body` has passed the call's request schema; the handler reads it with that
 * schema once more to get its type. Returns the answer's body, or undefined for none; says no by throwing a `Refusal`.
 */
export type Handler = (scope: Scope, body: unknown) => unknown;

/** What a call of the model area may look at. The key is checked already. */
export interface ModelScope {
  readonly database: Database;
  readonly now: number;
  readonly switches: Switches;
  readonly path: Readonly<Record<string, string>>;
  /** The query, which has passed the call's schema. */
  readonly query: unknown;
}

/** A call of the model area on the service's own data, run inside a transaction like those of a `Handler`. */
export type ModelHandler = (scope: ModelScope) => unknown;

/** What a call of the vector database may look at. The key is checked already. */
export interface VectorScope {
  readonly vectors: VectorDatabase;
  /** Whether the management side lets it run. */
  readonly running: boolean;
  readonly switches: Switches;
}

/** A call of the vector database, which has transactions of its own. */
export type VectorHandler = (scope: VectorScope, body: unknown) => Promise<unknown>;
