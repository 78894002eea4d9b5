/** Types of the model area that programs use too. Without packages: programs compile against them. */

/** The statuses of a server. */
export const serverStatuses = [
  "running",
  "stopped",
  "starting",
  "stopping",
  "errored",
  "unavailable",
] as const;
/** A status of a server. */
export type ServerStatus = (typeof serverStatuses)[number];

/** Filters of "list servers". A server must match all given ones. Default: no filter. */
export interface ServerFilter {
  /** The id of the model file that the server serves. */
  readonly fileId?: string | undefined;
  /** The tag of the server. */
  readonly tag?: string | undefined;
  /** 1 to 65535. */
  readonly port?: number | undefined;
  /** The host on which the server listens. */
  readonly host?: string | undefined;
  /** The status of the server. */
  readonly status?: ServerStatus | undefined;
}

/** The columns of a table. Types and constraints are in the syntax of the database: `vector(384)`, `PRIMARY KEY`. */
export interface TableSchema {
  /** The columns, in their order. */
  columns: TableColumn[];
}
/** A column of a table, in the syntax of the database. */
export interface TableColumn {
  name: string;
  type: string;
  constraints?: string[] | undefined;
}
