/** The rows of "create table": PostgreSQL reads their values from JSON. */

import { asking, invalidRequest } from "./sql-errors.ts";
import type { Transaction } from "./sql-transaction.ts";
import { quoted } from "./vector-schema.ts";

type Row = Readonly<Record<string, unknown>>;

/** Deeper values would exhaust the stack of a reader. */
const MAX_DEPTH = 500;

/** Inserts adjacent rows with the same columns together. @param table quoted for SQL */
export async function insertRows(
  transaction: Transaction,
  table: string,
  rows: readonly Row[],
): Promise<void> {
  for (const [index, row] of rows.entries()) {
    const issue = rowIssue(row);
    if (issue !== undefined) throw invalidRequest(`data[${index}]`, issue);
  }
  for (const { first, group } of groupsOf(rows)) {
    const last = first + group.length - 1;
    const path = first === last ? `data[${first}]` : `data[${first}] to data[${last}]`;
    const names = Object.keys(group[0] ?? {}).map((name) => quoted(name, path));
    await asking(path, () => insert(transaction, table, names, group));
  }
}

async function insert(
  transaction: Transaction,
  table: string,
  names: readonly string[],
  rows: readonly Row[],
): Promise<void> {
  const listed = names.join(", ");
  const from = `jsonb_populate_recordset(NULL::${table}, $1::jsonb)`;
  // Rows with defaults only have no columns.
  const columns = listed === "" ? "" : `(${listed})`;
  await transaction.query(`INSERT INTO ${table} ${columns} SELECT ${listed} FROM ${from}`, [
    JSON.stringify(rows),
  ]);
}

/** Refuses numbers that overflow to infinity in JSON, which PostgreSQL would not see. */
function rowIssue(value: unknown, depth = 0): string | undefined {
  if (typeof value === "number" && !Number.isFinite(value)) return "a number is too large";
  if (typeof value !== "object" || value === null) return undefined;
  if (depth > MAX_DEPTH) return `a value is nested more than ${MAX_DEPTH} levels deep`;
  for (const part of Object.values(value)) {
    const issue = rowIssue(part, depth + 1);
    if (issue !== undefined) return issue;
  }
  return undefined;
}

function groupsOf(rows: readonly Row[]): { first: number; group: Row[] }[] {
  const groups: { first: number; group: Row[]; names: string }[] = [];
  for (const [index, row] of rows.entries()) {
    const names = JSON.stringify(Object.keys(row));
    const latest = groups.at(-1);
    if (latest?.names === names) latest.group.push(row);
    else groups.push({ first: index, group: [row], names });
  }
  return groups;
}
