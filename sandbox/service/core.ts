/** What both sides of one running service share. */
import type { Database } from "./database.ts";
import type { FaultInjector } from "./fault-injection.ts";
import type { RequestLog } from "./request-log.ts";
import type { Settings } from "./settings.ts";
import type { VectorDatabase } from "./vector-database.ts";

export interface Core {
  readonly database: Database;
  readonly vectors: VectorDatabase;
  readonly settings: Settings;
  readonly log: RequestLog;
  readonly faults: FaultInjector;
  /** Aborted when the service closes. */
  readonly closing: AbortSignal;
  /** Gets what no refusal explains; the client sees a 500. */
  readonly onError: (error: unknown) => void;
}
