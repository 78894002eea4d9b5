/**
 * Making a table by call 16 and finding it by call 15. One call in the good case. Where its answer is lost, the list
 * tells whether the table is there: a name is unique, so nothing is made twice, and what has the columns and the number
 * of rows that were asked for counts as made (D49).
 */
import { ApiError } from "../api/errors.ts";
import type { Table, TableSchema } from "../api/model-schemas.ts";
import { isRefused, mayHaveHappened, withNextStep } from "./failures.ts";
import type { CallContext, ModelOwner, Row } from "./resource.ts";

/** What call 16 is about. */
export interface Wanted extends ModelOwner {
  readonly name: string;
  readonly schema?: TableSchema | undefined;
  /** Whether a table that exists is taken over. */
  readonly adopt?: boolean | undefined;
}

export interface MadeTable {
  readonly numRows: number | null;
  readonly actualSchema: TableSchema | null;
  /** Whether it existed before: then no rows were sent. */
  readonly adopted: boolean;
}

const ROUNDS = 3;
const RETRY_PAUSE_MS = 500;

export function tablesKey({ credentials }: ModelOwner): string {
  return `vector tables seen by ${credentials?.apiKey ?? "the configured key"}`;
}

/** Call 15, once a run for all tables that are seen with one key. A database that does not run is an error. */
export function listTablesOnce(owner: ModelOwner, context: CallContext): Promise<Table[]> {
  return context.readOnce(tablesKey(owner), () => context.models(owner).listTables(context.operation));
}

/** Makes the table, or takes over the one that is there where that is wanted. */
export async function makeTable(
  wanted: Wanted,
  rows: readonly Row[] | undefined,
  context: CallContext,
): Promise<MadeTable> {
  const { name, schema, adopt } = wanted;
  context.forget(tablesKey(wanted));
  const request = { name, schema, data: rows && [...rows] };
  let lost: ApiError | undefined;
  for (let round = 1; ; round++) {
    try {
      const made = await context.models(wanted).createTable(request, context.operation);
      return { numRows: made.numRows, actualSchema: made.schema ?? null, adopted: false };
    } catch (error) {
      if (mayHaveHappened(error)) lost = error;
      else if (lost && !isVerdict(error)) throw unclear(lost, wanted, "the repeat failed");
      else if (!isRefused(error, 409) || !(lost || adopt)) throw explain(error);
      const table = await look(error, wanted, context);
      if (table) return settle(error, table, { wanted, rows, lost }, context);
      if (error !== lost) throw explain(error);
      if (round === ROUNDS) throw withNextStep(error, `No table ${name} was made in ${ROUNDS} attempts.`);
    }
    await context.sleep(RETRY_PAUSE_MS);
  }
}

/** The table as call 15 lists it now. */
async function look(error: ApiError, wanted: Wanted, context: CallContext): Promise<Table | undefined> {
  try {
    const tables = await context.models(wanted).listTables(context.operation);
    return tables.find(({ name }) => name === wanted.name);
  } catch {
    throw unclear(error, wanted, "the list that would tell failed");
  }
}

interface Asked {
  readonly wanted: Wanted;
  readonly rows: readonly Row[] | undefined;
  /** The first attempt's failure, if its answer was lost. */
  readonly lost: ApiError | undefined;
}

/** What a table that is there means for a create that was not answered with it. */
function settle(
  error: ApiError,
  table: Table,
  { wanted, rows, lost }: Asked,
  context: CallContext,
): MadeTable {
  const { name, schema, adopt } = wanted;
  const found = { numRows: table.numRows ?? null, actualSchema: table.schema ?? null };
  const otherColumns = differentColumns(schema, table.schema);
  if (lost && !otherColumns && table.numRows === (rows?.length ?? 0) && (!schema || table.schema)) {
    context.warn(
      `VectorTable ${name}: its creation got no answer. The table is there, with the columns and the number of rows that were asked for, and counts as made by this run.`,
    );
    return { ...found, adopted: false };
  }
  if (!adopt) throw unclear(error, wanted, "it is there now, and whether this run made it cannot be told");
  if (otherColumns) {
    throw new Error(
      `schema: the table ${name} exists with other columns (${columnsOf(table.schema)}), so it is not taken over. Correct \`schema\`, or leave it out to take the table over as it is; or choose another name.`,
    );
  }
  if (rows !== undefined) {
    context.warn(
      `VectorTable ${name}: the table existed and was taken over; the rows of \`data\` were not sent. \`data\` may be left out from now on.`,
    );
  }
  return { ...found, adopted: true };
}

/** By names alone: the database has words of its own for types and constraints. What it does not tell is no difference. */
function differentColumns(wanted: TableSchema | undefined, found: TableSchema | undefined): boolean {
  return wanted !== undefined && found !== undefined && columnsOf(wanted) !== columnsOf(found);
}

function columnsOf(schema: TableSchema | undefined): string {
  const names = schema?.columns.map(({ name }) => name) ?? [];
  return names.toSorted().join(", ");
}

/** Whether the service has looked at the request and said no: then an equal one before it has not been left half done. */
function isVerdict(error: unknown): boolean {
  return [400, 409, 422].some((status) => isRefused(error, status));
}

function unclear(error: ApiError, { name }: Wanted, why: string): Error {
  return withNextStep(
    error,
    `The table ${name} may have been made: ${why}. Nothing is sent again by itself. Look at the vector database; to go on with the table that is there, give this VectorTable \`adopt: true\` (\`data\` is then not sent), or drop the table, and run \`pulumi up\` again.`,
  );
}

function explain(error: unknown): unknown {
  if (isRefused(error, 409)) {
    return withNextStep(
      error,
      "If this VectorTable was renamed or moved in the program, `aliases` keep the old one. To take the table over as it is, give it `adopt: true`; `data` is then not sent. Else choose another name.",
    );
  }
  const isDown = error instanceof ApiError && error.serviceCode === "DATABASE_NOT_RUNNING";
  if (!isDown && (isRefused(error, 400) || isRefused(error, 422))) {
    return withNextStep(error, "No table was made. Correct `schema` or `data` and run `pulumi up` again.");
  }
  return error;
}
