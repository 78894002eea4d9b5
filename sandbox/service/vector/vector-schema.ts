/**
 * Converts the columns of "create table" to SQL. Types and constraints are PostgreSQL's own (D26). The checks here
 * guarantee that each is only the type, or a constraint, of its own column.
 */

import { z } from "zod";
import type { TableSchema } from "../../../provider/api/schemas/model-types.ts";
import { asking, invalidRequest } from "./sql-errors.ts";
import type { Transaction } from "./sql-transaction.ts";

type Column = TableSchema["columns"][number];
type Row = Readonly<Record<string, unknown>>;

/** Notations that PostgreSQL accepts in place of a type. */
const SERIAL = /^(small|big)?serial[248]?$/i;
const typeRow = z.tuple([z.object({ type: z.string() })]);

/** The definition of one column. @throws 400 for an unknown type, or a text that is not one constraint */
export async function definitionOf(transaction: Transaction, column: Column, path: string): Promise<string> {
  const name = quoted(column.name, `${path}.name`);
  const type = await typeOf(transaction, column.type, `${path}.type`);
  const constraints = (column.constraints ?? []).map((text, index) => {
    const issue = clauseIssue(text);
    if (issue !== undefined) throw invalidRequest(`${path}.constraints[${index}]`, issue);
    return text;
  });
  return [name, type, ...constraints].join(" ");
}

/** A name quoted for SQL. */
export function quoted(name: string, path: string): string {
  // The text of a statement ends at the first such character.
  if (name.includes("\0")) throw invalidRequest(path, "a name cannot hold the character U+0000");
  return `"${name.replaceAll('"', '""')}"`;
}

/** PostgreSQL parses the text as a type, as a value and not as SQL, and formats it. */
async function typeOf(transaction: Transaction, text: string, path: string): Promise<string> {
  if (SERIAL.test(text.trim())) return text.trim();
  return asking(path, async () => {
    const { rows } = await transaction.query("SELECT format_type($1::regtype, to_regtypemod($2)) AS type", [
      text,
      text,
    ]);
    return typeRow.parse(rows)[0].type;
  });
}

const CLOSING: Readonly<Record<string, string>> = { "(": ")", "[": "]" };

/**
 * The reason why a text is not exactly one clause of a column; undefined if it is. It refuses what could end the
 * column (a comma or a parenthesis outside of others) or the statement, or hide either (an open quote, a comment,
 * quotes with a backslash or a dollar sign).
 */
function clauseIssue(text: string): string | undefined {
  const open: string[] = [];
  if (text.trim() === "") return "the constraint is empty";
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === "'" || character === '"') {
      if (/[\w&]/.test(text.charAt(at - 1))) return "a quote follows a letter without a space";
      at = endOfQuotes(text, at);
      if (at < 0) return "a quote is not closed";
    } else if (CLOSING[character]) open.push(CLOSING[character]);
    else if (character === ")" || character === "]") {
      if (open.pop() !== character) return `"${character}" closes nothing`;
    } else if (character === "," && open.length === 0) return "it is more than one constraint";
    else if (/[;$\\\0]/.test(character))
      return "it holds a character that no constraint needs outside of quotes";
    else if (/^(--|\/\*)/.test(text.slice(at, at + 2))) return "it holds a comment";
  }
  return open.length === 0 ? undefined : `"${open.at(-1)}" is missing`;
}

/** The index of the closing quote, past doubled quotes. -1 without one, or with a U+0000 inside. */
function endOfQuotes(text: string, start: number): number {
  const quote = text.charAt(start);
  for (let at = start + 1; at < text.length; at += 1) {
    if (text.charAt(at) === "\0") return -1;
    if (text.charAt(at) !== quote) continue;
    if (text.charAt(at + 1) !== quote) return at;
    at += 1;
  }
  return -1;
}

/** The columns of a table without a schema: the names in its rows, each with a type for its values. */
export function columnsOf(rows: readonly Row[]): Column[] {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return names.map((name) => {
    const values = rows.map((row) => row[name]).filter((value) => value !== null && value !== undefined);
    return { name, type: typeFor(values) };
  });
}

function typeFor(values: readonly unknown[]): string {
  if (values.length === 0 || values.every((value) => typeof value === "string")) return "text";
  if (values.every((value) => typeof value === "boolean")) return "boolean";
  if (values.every((value) => Number.isSafeInteger(value))) return "bigint";
  if (values.every((value) => typeof value === "number")) return "double precision";
  const [first] = values;
  const size = Array.isArray(first) ? first.length : 0;
  const vectors = values.every((value) => isVector(value) && value.length === size);
  return vectors ? `vector(${size})` : "jsonb";
}

function isVector(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.length > 0 && value.every((part) => typeof part === "number");
}
