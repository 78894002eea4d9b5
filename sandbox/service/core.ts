/** The shared state of the public and the management API. */
import type { Dialect } from "../../provider/api/dialect.ts";
import type { Database } from "./database.ts";
import type { FaultInjector } from "./fault-injection.ts";
import type { RequestLog } from "./request-log.ts";
import type { ServiceSettings } from "./settings.ts";
import type { VectorDatabase } from "./vector-database.ts";

export interface Core {
  readonly dialect: Dialect;
  readonly database: Database;
  readonly vectors: VectorDatabase;
  readonly settings: ServiceSettings;
  readonly log: RequestLog;
  readonly faults: FaultInjector;
  /** Aborts when the service closes. */
  readonly closing: AbortSignal;
  /** Gets unexpected errors, for which the client gets a 500. */
  readonly onError: (error: unknown) => void;
}
