/** Errors of PostgreSQL, by their cause. */
import { z } from "zod";
import { type Refusal, refusal } from "../base/refusals.ts";

const sqlErrorSchema = z.object({ code: z.string().regex(/^[0-9A-Z]{5}$/), message: z.string() });

/**
 * The classes of errors that a caller causes: something that PostgreSQL cannot do (0A), wrong data (22), a broken
 * constraint (23), an unknown schema (3F), a syntax or access error (42), a broken view (44), an exceeded limit (54).
 */
const CALLERS = ["0A", "22", "23", "3F", "42", "44", "54"];

export function isSqlError(error: unknown): boolean {
  return sqlErrorSchema.safeParse(error).success;
}

/** Runs a part of a request. An error of PostgreSQL becomes the 400 of "create table", with PostgreSQL's message. */
export async function asking<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const parsed = sqlErrorSchema.safeParse(error);
    if (!parsed.success || !CALLERS.includes(parsed.data.code.slice(0, 2))) throw error;
    throw invalidRequest(path, parsed.data.message);
  }
}

/** The 400 of "create table". @param path the place in the body, such as `schema.columns[1].type` */
export function invalidRequest(path: string, sentence: string): Refusal {
  return refusal(400, "INVALID_REQUEST", `${path}: ${sentence}`);
}
