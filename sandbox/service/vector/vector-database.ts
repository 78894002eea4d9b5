/**
 * The vector database: a PostgreSQL with pgvector in this process, its data in its own folder. Loading it takes
 * seconds and some hundred megabytes, so nothing of it is loaded before the first call that needs it.
 */
import { cpSync, existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import type { PGlite } from "@electric-sql/pglite";
import { Refusal } from "../base/refusals.ts";
import { hashOf } from "../base/secrets.ts";
import { isSqlError } from "./sql-errors.ts";
import type { Transaction } from "./sql-transaction.ts";

/**
 * The setup of a fresh database. Tables belong to a role without other rights. Only the owner may call functions with
 * effects (sleep, read files, change settings or role), because a column's definition can call functions.
 */
const SETUP = `
CREATE EXTENSION vector;
CREATE ROLE tables NOLOGIN;
GRANT USAGE, CREATE ON SCHEMA public TO tables;
DO $$
DECLARE effectful regprocedure;
BEGIN
  FOR effectful IN
    SELECT oid FROM pg_proc
    WHERE pronamespace = 'pg_catalog'::regnamespace AND provolatile = 'v' AND prokind = 'f' AND proname NOT IN
      ('random', 'gen_random_uuid', 'uuidv4', 'uuidv7', 'clock_timestamp', 'timeofday', 'nextval', 'currval', 'lastval')
  LOOP
    EXECUTE 'REVOKE EXECUTE ON FUNCTION ' || effectful || ' FROM PUBLIC';
  END LOOP;
END $$;
`;

type Fill = (transaction: Transaction) => Promise<void>;
/** Work runs with the role that owns the tables. */
const AS_OWNER = "SET LOCAL ROLE tables";

/** One PostgreSQL, which runs one transaction at a time. */
export class VectorDatabase {
  readonly #folder: string;
  readonly #template: string | undefined;
  readonly #fill: Fill | undefined;
  #queue: Promise<unknown> = Promise.resolve();
  #open: PGlite | undefined;

  /**
   * @param folder created on first use
   * @param templates the folder of fresh databases to copy, because creating one takes seconds
   * @param fill creates the first tables in a fresh one
   */
  constructor(folder: string, templates?: string, fill?: Fill) {
    this.#folder = folder;
    this.#template = templates && join(templates, hashOf(SETUP).slice(0, 16));
    this.#fill = fill;
  }

  /** Whether it exists. */
  get exists(): boolean {
    return existsSync(this.#folder);
  }

  /** Runs `work` in a transaction, with the rights of the tables' owner. */
  write<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result> {
    return this.#transaction([AS_OWNER], work);
  }

  /** The same, read-only. */
  read<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result> {
    return this.#transaction(["SET TRANSACTION READ ONLY", AS_OWNER], work);
  }

  /** Stops PostgreSQL. Its data stays; the next use starts it again. */
  stop(): Promise<void> {
    return this.#enqueue(() => this.#close());
  }

  /** Removes all tables. */
  clear(): Promise<void> {
    return this.#enqueue(async () => {
      await this.#close();
      rmSync(this.#folder, { recursive: true, force: true });
    });
  }

  #transaction<Result>(
    settings: readonly string[],
    work: (transaction: Transaction) => Promise<Result>,
  ): Promise<Result> {
    return this.#enqueue(async () => {
      try {
        this.#open ??= await open(this.#folder, this.#template, this.#fill);
        return await inTransaction(this.#open, settings, work);
      } catch (error) {
        if (error instanceof Refusal || isSqlError(error)) throw error;
        // Not an error of the caller: PostgreSQL has failed, and the next use starts a new one.
        await this.#close().catch(() => undefined);
        throw new Error("the vector database has failed", { cause: error });
      }
    });
  }

  async #close(): Promise<void> {
    const closing = this.#open;
    this.#open = undefined;
    await closing?.close();
  }

  #enqueue<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#queue.then(work);
    this.#queue = result.catch(() => undefined);
    return result;
  }
}

function inTransaction<Result>(
  database: PGlite,
  settings: readonly string[],
  work: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  return database.transaction(async (transaction) => {
    for (const setting of settings) await transaction.query(setting);
    return work(transaction);
  });
}

async function open(folder: string, template?: string, fill?: Fill): Promise<PGlite> {
  const { PGlite } = await import("@electric-sql/pglite");
  const { vector } = await import("@electric-sql/pglite-pgvector");
  const start = (dataDir: string) => PGlite.create({ dataDir, extensions: { vector } });
  if (!existsSync(folder)) {
    // Created elsewhere and moved, so that a killed process leaves no incomplete database.
    const fresh = `${folder}.new`;
    rmSync(fresh, { recursive: true, force: true });
    if (template !== undefined && existsSync(template)) cpSync(template, fresh, { recursive: true });
    else await make(fresh, template, start);
    if (fill) await using(await start(fresh), (database) => inTransaction(database, [AS_OWNER], fill));
    renameSync(fresh, folder);
  }
  return start(folder);
}

async function make(
  folder: string,
  template: string | undefined,
  start: (folder: string) => Promise<PGlite>,
): Promise<void> {
  mkdirSync(dirname(folder), { recursive: true });
  await using(await start(folder), (database) => database.exec(SETUP));
  if (template !== undefined) keep(folder, template);
}

async function using(database: PGlite, work: (database: PGlite) => Promise<unknown>): Promise<void> {
  try {
    await work(database);
  } finally {
    await database.close();
  }
}

/** Stores a fresh database as template, unless another process has done so. */
function keep(folder: string, template: string): void {
  const copy = `${template}.${process.pid}`;
  cpSync(folder, copy, { recursive: true });
  try {
    renameSync(copy, template);
  } catch (error) {
    rmSync(copy, { recursive: true, force: true });
    if (!existsSync(template)) throw error;
  }
}
