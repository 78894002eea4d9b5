/** The shared state of the public and the management API. */
import type { Platform } from "../../provider/api/calls/platform.ts";
import type { Database } from "./base/database.ts";
import type { FaultInjector } from "./base/fault-injection.ts";
import type { RequestLog } from "./base/request-log.ts";
import type { ServiceSettings } from "./base/settings.ts";
import type { VectorDatabase } from "./vector/vector-database.ts";

export interface Core {
  readonly platform: Platform;
  readonly database: Database;
  readonly vectors: VectorDatabase;
  readonly settings: ServiceSettings;
  /** Of a user, by email or names, or of a token, by the user's ID. */
  readonly newId: (owner: string) => string;
  readonly log: RequestLog;
  readonly faults: FaultInjector;
  /** Aborts when the service closes. */
  readonly closing: AbortSignal;
  /** Gets unexpected errors, for which the client gets a 500. */
  readonly onError: (error: unknown) => void;
}
