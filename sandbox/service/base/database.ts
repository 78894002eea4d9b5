/** The embedded database: one file in the data folder, rows parsed with zod, one transaction per write. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { z } from "zod";

/** The model area's tables in the service's database. Vector tables are in their own database. */
export const MODEL_TABLES_SQL = `
CREATE TABLE api_keys (
  hash TEXT PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
) STRICT;
CREATE TABLE models (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL
) STRICT;
CREATE TABLE model_files (
  id TEXT PRIMARY KEY,
  model_id TEXT NOT NULL REFERENCES models(id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  size_bytes INTEGER NOT NULL,
  sha256 TEXT NOT NULL,
  quantization TEXT NOT NULL,
  format TEXT NOT NULL,
  max_ram_usage INTEGER NOT NULL,
  -- The received bytes and the elapsed time of the download at \`resumed_at\`, which is null while it is stopped.
  received_bytes INTEGER NOT NULL,
  spent_ms INTEGER NOT NULL,
  bytes_per_second INTEGER NOT NULL,
  resumed_at INTEGER,
  paused INTEGER NOT NULL
) STRICT;
CREATE TABLE servers (
  id TEXT PRIMARY KEY,
  tag TEXT NOT NULL,
  file_id TEXT NOT NULL REFERENCES model_files(id),
  host TEXT NOT NULL,
  port INTEGER NOT NULL,
  process_id INTEGER NOT NULL,
  config TEXT NOT NULL,
  status TEXT NOT NULL,
  -- The start of the current status, by the service's clock.
  since INTEGER NOT NULL
) STRICT;
`;

/** In an order that breaks no foreign key. */
export const MODEL_TABLES = ["servers", "model_files", "models", "api_keys"];

/** Incremented with every change of the tables. The service refuses a folder of another version. */
const SCHEMA_VERSION = 4;
/** How long opening waits for a process that closes the same folder. */
const LOCK_WAIT_MS = 500;

const SCHEMA = `
CREATE TABLE organizations (
  id TEXT PRIMARY KEY,
  seats INTEGER NOT NULL,
  subscription_expires_at INTEGER NOT NULL,
  -- Counts the renewals of the subscription: a token moves only when one has happened since it was issued (D41).
  generation INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE users (
  id TEXT PRIMARY KEY,
  organization_id TEXT NOT NULL REFERENCES organizations(id) ON DELETE CASCADE,
  email TEXT COLLATE NOCASE,
  first_name TEXT,
  last_name TEXT,
  role TEXT NOT NULL DEFAULT 'member',
  UNIQUE (organization_id, email)
) STRICT;
-- The users who can sign in. Their role says whether they are admins.
CREATE TABLE admins (
  id TEXT PRIMARY KEY REFERENCES users(id) ON DELETE CASCADE,
  organization_id TEXT NOT NULL REFERENCES organizations(id) ON DELETE CASCADE,
  username TEXT NOT NULL UNIQUE,
  password_hash TEXT NOT NULL
) STRICT;
CREATE TABLE service_accounts (
  client_id TEXT PRIMARY KEY,
  organization_id TEXT NOT NULL REFERENCES organizations(id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  secret_hash TEXT NOT NULL
) STRICT;
CREATE TABLE access_tokens (
  hash TEXT PRIMARY KEY,
  organization_id TEXT NOT NULL REFERENCES organizations(id) ON DELETE CASCADE,
  admin_id TEXT REFERENCES admins(id) ON DELETE CASCADE,
  client_id TEXT REFERENCES service_accounts(client_id) ON DELETE CASCADE,
  expires_at INTEGER NOT NULL,
  CHECK ((admin_id IS NULL) <> (client_id IS NULL))
) STRICT;
CREATE TABLE seats (
  user_id TEXT PRIMARY KEY REFERENCES users(id) ON DELETE CASCADE
) STRICT;
CREATE TABLE tokens (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users(id) ON DELETE CASCADE,
  hash TEXT NOT NULL UNIQUE,
  -- Includes the tolerance.
  expires_at INTEGER NOT NULL,
  generation INTEGER NOT NULL,
  revoked INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX tokens_of_user ON tokens (user_id);
-- Emails with an account of their own at the service, in whatever organization (D20).
CREATE TABLE individual_accounts (email TEXT PRIMARY KEY) STRICT;
-- Emails whose onboarding fails after the response of "onboard users" (rule 4).
CREATE TABLE onboarding_problems (email TEXT PRIMARY KEY) STRICT;
CREATE TABLE outbox (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  organization_id TEXT NOT NULL,
  recipient TEXT NOT NULL,
  kind TEXT NOT NULL,
  text TEXT NOT NULL
) STRICT;
CREATE TABLE requests (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  entry TEXT NOT NULL
) STRICT;
CREATE TABLE settings (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
${MODEL_TABLES_SQL}
PRAGMA user_version = ${SCHEMA_VERSION};
`;

/** The tables that a reset empties, in an order that breaks no foreign key. */
const TABLES = [
  ...MODEL_TABLES,
  "access_tokens",
  "tokens",
  "seats",
  "service_accounts",
  "admins",
  "users",
  "organizations",
  "individual_accounts",
  "onboarding_problems",
  "outbox",
  "requests",
];

type Value = string | number | null;

/** The database of one data folder, opened by one process at a time. */
export class Database {
  readonly #connection: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  /** Opens `<folder>/service.db`, and creates both if they are missing. */
  constructor(folder: string) {
    mkdirSync(folder, { recursive: true });
    const { DatabaseSync } = loadSqlite();
    this.#connection = new DatabaseSync(join(folder, "service.db"), { timeout: LOCK_WAIT_MS });
    try {
      this.#prepareFile(folder);
    } catch (error) {
      this.#connection.close();
      throw error;
    }
  }

  #prepareFile(folder: string): void {
    try {
      // Exclusive: two services on one folder would each have their own clock and log.
      this.#connection.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL;");
      this.#connection.exec(
        "PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON; BEGIN EXCLUSIVE; COMMIT;",
      );
    } catch (error) {
      if (!String(error).includes("locked")) throw error;
      throw new Error(
        `the data folder ${folder} is in use by another sandbox service; stop it or name another folder`,
        {
          cause: error,
        },
      );
    }
    const version = Number(this.#connection.prepare("PRAGMA user_version").get()?.user_version);
    if (version === 0) this.transaction(() => this.#connection.exec(SCHEMA));
    else if (version !== SCHEMA_VERSION) {
      throw new Error(
        `the data folder ${folder} was written by another version of the sandbox (${version}, this is ${SCHEMA_VERSION}); remove it or name another folder`,
      );
    }
  }

  /** The first row, or undefined. */
  one<Row>(row: z.ZodType<Row>, sql: string, ...values: Value[]): Row | undefined {
    const found = this.#statement(sql).get(...values);
    return found === undefined ? undefined : row.parse(found);
  }

  /** Whether there is a row. */
  has(sql: string, ...values: Value[]): boolean {
    return this.#statement(sql).get(...values) !== undefined;
  }

  all<Row>(row: z.ZodType<Row>, sql: string, ...values: Value[]): Row[] {
    return this.#statement(sql)
      .all(...values)
      .map((found) => row.parse(found));
  }

  /** @returns the number of changed rows, and the id of the last inserted row. */
  run(sql: string, ...values: Value[]): { changes: number; inserted: number } {
    const { changes, lastInsertRowid } = this.#statement(sql).run(...values);
    return { changes: Number(changes), inserted: Number(lastInsertRowid) };
  }

  /** Runs `work` in a transaction: an error or a killed process rolls it back. */
  transaction<Result>(work: () => Result): Result {
    this.#connection.exec("BEGIN IMMEDIATE");
    try {
      const result = work();
      this.#connection.exec("COMMIT");
      return result;
    } catch (error) {
      this.#connection.exec("ROLLBACK");
      throw error;
    }
  }

  /** Removes all rows except the settings. Request numbers continue. */
  empty(): void {
    for (const table of TABLES) this.run(`DELETE FROM ${table}`);
  }

  close(): void {
    if (this.#connection.isOpen) this.#connection.close();
  }

  #statement(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known) return known;
    const made = this.#connection.prepare(sql);
    this.#statements.set(sql, made);
    return made;
  }
}

/**
 * Node's own SQLite without the warning that Node 22 prints on the first load, on which a user of the sandbox cannot
 * act. Other warnings pass.
 */
type Sqlite = typeof import("node:sqlite");

export function loadSqlite(): Sqlite {
  const original = process.emitWarning;
  const filtered = (warning: string | Error, ...rest: unknown[]): void => {
    if (String(warning).includes("SQLite is an experimental feature")) return;
    Reflect.apply(original, process, [warning, ...rest]);
  };
  process.emitWarning = filtered;
  try {
    return process.getBuiltinModule("node:sqlite");
  } finally {
    process.emitWarning = original;
  }
}
