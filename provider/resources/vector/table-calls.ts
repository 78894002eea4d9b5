/**
 * Creates and deletes tables. Creates with one call in the normal case. If the response is lost, the list of tables shows whether the table
 * exists: names are unique, so nothing is created twice, and a table with the requested columns and number of rows counts
 * as created (D49).
 */

import { ApiError } from "../../api/calls/errors.ts";
import type { Deleted } from "../../api/calls/organization.ts";
import type { Table } from "../../api/schemas/anaconda-model-schemas.ts";
import type { TableSchema } from "../../api/schemas/model-types.ts";
import { CodedError } from "../../util/error-codes.ts";
import type { CallContext, ModelAccess, TableRow } from "../contexts.ts";
import { type Creation, createOnce } from "../create-once.ts";
import { isRefused, withNextStep } from "../failures.ts";
import { settledRemoval } from "../pauses.ts";
import { seenByKey, sharedList } from "../shared-list.ts";

/** The table to create. */
export interface TableRequest extends ModelAccess {
  readonly name: string;
  readonly schema?: TableSchema | undefined;
  /** Whether an existing table is adopted. */
  readonly adopt?: boolean | undefined;
}

/** The fields of a table, as outputs have them. */
export function tableFields({ numRows = null, schema: actualSchema = null }: Omit<Table, "name">) {
  return { numRows, actualSchema };
}

interface CreatedOrAdopted extends ReturnType<typeof tableFields> {
  /** Whether it existed already: then no rows were sent. */
  readonly adopted: boolean;
}

/** The tables that a key sees. A database that does not run is an error. */
export const sharedTables = sharedList(seenByKey("vector tables"), (owner: ModelAccess, context) =>
  context.service.models(owner).listTables(context.time.operation),
);

/**
 * Deletes the table, or finds that it does not exist. A 404 can also mean that the database does not run, so the list
 * confirms it.
 * @throws if the database does not run
 */
export async function deleteTable(name: string, owner: ModelAccess, context: CallContext): Promise<Deleted> {
  sharedTables.forget(owner, context);
  const isListed = async (): Promise<boolean> =>
    (await sharedTables.now(owner, context)).some((table) => table.name === name || isUnreadable(table));
  const remove = () => context.service.models(owner).deleteTable(name, context.time.operation);
  return settledRemoval(remove, { what: `table ${name}`, isListed }, context);
}

/** Creates the table, or adopts the existing one where `adopt` allows it. */
export async function createOrAdoptTable(
  wanted: TableRequest,
  rows: readonly TableRow[] | undefined,
  context: CallContext,
): Promise<CreatedOrAdopted> {
  const { name, schema, adopt } = wanted;
  sharedTables.forget(wanted, context);
  const request = { name, schema, data: rows && [...rows] };
  const existing = async (error: ApiError, lost: ApiError | undefined) => {
    const table = await findTable(error, wanted, context);
    return table && resolveExisting(error, table, { wanted, rows, lost }, context);
  };
  const creation: Creation<CreatedOrAdopted> = {
    async send() {
      const made = await context.service.models(wanted).createTable(request, context.time.operation);
      return { ...tableFields(made), adopted: false };
    },
    look: (lost) => existing(lost, lost),
    async decide(failure, lost) {
      if (lost && !isDefinite(failure)) throw outcomeUnknown(lost, wanted, "the retry failed");
      const mayExist = lost !== undefined || adopt === true;
      const found = mayExist && isRefused(failure, 409) ? await existing(failure, lost) : undefined;
      if (found === undefined) throw withAdvice(failure);
      return found;
    },
    giveUp: (lost, attempts) => withNextStep(lost, `${attempts} attempts created no table ${name}.`),
  };
  return createOnce(creation, context.time);
}

/** Whether the list has the table in a form that orgseat does not know. */
export function isUnreadable({ name }: Table): boolean {
  return name === null;
}

/** The table as the service lists it now. */
async function findTable(
  error: ApiError,
  wanted: TableRequest,
  context: CallContext,
): Promise<Table | undefined> {
  try {
    const tables = await sharedTables.now(wanted, context);
    const found = tables.find(({ name }) => name === wanted.name);
    // A list whose form is unknown shows no names, but the refusal says that the table exists.
    return found ?? (isRefused(error, 409) && tables.some(isUnreadable) ? { name: wanted.name } : undefined);
  } catch {
    throw outcomeUnknown(error, wanted, "listing the tables failed");
  }
}

interface CreateAttempt {
  readonly wanted: TableRequest;
  readonly rows: readonly TableRow[] | undefined;
  /** The first attempt's failure, if its answer was lost. */
  readonly lost: ApiError | undefined;
}

/** Decides whether an existing table is the result of this create, is adopted, or is an error. */
function resolveExisting(
  error: ApiError,
  table: Table,
  { wanted, rows, lost }: CreateAttempt,
  context: CallContext,
): CreatedOrAdopted {
  const { name, schema, adopt } = wanted;
  const found = tableFields(table);
  const otherColumns = differentColumns(schema, table.schema ?? undefined);
  if (lost && !otherColumns && table.numRows === (rows?.length ?? 0) && (!schema || table.schema)) {
    context.diagnostics.warn(
      `VectorTable ${name}: the response to the create request was lost. The table exists with the requested columns and number of rows, so orgseat treats it as created by this run.`,
    );
    return { ...found, adopted: false };
  }
  if (!adopt)
    throw outcomeUnknown(error, wanted, "it exists now, but orgseat cannot tell whether this run created it");
  if (otherColumns) {
    throw new CodedError(
      "cannot-adopt",
      `schema: cannot adopt the table ${name}: its columns differ (${columnsOf(table.schema ?? undefined)}). Correct \`schema\`, omit it to adopt the table as it is, or choose another name.`,
    );
  }
  if (rows !== undefined) {
    context.diagnostics.warn(
      `VectorTable ${name}: adopted the existing table; the rows of \`data\` were not sent. You can omit \`data\` from now on.`,
    );
  }
  return { ...found, adopted: true };
}

/** Compares names only: the database writes types and constraints differently. Missing information is not a difference. */
function differentColumns(wanted: TableSchema | undefined, found: TableSchema | undefined): boolean {
  return wanted !== undefined && found !== undefined && columnsOf(wanted) !== columnsOf(found);
}

function columnsOf(schema: TableSchema | undefined): string {
  const names = schema?.columns.map(({ name }) => name) ?? [];
  return names.toSorted().join(", ");
}

/** Whether the service processed and refused the request: then an equal earlier one was not completed either. */
function isDefinite(error: unknown): boolean {
  return [400, 409, 422].some((status) => isRefused(error, status));
}

function outcomeUnknown(error: ApiError, { name }: TableRequest, why: string): Error {
  return withNextStep(
    error,
    `The table ${name} may have been created: ${why}. Check the vector database. To keep the existing table, set \`adopt: true\` on this VectorTable (\`data\` is then not sent), or drop the table; then run \`pulumi up\` again.`,
    "outcome-unknown",
  );
}

function withAdvice(error: unknown): unknown {
  if (isRefused(error, 409)) {
    return withNextStep(
      error,
      "If this VectorTable was renamed or moved in the program, use `aliases`. To adopt the table as it is, set `adopt: true`; `data` is then not sent. Otherwise choose another name.",
      "cannot-adopt",
    );
  }
  const isDown = error instanceof ApiError && error.serviceCode === "DATABASE_NOT_RUNNING";
  if (!isDown && (isRefused(error, 400) || isRefused(error, 422))) {
    return withNextStep(
      error,
      "No table was created. Correct `schema` or `data`, then run `pulumi up` again.",
      "invalid-input",
    );
  }
  return error;
}
