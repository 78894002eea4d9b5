/** The types of handlers. */
import type { Platform } from "../../../provider/api/calls/platform.ts";
import type { OrganizationRow } from "../organization/organizations.ts";
import type { VectorDatabase } from "../vector/vector-database.ts";
import type { Database } from "./database.ts";
import type { ServiceSettings, Switches } from "./settings.ts";

interface RequestScope {
  readonly switches: Switches;
  /** The variables of the path. */
  readonly path: Readonly<Record<string, string>>;
}

/** The input of a handler of the model area. The key is valid. */
export interface ModelScope extends RequestScope {
  readonly database: Database;
  /** The service's time, the same for the whole request. */
  readonly now: number;
  /** The query, valid by the schema; unchecked in a model area whose platform has no status for an invalid one. */
  readonly query: unknown;
}

/** An operation of the model area on the service's own data, run inside a transaction. */
export type ModelHandler = (scope: ModelScope, body: unknown) => unknown;

/** The input of a handler. The caller is an admin of this organization, with a valid credential. */
export interface Scope extends ModelScope {
  readonly platform: Platform;
  readonly organization: OrganizationRow;
  /** Of a user, by email or names, or of a token, by the user's ID. */
  readonly newId: (owner: string) => string;
}

/**
 * One operation, run inside a transaction. `body` is valid by the request schema; the handler parses it again to get
 * its type. @returns the response body, or undefined for none. @throws Refusal
 */
export type Handler = (scope: Scope, body: unknown) => unknown;

/** An answer with the status 202: there was nothing to do. */
export class Accepted {
  readonly answer: unknown;

  constructor(answer: unknown) {
    this.answer = answer;
  }
}

/** The input of a handler of the vector database. The key is valid. */
interface VectorScope extends RequestScope {
  readonly vectors: VectorDatabase;
  readonly settings: ServiceSettings;
}

/** An operation of the vector database, which has its own transactions. */
export type VectorHandler = (scope: VectorScope, body: unknown) => Promise<unknown>;
