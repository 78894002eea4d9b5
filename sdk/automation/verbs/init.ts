/** `orgseat init`: a roster without people, and the files that must not be committed. Sends no request. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { CodedError } from "../../../provider/util/error-codes.ts";
import { RUN_AGAIN } from "../../../provider/util/text.ts";
import type { PersonField } from "../roster/fields.ts";
import { createText, readText, rewriteText } from "../roster/formats/text-file.ts";
import { formatOf, parseRoster } from "../roster/read.ts";
import { newRoster } from "../roster/write.ts";

export type NewRosterFormat = "csv" | "yaml";

interface InitOptions {
  readonly organizationId: string;
  /** The names of rosters that a command reads by default. */
  readonly rosters: readonly string[];
  readonly format: NewRosterFormat;
}

export interface InitResult {
  /** The name of the new roster. */
  readonly roster: string;
  /** The lines that .gitignore did not have. */
  readonly ignored: readonly string[];
}

/** The states and logs of orgseat, tokens that `orgseat token --out` writes, and plans, which contain emails. */
const IGNORED = [".orgseat/", "*.token", "plan.json"];
const COLUMNS: readonly PersonField[] = ["email", "purpose", "key", "team"];

/** @throws if the folder has a roster, or the organization id is invalid: nothing is written then */
export async function initFolder(
  folder: string,
  { organizationId, rosters, format }: InitOptions,
): Promise<InitResult> {
  const existing = rosters.find((name) => existsSync(join(folder, name)));
  if (existing !== undefined) {
    throw new CodedError(
      "invalid-flag",
      `cannot create a roster: ${existing} exists. Use it with \`orgseat preview\`, or run \`orgseat init\` in another folder`,
    );
  }
  const roster = `people.${format}`;
  const file = join(folder, roster);
  const text = emptyRoster(file, { organizationId, subscription: undefined }, COLUMNS);
  // With a roster, the command would refuse to run again for the rest.
  const ignored = await ignoreFiles(join(folder, ".gitignore"));
  await createFile(file, text);
  return { roster, ignored };
}

/** Adds the lines that are missing at the end. */
async function ignoreFiles(file: string): Promise<string[]> {
  const before = existsSync(file) ? await readText(file) : "";
  const lines = new Set(before.split(/\r?\n/).map((line) => line.trim()));
  const missing = IGNORED.filter((line) => !lines.has(line));
  if (missing.length === 0) return [];
  const start = before === "" || before.endsWith("\n") ? before : `${before}\n`;
  const text = `${start}${missing.join("\n")}\n`;
  if (existsSync(file)) await rewriteText(file, before, text);
  else await createFile(file, text);
  return missing;
}

/** @throws if another process has created it */
async function createFile(file: string, text: string): Promise<void> {
  if (!(await createText(file, text)))
    throw new CodedError("file-changed", `another process created ${file}. ${RUN_AGAIN}`);
}

interface NewRosterOptions {
  readonly organizationId: string | undefined;
  /** A date or a timestamp. */
  readonly subscription: string | undefined;
}

/**
 * Writes a roster without people.
 * @returns its text @throws without the id of an organization
 */
export async function createRoster(file: string, options: NewRosterOptions): Promise<string> {
  const text = emptyRoster(file, options);
  await createFile(file, text);
  return text;
}

/** @throws without the id of an organization */
function emptyRoster(
  file: string,
  { organizationId, subscription }: NewRosterOptions,
  columns?: readonly PersonField[],
): string {
  if (organizationId === undefined || organizationId === "") {
    throw new CodedError("file-error", `${file} does not exist. To create it, pass --organization <id>`);
  }
  const empty = { organizationId, subscriptionExpiresAt: subscription, people: [] };
  const text = newRoster(empty, formatOf(file), columns);
  parseRoster(text, file);
  return text;
}
