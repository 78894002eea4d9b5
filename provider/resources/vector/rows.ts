/**
 * The first rows of a table. orgseat sends them once, when it creates the table, and stores them nowhere: check replaces
 * them by their hash, which the state keeps and diff compares, and stashes them for the create of the same run.
 */

import { createHash } from "node:crypto";
import { z } from "zod";
import { CodedError } from "../../util/error-codes.ts";
import type { PlanContext, TableRow } from "../contexts.ts";

const HASH = /^sha256:[0-9a-f]{64}$/;

const EXPECTED = "expected a list of rows, each an object of columns and values";

/** Rows of a program, or their hash after check. */
export const rowsSchema = z.union(
  [z.array(z.record(z.string(), z.unknown())), z.string().regex(HASH, EXPECTED)],
  EXPECTED,
);

/** Stashes rows. @returns their hash */
export function stashRows(data: readonly TableRow[] | string, context: PlanContext): string {
  if (typeof data === "string") return data;
  const hash = hashOf(data);
  context.run.rows.set(hash, data);
  return hash;
}

/**
 * The rows themselves.
 * @throws if this process only has the hash, as with `ignoreChanges`
 */
export function stashedRows(data: readonly TableRow[] | string, context: PlanContext): readonly TableRow[] {
  if (typeof data !== "string") return data;
  const rows = context.run.rows.get(data);
  if (rows !== undefined) return rows;
  throw new CodedError(
    "invalid-input",
    "data: only the hash of the rows is available, not the rows. Nothing was sent. Remove `data` from `ignoreChanges` for this run, so that a new table gets its rows.",
  );
}

/** Equal for equal rows: the engine changes the order of keys. */
function hashOf(rows: readonly TableRow[]): string {
  return `sha256:${createHash("sha256").update(JSON.stringify(rows, sorted)).digest("hex")}`;
}

function sorted(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
