/**
 * The packed package in a project, as an install leaves it, without asking a registry: the tarball's files lie in
 * node_modules as a folder, and links stand for its dependencies. Packed and installed once a run.
 */
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";
import { z } from "zod";
import { packageRoot } from "../../sandbox/pulumi/package-root.ts";
import { oncePerRun } from "../setup/once.ts";
import { temporaryFolder } from "../setup/sandbox.ts";
import { packagesOf } from "./dependencies.ts";

const run = promisify(execFile);
export const installed = join(packageRoot, "node_modules");

const packSchema = z.object({
  filename: z.string(),
  size: z.number(),
  unpackedSize: z.number(),
  files: z.array(z.object({ path: z.string() })),
});
const packedSchema = packSchema.omit({ filename: true }).extend({ files: z.array(z.string()) });

export interface Packed {
  /** The folder with the tarball's files. */
  readonly folder: string;
  /** Their paths inside the package. */
  readonly files: readonly string[];
  /** Of the tarball, in bytes. */
  readonly size: number;
  /** Of its files, in bytes. */
  readonly unpackedSize: number;
}

/** Packs the package and unpacks it again. */
export async function pack(): Promise<Packed> {
  const folder = await oncePerRun("packed", packInto);
  const packed = packedSchema.parse(JSON.parse(readFileSync(join(folder, "packed.json"), "utf8")));
  return { folder: join(folder, "package"), ...packed };
}

async function packInto(folder: string): Promise<void> {
  // The sources are built already: without scripts nothing is built under tests that run beside this one.
  const options = ["--ignore-scripts", "--json", "--pack-destination", folder];
  const { stdout } = await run("npm", ["pack", ...options], { cwd: packageRoot });
  const answer: unknown = JSON.parse(stdout);
  const [packed] = z.array(packSchema).parse(Array.isArray(answer) ? answer : Object.values(Object(answer)));
  if (packed === undefined) throw new Error("npm pack has packed nothing");
  await run("tar", ["-xzf", packed.filename], { cwd: folder });
  const files = packed.files.map(({ path }) => path);
  writeFileSync(join(folder, "packed.json"), JSON.stringify({ ...packed, files }));
}

/**
 * The command `orgseat` as npm leaves it outside of every project: `global` as `npm install -g`, the dependencies inside
 * the package; `cached` as `npx`, the dependencies beside it. @returns the command's file
 */
export async function commandOf(place: "global" | "cached"): Promise<string> {
  const made = await oncePerRun(`command-${place}`, async (folder) => {
    const modules = place === "global" ? join(folder, "lib", "node_modules") : join(folder, "node_modules");
    const dependencies = place === "global" ? join(modules, "orgseat", "node_modules") : modules;
    cpSync((await pack()).folder, join(modules, "orgseat"), { recursive: true });
    mkdirSync(dependencies, { recursive: true });
    linkDependencies(dependencies);
    const bin = place === "global" ? join(folder, "bin") : join(modules, ".bin");
    mkdirSync(bin);
    symlinkSync(relative(bin, join(modules, "orgseat", "sdk", "bin", "orgseat.js")), join(bin, "orgseat"));
  });
  return place === "global" ? join(made, "bin", "orgseat") : join(made, "node_modules", ".bin", "orgseat");
}

/** Which compiler the project has. Pulumi looks for one beside its own SDK, so that is copied and not linked. */
export type Compiler = "typescript" | "typescript-5" | "none";

/** A project folder that has the package installed; only its own files may be changed. @param files by name */
export async function projectWith(
  compiler: Compiler,
  files: Readonly<Record<string, string>>,
): Promise<string> {
  const folder = temporaryFolder();
  const modules = await oncePerRun(`installed-${compiler}`, (made) => install(made, compiler));
  symlinkSync(join(modules, "node_modules"), join(folder, "node_modules"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

async function install(folder: string, compiler: Compiler): Promise<void> {
  const modules = join(folder, "node_modules");
  mkdirSync(join(modules, ".bin"), { recursive: true });
  linkDependencies(modules);
  cpSync((await pack()).folder, join(modules, "orgseat"), { recursive: true });
  symlinkSync("../orgseat/sdk/bin/orgseat.js", join(modules, ".bin", "orgseat"));
  if (compiler !== "none") symlinkSync(compilerFolder(compiler), join(modules, "typescript"));
}

function linkDependencies(modules: string): void {
  for (const folder of packagesOf(packageRoot)) {
    const link = join(modules, relative(installed, folder));
    // What lies inside another package comes with that one.
    if (folder.startsWith(join(installed, "@pulumi")) || relative(installed, folder).includes("node_modules"))
      continue;
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(folder, link);
  }
  cpSync(join(installed, "@pulumi"), join(modules, "@pulumi"), { recursive: true });
}

function compilerFolder(compiler: Exclude<Compiler, "none">): string {
  return compiler === "typescript"
    ? join(installed, "typescript")
    : join(packageRoot, "test", "package", "typescript-5", "node_modules", "typescript");
}

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Both. */
  readonly output: string;
}

/** Runs a command to its end. @param environment instead of this process's */
export function runIn(
  folder: string,
  command: string,
  args: readonly string[],
  environment: NodeJS.ProcessEnv = process.env,
): Promise<Ended> {
  return new Promise((resolve) => {
    const options = { cwd: folder, env: environment, maxBuffer: 2 ** 26 };
    const child = execFile(command, args, options, (_error, stdout, stderr) => {
      resolve({ code: child.exitCode ?? 1, stdout, stderr, output: stdout + stderr });
    });
    onTestFinished(() => void child.kill("SIGKILL"));
  });
}

/**
 * The complaints of the compiler of Pulumi's template about a project, one a line; none if it has none. Its own declarations of the language
 * and of browsers are left unchecked: a second each time.
 */
export async function complaints(folder: string, ...options: string[]): Promise<string[]> {
  const always = ["--noEmit", "--pretty", "false", "--skipDefaultLibCheck"];
  const compiler = join(compilerFolder("typescript-5"), "bin", "tsc");
  const { output } = await runIn(folder, process.execPath, [compiler, ...always, ...options]);
  return output.split("\n").filter((line) => line.includes("error TS"));
}

/** A Node on this machine that is too old for the package. */
export async function findOldNode(): Promise<string | undefined> {
  const folders = (process.env.PATH ?? "")
    .split(delimiter)
    .filter((folder) => !folder.includes("node_modules"));
  for (const folder of new Set([...folders, "/usr/bin", "/usr/local/bin"])) {
    try {
      const node = join(folder, "node");
      const [major = 0, minor = 0] = (await run(node, ["-p", "process.versions.node"])).stdout
        .split(".")
        .map(Number);
      if (major < 22 || (major === 22 && minor < 19)) return node;
    } catch {
      // No Node in that folder.
    }
  }
  return undefined;
}

/** An environment in which an older Node is `node`, and nothing of this one is found. */
export function environmentOf(node: string): NodeJS.ProcessEnv {
  return { HOME: process.env.HOME, PATH: [dirname(node), "/usr/bin", "/bin"].join(delimiter) };
}
