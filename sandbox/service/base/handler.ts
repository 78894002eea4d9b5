/** The types of handlers. */
import type { Dialect } from "../../../provider/api/calls/dialect.ts";
import type { OrganizationRow } from "../organization/organizations.ts";
import type { VectorDatabase } from "../vector/vector-database.ts";
import type { Database } from "./database.ts";
import type { Caller } from "./identity.ts";
import type { ServiceSettings, Switches } from "./settings.ts";

/** The input of a handler. The caller is an admin of this organization, with a valid credential. */
export interface Scope {
  readonly database: Database;
  /** The service's time, the same for the whole request. */
  readonly now: number;
  readonly dialect: Dialect;
  readonly switches: Switches;
  readonly organization: OrganizationRow;
  readonly caller: Caller;
  /** The variables of the path. */
  readonly path: Readonly<Record<string, string>>;
  /** The query, valid by the schema. */
  readonly query: unknown;
}

/**
 * One operation, run inside a transaction. `body` is valid by the request schema; the handler parses it again to get
 * its type. @returns the response body, or undefined for none. @throws Refusal
 */
export type Handler = (scope: Scope, body: unknown) => unknown;

/** The input of a handler of the model area. The key is valid. */
export interface ModelScope {
  readonly database: Database;
  readonly now: number;
  readonly switches: Switches;
  readonly path: Readonly<Record<string, string>>;
  /** The query, valid by the schema; unchecked in a dialect that has no status for an invalid one. */
  readonly query: unknown;
}

/** An operation of the model area on the service's own data, run inside a transaction. */
export type ModelHandler = (scope: ModelScope, body: unknown) => unknown;

/** An answer with the status 202: there was nothing to do. */
export class Accepted {
  readonly answer: unknown;

  constructor(answer: unknown) {
    this.answer = answer;
  }
}

/** The input of a handler of the vector database. The key is valid. */
interface VectorScope {
  readonly vectors: VectorDatabase;
  readonly settings: ServiceSettings;
  /** Whether the vector database is enabled. */
  readonly running: boolean;
  readonly switches: Switches;
  readonly path: Readonly<Record<string, string>>;
}

/** An operation of the vector database, which has transactions of its own. */
export type VectorHandler = (scope: VectorScope, body: unknown) => Promise<unknown>;
