/** `orgseat init`: a roster without people, the variables of every command, and the files that must not be committed. */

import { randomBytes } from "node:crypto";
import { existsSync, statSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { join, relative, resolve } from "node:path";
import type { Environment, PlatformName } from "../../provider/config/setting-values.ts";
import { readSettings } from "../../provider/config/settings.ts";
import { productCodes } from "../../provider/resources/members/seat-codes.ts";
import { readMembers } from "../../provider/service/members.ts";
import { CodedError } from "../../provider/util/error-codes.ts";
import { isPulumiCloud, PASSPHRASE } from "../../provider/util/pulumi-command.ts";
import { RUN_AGAIN } from "../../provider/util/text.ts";
import { dateSchema } from "../roster/field-forms.ts";
import { headerSchema, type PersonField } from "../roster/fields.ts";
import { formatOf } from "../roster/formats/roster-text.ts";
import { createText, readText, rewriteTexts } from "../roster/formats/text-file.ts";
import { quoteValue } from "../roster/formats/validation.ts";
import { parseRoster } from "../roster/read.ts";
import { newRoster } from "../roster/write.ts";
import { VARIABLES_FILE, variablesAfter } from "../stacks/variables.ts";

export type NewRosterFormat = "csv" | "yaml";

/** What the variables say. Each can be undefined: then the file has a comment to fill in. */
export interface Setup {
  readonly platform?: PlatformName | undefined;
  readonly orgUrl?: string | undefined;
  readonly tokenUrl?: string | undefined;
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  /** The product code of the seat, for users with several. Undefined: the file does not name it. */
  readonly product?: string | undefined;
  /** A folder, or the address of Pulumi Cloud, of a bucket, or of another backend. */
  readonly backend: string;
  /** A file with the passphrase of the state, or the address of a secrets provider. */
  readonly encryption?: string | undefined;
  /** The passphrase, if it is written down too. */
  readonly passphrase?: string | undefined;
  /** Whether the environment has the passphrase, and keeps it. Otherwise, without `encryption`, there is a new one. */
  readonly hasPassphrase?: boolean | undefined;
}

interface InitOptions {
  readonly organizationId: string;
  /** A date or a timestamp. */
  readonly subscription?: string | undefined;
  readonly format: NewRosterFormat;
  readonly setup: Setup;
}

export interface InitResult {
  /** The name of the new roster. */
  readonly roster: string;
  /** The lines that .gitignore did not have. */
  readonly ignored: readonly string[];
  /** The variables without a value in the file. */
  readonly missing: readonly string[];
  /** Whether the file has a new passphrase, of which there is no copy. */
  readonly hasNewPassphrase: boolean;
  /** The folder of the states; undefined if they are elsewhere. */
  readonly stateFolder: string | undefined;
}

/** The addresses that each organization of a platform has. */
export const PLATFORM_ADDRESSES: Readonly<
  Record<PlatformName, { readonly orgUrl?: string; readonly tokenUrl?: string }>
> = {
  anaconda: { orgUrl: "https://anaconda.com/api/v1", tokenUrl: "https://anaconda.com/api/iam/token" },
  basic: {},
};

/** The platform that the variables name, or that the addresses mean. */
export function platformIn(environment: Environment): PlatformName | undefined {
  return readSettings(() => undefined, environment).platform;
}

/** The product codes of the users whom the service lists, the most frequent first; none if it does not list them now. */
export async function listedProducts(
  organizationId: string,
  { platform, orgUrl, tokenUrl, clientId, clientSecret }: Setup,
  environment: Environment,
): Promise<[code: string, users: number][]> {
  const given = {
    ORGSEAT_PLATFORM: platform,
    ORGSEAT_ORG_URL: orgUrl,
    ORGSEAT_TOKEN_URL: tokenUrl,
    ORGSEAT_CLIENT_ID: clientId,
    ...(clientSecret && { ORGSEAT_CLIENT_SECRET: clientSecret }),
    ORGSEAT_OPERATION_TIMEOUT: "5s",
  };
  const source = { config: () => undefined, environment: { ...environment, ...given } };
  const settings = readSettings(source.config, source.environment);
  if (settings.account === undefined) return [];
  const read = readMembers(source, { organizationId, tokensOf: () => [] });
  // The diagnosis says why they cannot be read. Some platforms have no list.
  return read.then(({ users }) => productCodes(users)).catch(() => []);
}

/** States and logs of orgseat, tokens that `orgseat token --out` writes, secrets, and plans, which contain emails. */
const IGNORED = ["node_modules/", ".orgseat/", "*.token", VARIABLES_FILE, "plan.json"];
const COLUMNS: readonly PersonField[] = ["email", "purpose", "key", "team"];

/** A value with the flag, the variable, or the question that gave it. */
export interface Given {
  readonly label: string;
  /** The variable of the value. */
  readonly name: string;
  readonly value: string;
}

/** Why the value cannot be used; undefined if it can. */
export function problemOf({ label, name, value }: Given, folder: string): string | undefined {
  if (name === `${PASSPHRASE}_FILE`)
    return isFile(pathIn(folder, value)) || value.includes("://") ? undefined : `${label} names no file`;
  if (name === "ORGSEAT_SUBSCRIPTION_EXPIRES_AT") {
    const issue = dateSchema.safeParse(value).error?.issues[0]?.message;
    return issue === undefined ? undefined : `${label} is ${issue}`;
  }
  const { issues } = readSettings(() => undefined, { [name]: value });
  const found = issues.find(
    (issue) => issue.startsWith(`${name} is `) && !issue.startsWith(`${name} is set `),
  );
  return found === undefined ? undefined : `${label}${found.slice(name.length)}`;
}

/** @throws if the folder has a roster, or a value that was given is invalid: with all reasons, before a question */
export function requireUsable(folder: string, rosters: readonly string[], given: readonly Given[]): void {
  const existing = rosters.find((name) => existsSync(join(folder, name)));
  const issues = [
    ...(existing === undefined
      ? []
      : [
          `${existing} exists, and \`orgseat init\` overwrites nothing. Go on with \`orgseat preview\`, or run \`orgseat init\` in another folder`,
        ]),
    ...given.flatMap((one) => problemOf(one, folder) ?? []),
  ];
  const [first, ...more] = issues;
  if (first === undefined) return;
  const text = more.length === 0 ? ` ${first}` : issues.map((issue) => `\n  ${issue}`).join("");
  throw new CodedError("invalid-flag", `cannot set up this folder:${text}. No files were written`);
}

/** @throws if a value is invalid: nothing is written then */
export async function initFolder(
  folder: string,
  { organizationId, subscription, format, setup }: InitOptions,
): Promise<InitResult & { readonly variables: Readonly<Record<string, string>> }> {
  const roster = `people.${format}`;
  const file = join(folder, roster);
  const text = emptyRoster(file, { organizationId, subscription }, COLUMNS);
  const { stateFolder, hasNewPassphrase, values } = variablesOf(folder, setup);
  const known = join(folder, VARIABLES_FILE);
  const variables = variablesAfter(existsSync(known) ? await readText(known) : undefined, values);
  const ignored = await ignoreFiles(folder, stateFolder === undefined ? [] : linesOf(folder, stateFolder));
  if (stateFolder !== undefined) await mkdir(stateFolder, { recursive: true });
  await createFile(file, text);
  await writeVariables(known, variables).catch(async (error: unknown) => {
    // With a roster, the command would refuse to run again.
    await rm(file);
    throw error;
  });
  const { all, missing } = variables;
  return { roster, ignored, missing, hasNewPassphrase, stateFolder, variables: all };
}

async function writeVariables(
  file: string,
  { before, text }: { readonly before: string | undefined; readonly text: string },
): Promise<void> {
  if (before === undefined) await createFile(file, text, 0o600);
  else await rewriteTexts([{ file, before, text }]);
}

function variablesOf(folder: string, setup: Setup) {
  const { backend } = setup;
  const [, path = backend, query = ""] = /^file:\/\/([^?]*)(.*)$/s.exec(backend) ?? [];
  const stateFolder = path.includes("://") ? undefined : pathIn(folder, path);
  const encryption = isPulumiCloud(backend) ? undefined : encryptionOf(folder, setup);
  const values = new Map<string, string | undefined>([
    ["ORGSEAT_PLATFORM", setup.platform],
    ["ORGSEAT_ORG_URL", setup.orgUrl],
    ["ORGSEAT_TOKEN_URL", setup.tokenUrl],
    ["ORGSEAT_CLIENT_ID", setup.clientId],
    ["ORGSEAT_CLIENT_SECRET", setup.clientSecret],
    ...(setup.product === undefined ? [] : [["ORGSEAT_PRODUCT", setup.product] as const]),
    ["PULUMI_BACKEND_URL", stateFolder === undefined ? backend : `file://${stateFolder}${query}`],
    ...(encryption === undefined ? [] : [encryption]),
  ]);
  return {
    values,
    stateFolder,
    hasNewPassphrase: values.get(PASSPHRASE) !== undefined && setup.passphrase === undefined,
  };
}

/** The absolute path, with the home folder in place of ~, as in a shell. */
function pathIn(folder: string, path: string): string {
  return resolve(folder, path.replace(/^~(?=\/|$)/, homedir));
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** The variable with what encrypts the state, and its value if the file has it. */
function encryptionOf(
  folder: string,
  { encryption, passphrase, hasPassphrase }: Setup,
): readonly [name: string, value: string | undefined] {
  if (encryption?.includes("://")) return ["ORGSEAT_SECRETS_PROVIDER", encryption];
  if (encryption === undefined)
    return [PASSPHRASE, passphrase ?? (hasPassphrase ? undefined : randomBytes(24).toString("base64url"))];
  const file = pathIn(folder, encryption);
  if (isFile(file)) return [`${PASSPHRASE}_FILE`, file];
  // It can be the passphrase itself: no output contains it.
  throw new CodedError(
    "invalid-flag",
    "cannot find the file with the passphrase of the state. Give the path of a file that has it. No files were written",
  );
}

/** Of .gitignore, for states that are below the folder. */
function linesOf(folder: string, stateFolder: string): string[] {
  // In the folder itself, Pulumi creates a folder.
  const path = relative(folder, stateFolder) || ".pulumi";
  return /^\.(\.|orgseat)(\/|$)/.test(path) ? [] : [`/${path}/`];
}

/** Adds the lines that .gitignore lacks at its end. @returns these lines */
export async function ignoreFiles(folder: string, more: readonly string[] = []): Promise<string[]> {
  const file = join(folder, ".gitignore");
  const before = existsSync(file) ? await readText(file) : "";
  const lines = new Set(before.split(/\r?\n/).map((line) => line.trim()));
  const missing = [...IGNORED, ...more].filter((line) => !lines.has(line));
  if (missing.length === 0) return [];
  const start = before === "" || before.endsWith("\n") ? before : `${before}\n`;
  const text = `${start}${missing.join("\n")}\n`;
  if (existsSync(file)) await rewriteTexts([{ file, before, text }]);
  else await createFile(file, text);
  return missing;
}

/** @throws if another process has created it */
async function createFile(file: string, text: string, mode?: number): Promise<void> {
  if (!(await createText(file, text, mode)))
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
  const issue = headerSchema.shape.organization.safeParse(organizationId).error?.issues[0]?.message;
  if (issue !== undefined) {
    throw new CodedError("invalid-flag", `${quoteValue(organizationId)}: ${issue}. No files were written`);
  }
  const empty = { organizationId, subscriptionExpiresAt: subscription, people: [] };
  const text = newRoster(empty, formatOf(file), columns);
  parseRoster(text, file);
  return text;
}
