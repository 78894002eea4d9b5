/**
 * Names of stacks: `people`, `acme/people` or `acme/orgseat/people`. One organization is run under one form of name: the
 * short one, or the one with organization and project, so that names can be compared as texts.
 */
import { existsSync, readFileSync } from "node:fs";
import { extname, join, resolve } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { MOST_STACKS } from "../roster/fields.ts";

const PROJECT_FILES = ["Pulumi.yaml", "Pulumi.yml", "Pulumi.json"];
/** The project that is made where the folder of a roster has none. */
export const OWN_PROJECT = "orgseat";
/** Pulumi's own rule for each part of a name. */
const PART = /^[A-Za-z0-9_.-]{1,100}$/;

/** The file of a folder's Pulumi project; undefined where it has none. */
export function projectFile(folder: string): string | undefined {
  return PROJECT_FILES.map((name) => join(folder, name)).find((file) => existsSync(file));
}

/** Where the Pulumi project of a roster's folder is, or will be made. */
export function projectFolderOf(folder: string): string {
  return projectFile(folder) === undefined ? join(folder, ".orgseat", "pulumi") : folder;
}

/**
 * @param typed the name as a user writes it
 * @param folder the folder of the roster
 * @returns the short name where no organization was typed, else the one with organization and project
 * @throws where it is no name of a stack, or names another project than that of the folder
 */
export function canonicalStackName(typed: string, folder: string): string {
  const parts = typed.split("/");
  if (parts.length > 3 || !parts.every((part) => PART.test(part))) {
    throw new Error(
      `"${typed}" is not a valid stack name (expected, for example, people, acme/people or acme/orgseat/people)`,
    );
  }
  if (parts.length === 1) return typed;
  const project = projectName(folder);
  const [organization = "", middle = "", name = middle] = parts;
  if (parts.length === 3 && middle !== project) {
    throw new Error(
      `stack ${typed} belongs to project ${middle}, and the project of this folder is ${project}. Name a stack of project ${project}, or run the command in the folder of project ${middle}`,
    );
  }
  return `${organization}/${project}/${name}`;
}

/** The stack's own name, which is what URNs and configuration files have. */
export function shortStackName(stack: string): string {
  return stack.slice(stack.lastIndexOf("/") + 1);
}

/** `people`, or `people-01` to `people-08`. */
export function stackNames(base: string, count: number): string[] {
  if (count === 1) return [base];
  const width = Math.max(2, String(count).length);
  return Array.from({ length: count }, (_, index) => `${base}-${String(index + 1).padStart(width, "0")}`);
}

/** Up to so many people one stack is fastest: each stack has processes of its own. */
const MOST_IN_ONE = 200;
/** Pulumi's file backend writes the whole state of a stack at every step. */
const PEOPLE_PER_STACK = 150;

/** How many stacks a new organization of so many people gets. */
export function defaultStacks(people: number): number {
  return people <= MOST_IN_ONE ? 1 : Math.min(MOST_STACKS, Math.ceil(people / PEOPLE_PER_STACK));
}

/** How many numbered stacks there are, of any stacks: 3 where `people-03` is the last one. */
export function numberedStacks(base: string, existing: readonly string[]): number {
  return stackNames(base, MOST_STACKS).findLastIndex((name) => existing.includes(name)) + 1;
}

/** The stacks of an organization, of whatever number of stacks. */
export function allShardNames(base: string): string[] {
  return [base, ...stackNames(base, MOST_STACKS)];
}

/** Whether the configuration file of a stack says anything of orgseat; Pulumi writes one for its keys alone, too. */
export function hasConfigFile(folder: string, stack: string): boolean {
  const project = projectFile(folder);
  if (project === undefined) return false;
  const { stackConfigDir = "" } = read(project, projectSchema) ?? {};
  const file = join(resolve(folder, stackConfigDir), `Pulumi.${shortStackName(stack)}${extname(project)}`);
  if (!existsSync(file)) return false;
  const said = read(file, stackConfigSchema);
  // What is wrong with it is said by Pulumi, which is asked for it then.
  if (said === undefined) return true;
  const isImported = said.environment !== undefined && said.environment !== null;
  return isImported || Object.keys(said.config ?? {}).some((key) => key.startsWith("orgseat:"));
}

/** Undefined where the file does not fit. */
function read<T>(file: string, schema: z.ZodType<T>): T | undefined {
  try {
    return schema.safeParse(parse(readFileSync(file, "utf8")) ?? {}).data;
  } catch {
    return undefined;
  }
}

const projectSchema = z.object({ name: z.string(), stackConfigDir: z.string().optional() });
const stackConfigSchema = z.looseObject({
  config: z.record(z.string(), z.unknown()).nullish(),
  environment: z.unknown().optional(),
});

function projectName(folder: string): string {
  const file = projectFile(folder);
  if (file === undefined) return OWN_PROJECT;
  const name = read(file, projectSchema)?.name;
  if (name === undefined) throw new Error(`${file} does not name a project. Write \`name: ...\` into it`);
  return name;
}
