/** "list tables", "create table" and "delete table" of the vector database. */

import type { z } from "zod";
import { createTableRequestSchema } from "../../../provider/api/schemas/model-schemas.ts";
import type { VectorHandler } from "../base/handler.ts";
import { plainRefusal, refusal } from "../base/refusals.ts";
import type { ServiceSettings } from "../base/settings.ts";
import { asking, invalidRequest } from "./sql-errors.ts";
import type { Transaction } from "./sql-transaction.ts";
import { type CatalogTable, findTables } from "./vector-catalog.ts";
import { insertRows } from "./vector-rows.ts";
import { columnsOf, definitionOf, quoted } from "./vector-schema.ts";

type TableRequest = z.output<typeof createTableRequestSchema>;

/** Objects, or names alone (D25). */
export const listTables: VectorHandler = async ({ vectors, settings, switches }) => {
  requireRunning(settings, 404);
  const tables = await vectors.read((transaction) => findTables(transaction));
  return switches.tableItems === "object" ? tables : tables.map(({ name }) => name);
};

/** Creates the table with all its rows, or nothing. */
export const createTable: VectorHandler = async ({ vectors, settings }, body) => {
  requireRunning(settings, 400);
  const request = createTableRequestSchema.parse(body);
  return { data: await vectors.write((transaction) => makeTable(transaction, request)) };
};

/** Deletes the table with its rows. */
export const deleteTable: VectorHandler = async ({ vectors, settings, path }) => {
  requireRunning(settings, 404);
  const { name = "" } = path;
  await vectors.write(async (transaction) => {
    const [existing] = await findTables(transaction, name);
    if (!existing) throw refusal(404, "INVALID_REQUEST", "no such table");
    await asking("name", () => transaction.query(`DROP TABLE public.${quoted(name, "name")} CASCADE`));
  });
  return { data: { message: `the table ${name} is deleted` } };
};

function requireRunning(settings: ServiceSettings, status: 400 | 404): void {
  if (!settings.vectorsRun())
    throw refusal(status, "DATABASE_NOT_RUNNING", "the server of the vector database is not running");
}

/** Creates the table of a request. @throws Refusal, after a rollback */
export async function makeTable(
  transaction: Transaction,
  { name, schema, data = [] }: TableRequest,
): Promise<CatalogTable> {
  const [existing] = await findTables(transaction, name);
  if (existing) throw plainRefusal(409, `a table with the name "${name}" exists`);
  const columns = schema?.columns ?? columnsOf(data);
  const definitions: string[] = [];
  for (const [index, column] of columns.entries()) {
    definitions.push(await definitionOf(transaction, column, `schema.columns[${index}]`));
  }
  const table = `public.${quoted(name, "name")}`;
  await asking("schema", () => transaction.query(`CREATE TABLE ${table} (${definitions.join(", ")})`));
  await insertRows(transaction, table, data);
  const [made] = await findTables(transaction, name);
  if (!made) throw new Error("a table that was made is not in the catalogue");
  for (const [index, column] of columns.entries()) {
    // PostgreSQL truncates a long name, with a notice only.
    if (made.schema.columns[index]?.name === column.name) continue;
    throw invalidRequest(`schema.columns[${index}].name`, "PostgreSQL cannot keep this name");
  }
  return made;
}
