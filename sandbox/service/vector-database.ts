/**
 * The vector database: a PostgreSQL with pgvector in this process, its data in a folder of its own. Loading it takes
 * seconds and some hundred megabytes, so nothing of it is loaded before the first call that needs it.
 */
import { cpSync, existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import type { PGlite } from "@electric-sql/pglite";
import { Refusal } from "./refusals.ts";
import { hashOf } from "./secrets.ts";
import { isSqlError } from "./sql-errors.ts";
import type { Transaction } from "./sql-transaction.ts";

/**
 * What a fresh database gets. Tables belong to a role that may do nothing else; and as the words of a column may call
 * functions, the functions that have effects (sleep, read files, change settings or role) are nobody's but the owner's.
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
/** What work is done as: the role that owns the tables and nothing else. */
const AS_OWNER = "SET LOCAL ROLE tables";

/** One PostgreSQL, one user of it at a time. */
export class VectorDatabase {
  readonly #folder: string;
  readonly #template: string | undefined;
  readonly #fill: Fill | undefined;
  #line: Promise<unknown> = Promise.resolve();
  #open: PGlite | undefined;

  /**
   * @param folder made at the first use
   * @param templates where fresh databases are kept to be copied, and found; making one takes seconds
   * @param fill puts the first tables into a fresh one
   */
  constructor(folder: string, templates?: string, fill?: Fill) {
    this.#folder = folder;
    this.#template = templates && join(templates, hashOf(SETUP).slice(0, 16));
    this.#fill = fill;
  }

  /** Whether it has ever been used. */
  get exists(): boolean {
    return existsSync(this.#folder);
  }

  /** Runs `work` whole or not at all, with the rights of the tables' owner. What it throws undoes everything. */
  write<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result> {
    return this.#transaction([AS_OWNER], work);
  }

  /** The same for work that changes nothing: PostgreSQL itself sees to that. */
  read<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result> {
    return this.#transaction(["SET TRANSACTION READ ONLY", AS_OWNER], work);
  }

  /** Ends the process' PostgreSQL. Its data stays; the next use starts it again. */
  stop(): Promise<void> {
    return this.#inLine(() => this.#close());
  }

  /** Removes all tables. */
  clear(): Promise<void> {
    return this.#inLine(async () => {
      await this.#close();
      rmSync(this.#folder, { recursive: true, force: true });
    });
  }

  #transaction<Result>(
    settings: readonly string[],
    work: (transaction: Transaction) => Promise<Result>,
  ): Promise<Result> {
    return this.#inLine(async () => {
      try {
        this.#open ??= await open(this.#folder, this.#template, this.#fill);
        return await inTransaction(this.#open, settings, work);
      } catch (error) {
        if (error instanceof Refusal || isSqlError(error)) throw error;
        // Neither the service nor PostgreSQL says no: PostgreSQL itself has broken, and the next use needs another.
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

  #inLine<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#line.then(work);
    this.#line = result.catch(() => undefined);
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
    // Made beside and moved: a process that is killed here leaves no half of a database.
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

/** Copies a fresh database to where the next ones are copied from, unless somebody else was quicker. */
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
