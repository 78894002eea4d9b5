/** What the tests of vector tables share. */
import { expect } from "vitest";
import { createdTableSchema } from "../../../provider/api/schemas/model-schemas.ts";
import type { TableSchema } from "../../../provider/api/schemas/model-types.ts";
import { type Answer, codeOf, type Sandbox } from "./harness.ts";

export type Columns = TableSchema["columns"];
export type Rows = readonly Readonly<Record<string, unknown>>[];

let tables = 0;

/** A name that no other test has. */
export function newName(): string {
  tables += 1;
  return `table_${tables}`;
}

export function create(sandbox: Sandbox, name: string, columns?: Columns, data?: Rows): Promise<Answer> {
  const body = { name, ...(columns ? { schema: { columns } } : {}), ...(data ? { data } : {}) };
  return sandbox.send("createTable", {}, { body });
}

/** The table that a 200 of call 16 answers. */
export function madeBy(answer: Answer) {
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  return createdTableSchema.parse(answer.body).data;
}

/** That PostgreSQL's words are answered with 400, and that no table is left. */
export async function expectRefused(
  sandbox: Sandbox,
  name: string,
  answer: Answer,
  message: string | RegExp,
): Promise<void> {
  expect([answer.status, codeOf(answer)]).toEqual([400, "INVALID_REQUEST"]);
  expect(answer.body).toEqual({
    error: {
      code: "INVALID_REQUEST",
      message: typeof message === "string" ? message : expect.stringMatching(message),
    },
  });
  expect(await sandbox.management.models.vectorTables(name)).toEqual([]);
}
