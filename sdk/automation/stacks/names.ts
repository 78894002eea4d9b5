/**
 * Names of members by user id, for the report: the audit log has only the id of a removed person. They are personal data, so they
 * have a separate file (`ORGSEAT_NAMES_FILE`), which only the report reads and which may be deleted at any time.
 */
import { appendFile, mkdir, readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { z } from "zod";
import { nameIn, type Step } from "../plan/steps/steps.ts";
import { labelOf } from "../roster/roster.ts";

/** The value of `ORGSEAT_NAMES_FILE` that turns the names off. */
const OFF = "off";

const lineSchema = z.object({
  userId: z.string(),
  key: z.string(),
  email: z.string().optional(),
  purpose: z.string().optional(),
});
type Line = z.output<typeof lineSchema>;

/** The absolute path of the names; undefined if they are off. */
export function namesFile(
  folder: string,
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const named = environment.ORGSEAT_NAMES_FILE || join(folder, ".orgseat", "names.jsonl");
  return named.toLowerCase() === OFF ? undefined : resolve(named);
}

/** Appends the names that the file does not have yet. @returns a warning if it cannot, which does not stop the run */
export async function noteNames(
  file: string | undefined,
  steps: readonly Step[],
): Promise<string | undefined> {
  if (file === undefined) return undefined;
  try {
    const known = new Map((await linesOf(file)).map((line) => [line.userId, JSON.stringify(line)]));
    const lines = steps
      .flatMap((step) => lineOf(step) ?? [])
      .filter((line) => known.get(line.userId) !== JSON.stringify(line));
    if (lines.length === 0) return undefined;
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    // One write, because another run may append at the same time.
    await appendFile(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""), { mode: 0o600 });
    return undefined;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return `cannot write the names of members: ${reason}. The monthly report will show user ids. Make ${file} writable, or set ORGSEAT_NAMES_FILE`;
  }
}

/** Names by user id. An unreadable file has none; runs warn about it. */
export async function readNames(file: string | undefined): Promise<Record<string, string>> {
  const lines = file === undefined ? [] : await linesOf(file).catch(() => []);
  return Object.fromEntries(
    lines.map(({ userId, key, email, purpose }) => [userId, labelOf({ email, purpose, key })]),
  );
}

/** The plan does not have the id of a new member: the next run appends its name. */
function lineOf({ type, id, member, olds, news }: Step): Line | undefined {
  if (type !== "OrgUser") return undefined;
  const userId = id ?? news?.adopt;
  if (typeof userId !== "string") return undefined;
  const named = olds ?? news;
  const name = nameIn(named);
  if (name === undefined) return { userId, key: member };
  return { userId, key: member, [typeof named?.email === "string" ? "email" : "purpose"]: name };
}

/** Ignores invalid lines, because people may edit the file. */
async function linesOf(file: string): Promise<Line[]> {
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return "";
    throw error;
  });
  return text.split("\n").flatMap((line) => parsed(line) ?? []);
}

function parsed(line: string): Line | undefined {
  try {
    return lineSchema.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}
