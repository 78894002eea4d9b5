/** The file backend: stacks, history, backups and locks in the places and formats of Pulumi's own. */

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { UserError } from "../errors.ts";
import type { Project } from "./project.ts";

/** The name of a stack within a backend. */
export interface StackName {
  project: string;
  stack: string;
}

export function qualifiedName({ project, stack }: StackName): string {
  return `organization/${project}/${stack}`;
}

/** Takes `dev`, `organization/dev` and `organization/<project>/dev`. */
export function parseStackName(text: string, project: string): StackName {
  const parts = text.split("/");
  const stack = parts.at(-1) ?? "";
  if (!/^[A-Za-z0-9_.-]{1,100}$/.test(stack)) {
    throw new UserError(
      "a stack name may only contain alphanumeric, hyphens, underscores, or periods, and has at most 100 characters",
    );
  }
  if (parts.length === 2 && parts[0] !== "organization")
    throw new UserError("organization name must be 'organization'");
  if (parts.length > 3 || (parts.length > 1 && parts[0] !== "organization")) {
    throw new UserError(
      `invalid stack reference "${text}": a file backend only knows organization/<project>/<stack>`,
    );
  }
  return { project: parts.length === 3 ? (parts[1] ?? project) : project, stack };
}

/** The folder of a `file://` URL. */
function folderOfUrl(url: string, base: string): string {
  if (!url.startsWith("file://")) {
    throw new UserError(
      `this emulator keeps state in files only: set PULUMI_BACKEND_URL to a file:// address instead of ${url}`,
    );
  }
  const path = url.slice("file://".length).split("?")[0] ?? "";
  if (path === "" || path === "~") return homedir();
  if (path.startsWith("~/")) return join(homedir(), path.slice(2));
  return path.startsWith("/") ? fileURLToPath(`file://${path}`) : resolve(base, path);
}

/** Pulumi's folder for the selected stacks. */
export function pulumiHome(env: NodeJS.ProcessEnv): string {
  return env.PULUMI_HOME || join(homedir(), ".pulumi");
}

/** Writes the file whole or not at all. @param temporary the file to write first, on the same disk */
export function writeAtomically(file: string, text: string, temporary = `${file}.${process.pid}.tmp`): void {
  const write = () => {
    writeFileSync(temporary, text, { mode: 0o600 });
    renameSync(temporary, file);
  };
  try {
    write();
  } catch (error) {
    if (!isMissing(error)) throw error;
    for (const path of [temporary, file]) mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    write();
  }
}

export function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

export class Backend {
  readonly url: string;
  readonly root: string;

  constructor(url: string, base: string) {
    this.url = url;
    this.root = join(folderOfUrl(url, base), ".pulumi");
  }

  static open(env: NodeJS.ProcessEnv, project: Pick<Project, "backendUrl" | "root">): Backend {
    const url = env.PULUMI_BACKEND_URL || project.backendUrl || "file://~";
    return new Backend(url, project.root);
  }

  checkpointFile({ project, stack }: StackName): string {
    return join(this.root, "stacks", project, `${stack}.json`);
  }

  historyFolder({ project, stack }: StackName): string {
    return join(this.root, "history", project, stack);
  }

  backupFolder({ project, stack }: StackName): string {
    return join(this.root, "backups", project, stack);
  }

  lockFolder({ project, stack }: StackName): string {
    return join(this.root, "locks", "organization", project, stack);
  }

  #tagsFile({ project, stack }: StackName): string {
    return join(this.root, "stacks", project, `${stack}.pulumi-tags`);
  }

  /** Only the emulator uses it: the Pulumi CLI reads no folder of this name. */
  journalFolder({ project, stack }: StackName): string {
    return join(this.root, "journals", project, stack);
  }

  exists(name: StackName): boolean {
    return existsSync(this.checkpointFile(name));
  }

  /** The text of a stack's checkpoint, undefined if there is no such stack. */
  readCheckpoint(name: StackName): string | undefined {
    return this.exists(name) ? readFileSync(this.checkpointFile(name), "utf8") : undefined;
  }

  writeCheckpoint(name: StackName, text: string): void {
    this.#markVersion();
    writeAtomically(this.checkpointFile(name), text);
  }

  /** The text of a stack's tags, undefined if it has none. */
  readTags(name: StackName): string | undefined {
    const file = this.#tagsFile(name);
    return existsSync(file) ? readFileSync(file, "utf8") : undefined;
  }

  writeTags(name: StackName, text: string | undefined): void {
    if (text === undefined) rmSync(this.#tagsFile(name), { force: true });
    else writeAtomically(this.#tagsFile(name), text);
  }

  /** Copies the checkpoint to the backups, as before each update. @returns the path of the copy */
  backUp(name: StackName): string {
    const copy = join(this.backupFolder(name), `${name.stack}.${timeInNanoseconds()}.json`);
    const text = this.readCheckpoint(name);
    if (text === undefined) return copy;
    writeAtomically(`${this.checkpointFile(name)}.bak`, text);
    writeAtomically(copy, text);
    return copy;
  }

  remove(name: StackName): void {
    const text = this.readCheckpoint(name);
    if (text !== undefined) writeAtomically(`${this.checkpointFile(name)}.bak`, text);
    for (const file of [this.checkpointFile(name), this.#tagsFile(name)]) rmSync(file, { force: true });
    for (const folder of [this.historyFolder(name), this.journalFolder(name)])
      rmSync(folder, { recursive: true, force: true });
  }

  list(project: string): StackName[] {
    return listFolder(join(this.root, "stacks", project))
      .filter((file) => file.endsWith(".json"))
      .map((file) => ({ project, stack: file.slice(0, -".json".length) }));
  }

  /** Marks the layout with a folder for each project, which the Pulumi CLI requires. */
  #markVersion(): void {
    const file = join(this.root, "meta.yaml");
    if (!existsSync(file)) writeAtomically(file, "version: 1\n");
  }
}

export function listFolder(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** The current time in nanoseconds since 1970, as in the names of Pulumi's files. */
export function timeInNanoseconds(): string {
  return `${BigInt(Date.now()) * 1_000_000n + (process.hrtime.bigint() % 1_000_000n)}`;
}

const selectionSchema = z.looseObject({ stacks: z.record(z.string(), z.string()).optional() });

export class Selection {
  readonly #file: string;
  readonly #backend: string;

  constructor(env: NodeJS.ProcessEnv, project: Project, backendUrl: string) {
    const hash = createHash("sha1").update(project.file).digest("hex");
    this.#file = join(pulumiHome(env), "workspaces", `${project.name}-${hash}-workspace.json`);
    this.#backend = backendUrl;
  }

  #read(): z.infer<typeof selectionSchema> {
    if (!existsSync(this.#file)) return {};
    try {
      return selectionSchema.parse(JSON.parse(readFileSync(this.#file, "utf8")));
    } catch {
      throw new UserError(`could not parse file ${this.#file}; remove it and select the stack again`);
    }
  }

  get(): string | undefined {
    return this.#read().stacks?.[this.#backend];
  }

  set(qualifiedName: string | undefined): void {
    const content = this.#read();
    const { [this.#backend]: _, ...others } = content.stacks ?? {};
    const stacks = qualifiedName === undefined ? others : { ...others, [this.#backend]: qualifiedName };
    writeAtomically(this.#file, JSON.stringify({ ...content, stacks }, null, 4));
  }
}
