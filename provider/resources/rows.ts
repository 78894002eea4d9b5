/**
 * The first rows of a table. They go to the service once, when the table is made, and nowhere else: check puts their
 * hash in their place, which the state keeps and diff compares, and sets them aside for the create of the same run.
 */
import { createHash } from "node:crypto";
import { z } from "zod";
import type { PlanContext, Row } from "./resource.ts";

const HASH = /^sha256:[0-9a-f]{64}$/;

const EXPECTED = "a list of rows is expected, each an object of columns and values";

/** Rows as a program gives them, or the hash that stands for them from check on. */
export const rowsSchema = z.union(
  [z.array(z.record(z.string(), z.unknown())), z.string().regex(HASH, EXPECTED)],
  EXPECTED,
);

/** Sets rows aside. @returns what stands for them */
export function stashRows(data: readonly Row[] | string, context: PlanContext): string {
  if (typeof data === "string") return data;
  const hash = hashOf(data);
  context.rows.set(hash, data);
  return hash;
}

/**
 * The rows themselves.
 * @throws where this process has not seen them: a hash alone came in, as with `ignoreChanges`
 */
export function stashedRows(data: readonly Row[] | string, context: PlanContext): readonly Row[] {
  if (typeof data !== "string") return data;
  const rows = context.rows.get(data);
  if (rows !== undefined) return rows;
  throw new Error(
    "data: only the hash of the rows is at hand, not the rows. Nothing was sent. Take `data` out of `ignoreChanges` for this run, so that a table that has to be made gets its rows.",
  );
}

/** The same for equal rows: on the way through the engine the keys of an object change their order. */
function hashOf(rows: readonly Row[]): string {
  return `sha256:${createHash("sha256").update(JSON.stringify(rows, sorted)).digest("hex")}`;
}

function sorted(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
