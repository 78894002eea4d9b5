/**
 * The files of a Pulumi project, and the names of its stacks: `people`, `acme/people`, or `acme/orgseat/people`. An engine lists
 * them in the form of the name that it gets: the short one, or the one with organization and project. So names compare as strings.
 */

import { existsSync, mkdirSync, readFileSync, truncateSync } from "node:fs";
import { extname, join, relative, resolve } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { CodedError } from "../../provider/util/error-codes.ts";
import { writeWhole } from "../../provider/util/json.ts";
import { unwritable } from "./folders.ts";

const PROJECT_FILES = ["Pulumi.yaml", "Pulumi.yml", "Pulumi.json"];
/** The project of a roster whose folder has none. */
export const OWN_PROJECT = "orgseat";
/** The project for a folder without one. */
const PROJECT = `name: ${OWN_PROJECT}
description: created by orgseat for a roster without a Pulumi project
runtime:
  name: nodejs
  options:
    typescript: false
`;
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

/** Creates a project in a separate folder if the roster's folder has none. */
export function projectFolder(folder: string): string {
  const own = projectFolderOf(folder);
  if (own === folder) return folder;
  const file = join(own, "Pulumi.yaml");
  try {
    mkdirSync(own, { recursive: true, mode: 0o700 });
    // Pulumi reads nothing of a project whose file is cut off.
    if (!existsSync(file)) writeWhole(file, PROJECT, 0o644);
  } catch (error) {
    throw unwritable(own, error);
  }
  return own;
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

/** The URN of a resource of the stack. */
export function urnOf(project: string, stack: string, type: string, name: string): string {
  return `urn:pulumi:${shortStackName(stack)}::${project}::${type}::${name}`;
}

/** The command that removes the lock of a dead run, which Pulumi never removes. @param folder of the project */
export function unlockCommand(stack: string, folder: string): string {
  const from = relative("", folder);
  return `pulumi cancel --stack ${stack}${from === "" ? "" : ` --cwd ${from}`}`;
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
  config: z.unknown().optional(),
});
const stackConfigSchema = z.looseObject({
  config: z.record(z.string(), z.unknown()).nullish(),
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

const SALT_KEY = "encryptionsalt:";
/** As Pulumi writes it: the Base64 of a salt ends with two pads. */
const WHOLE_SALT = /==$/;

/**
 * Removes a salt that a kill or a full disk has cut off in the settings of a stack: Pulumi would call every passphrase
 * incorrect. Without a salt there, it takes that of the state.
 */
export function removeCutOffSalt(folder: string, stack: string): void {
  const file = configFileOf(folder, stack);
  if (file === undefined) return;
  const text = readFileSync(file, "utf8");
  const last = text.slice(text.lastIndexOf("\n") + 1);
  const isPart = last.startsWith(SALT_KEY) ? !WHOLE_SALT.test(last) : SALT_KEY.startsWith(last);
  if (last !== "" && isPart) truncateSync(file, Buffer.byteLength(text) - Buffer.byteLength(last));
}
