/**
 * Names of stacks: `people`, `acme/people`, or `acme/orgseat/people`. All stacks of an organization have the same form:
 * the short one, or the one with organization and project. So names compare as strings.
 */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join, relative, resolve } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { CodedError } from "../../provider/util/error-codes.ts";
import { MOST_STACKS } from "../roster/field-forms.ts";

const PROJECT_FILES = ["Pulumi.yaml", "Pulumi.yml", "Pulumi.json"];
/** The project of a roster whose folder has none. */
export const OWN_PROJECT = "orgseat";
/** Pulumi's own rule for each part of a name. */
const PART = /^[A-Za-z0-9_.-]{1,100}$/;

/** The file of a folder's Pulumi project; undefined without one. */
export function projectFile(folder: string): string | undefined {
  return PROJECT_FILES.map((name) => join(folder, name)).find((file) => existsSync(file));
}

/** The folder of the Pulumi project for a roster's folder; it need not exist yet. */
export function projectFolderOf(folder: string): string {
  return projectFile(folder) === undefined ? join(folder, ".orgseat", "pulumi") : folder;
}

/**
 * @param typed the name as the user typed it
 * @param folder the folder of the roster
 * @returns the short name if the user typed no organization, otherwise the name with organization and project
 * @throws if it is not a valid name, or names another project
 */
export function canonicalStackName(typed: string, folder: string): string {
  const parts = typed.split("/");
  if (parts.length > 3 || !parts.every((part) => PART.test(part))) {
    throw new CodedError(
      "invalid-flag",
      `"${typed}" is not a valid stack name (expected, for example, people, acme/people, or acme/orgseat/people)`,
    );
  }
  if (parts.length === 1) return typed;
  const project = projectName(folder);
  const [organization = "", middle = "", name = middle] = parts;
  if (parts.length === 3 && middle !== project) {
    throw new CodedError(
      "invalid-flag",
      `stack ${typed} belongs to project ${middle}, but the project of this folder is ${project}. Pass a stack of project ${project}, or run the command in the folder of project ${middle}`,
    );
  }
  return `${organization}/${project}/${name}`;
}

/** The short name, as in URNs and names of configuration files. */
export function shortStackName(stack: string): string {
  return stack.slice(stack.lastIndexOf("/") + 1);
}

/** The command that removes the lock of a dead run, which Pulumi never removes. @param folder of the project */
export function unlockCommand(stack: string, folder: string): string {
  const from = relative("", folder);
  return `pulumi cancel --stack ${stack}${from === "" ? "" : ` --cwd ${from}`}`;
}

/** `people`, or `people-01` to `people-08`. */
export function stackNames(base: string, count: number): string[] {
  if (count === 1) return [base];
  const width = Math.max(2, String(count).length);
  return Array.from({ length: count }, (_, index) => `${base}-${String(index + 1).padStart(width, "0")}`);
}

/** Up to so many people one stack is fastest: each stack has separate processes. */
const MOST_IN_ONE = 200;
/** Pulumi's file backend writes the whole state of a stack at every step. */
const PEOPLE_PER_STACK = 150;

/** How many stacks a new organization of so many people gets. */
export function defaultStacks(people: number): number {
  return people <= MOST_IN_ONE ? 1 : Math.min(MOST_STACKS, Math.ceil(people / PEOPLE_PER_STACK));
}

/** The number of numbered stacks: 3 if `people-03` is the last one. */
export function numberedStacks(base: string, existing: readonly string[]): number {
  return Math.max(0, ...existing.map((name) => numberOf(base, name) ?? 0));
}

/** Whether an organization of some number of stacks has one of this name. */
export function isStackOf(base: string, name: string): boolean {
  return name === base || numberOf(base, name) !== undefined;
}

/** The names that stacks can have, in the order of their numbers: without a number, and with two, three or four digits. */
export function stackSeries(base: string): string[][] {
  return [[base], ...[99, 999, MOST_STACKS].map((count) => stackNames(base, count))];
}

/** The number at the end of a name: two digits, or three or four if there are so many stacks. */
function numberOf(base: string, name: string): number | undefined {
  const digits = name.startsWith(`${base}-`) ? name.slice(base.length + 1) : "";
  const number = /^\d{2,4}$/.test(digits) ? Number(digits) : 0;
  return number >= 1 && number <= MOST_STACKS ? number : undefined;
}

/** The short names of the stacks whose configuration files set something of orgseat. Pulumi also writes files for its own keys. */
export function configuredStacks(folder: string): string[] {
  const project = projectFile(folder);
  if (project === undefined) return [];
  const { stackConfigDir = "" } = read(project, projectSchema) ?? {};
  const place = resolve(folder, stackConfigDir);
  const [start, end] = ["Pulumi.", extname(project)];
  const names = existsSync(place) ? readdirSync(place) : [];
  return names
    .filter((name) => name.startsWith(start) && name.endsWith(end) && name.length > start.length + end.length)
    .filter((name) => configuresOrgseat(join(place, name)))
    .map((name) => name.slice(start.length, -end.length));
}

function configuresOrgseat(file: string): boolean {
  const said = read(file, stackConfigSchema);
  // Pulumi reports what is wrong with it.
  return said === undefined || isImporting(said) || hasOwnKeys(said);
}

/**
 * Whether a run of a stack can do more than its state and its configuration show: the project has every run refresh, or the
 * configuration file imports an environment, which can set variables.
 */
export function hasHiddenSettings(folder: string, stack: string): boolean {
  const { options } = readProject(folder);
  const file = configFileOf(folder, stack);
  const said = file === undefined ? {} : read(file, stackConfigSchema);
  return (options?.refresh ?? "") !== "" || said === undefined || isImporting(said);
}

/** What the configuration file of a stack says, as it is written there; empty without one. */
export function plainConfigOf(folder: string, stack: string): Readonly<Record<string, unknown>> {
  const file = configFileOf(folder, stack);
  return (file === undefined ? undefined : read(file, stackConfigSchema)?.config) ?? {};
}

/** Undefined if the stack has none. */
export function configFileOf(folder: string, stack: string): string | undefined {
  const project = projectFile(folder);
  if (project === undefined) return undefined;
  const { stackConfigDir = "" } = readProject(folder);
  const file = join(resolve(folder, stackConfigDir), `Pulumi.${shortStackName(stack)}${extname(project)}`);
  return existsSync(file) ? file : undefined;
}

type StackConfig = z.output<typeof stackConfigSchema>;

function isImporting({ environment }: StackConfig): boolean {
  return environment !== undefined && environment !== null;
}

function hasOwnKeys({ config }: StackConfig): boolean {
  return Object.keys(config ?? {}).some((key) => key.startsWith("orgseat:"));
}

/** Undefined if the file does not match. */
function read<T>(file: string, schema: z.ZodType<T>): T | undefined {
  try {
    return schema.safeParse(parse(readFileSync(file, "utf8")) ?? {}).data;
  } catch {
    return undefined;
  }
}

const projectSchema = z.object({
  name: z.string(),
  stackConfigDir: z.string().optional(),
  backend: z.object({ url: z.string().optional() }).optional(),
  options: z.object({ refresh: z.unknown() }).nullish().catch(undefined),
  config: z.unknown().optional(),
});
const stackConfigSchema = z.looseObject({
  config: z.record(z.string(), z.unknown()).nullish(),
  environment: z.unknown().optional(),
});

/** What the project file of a folder says; empty without one. */
export function readProject(folder: string): Partial<z.output<typeof projectSchema>> {
  const file = projectFile(folder);
  return (file === undefined ? undefined : read(file, projectSchema)) ?? {};
}

function projectName(folder: string): string {
  const file = projectFile(folder);
  if (file === undefined) return OWN_PROJECT;
  const name = read(file, projectSchema)?.name;
  if (name === undefined)
    throw new CodedError("invalid-program", `${file} contains no project name. Add \`name: ...\``);
  return name;
}
