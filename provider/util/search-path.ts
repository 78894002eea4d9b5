/** The variable PATH, whose name has any letter case on Windows, and the Pulumi CLI that it or npm has. */
import { type SpawnOptions, spawn } from "node:child_process";
import { readFileSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, posix, resolve, win32 } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { CodedError } from "./error-codes.ts";
import { isExecutable, namedPulumi, PULUMI } from "./pulumi-command.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** The folders of the PATH, in order, without empty ones. */
export function searchPath(
  environment: Environment,
  platform: NodeJS.Platform = process.platform,
): readonly string[] {
  const [name] = namesIn(environment, platform);
  const folders = name === undefined ? "" : (environment[name] ?? "");
  return folders.split(delimiterOf(platform)).filter((folder) => folder !== "");
}

/** The variables with the folder first in PATH, as the only variable of that name. */
export function withFolderFirst<Value extends string | undefined>(
  environment: Readonly<Record<string, Value>>,
  folder: string,
  platform: NodeJS.Platform = process.platform,
): Record<string, Value | string> {
  const names = namesIn(environment, platform);
  const others = Object.entries(environment).filter(([name]) => !names.includes(name));
  const path = [folder, ...searchPath(environment, platform)].join(delimiterOf(platform));
  return Object.fromEntries<Value | string>([...others, ["PATH", path]]);
}

/** All variables of that name. Like Node, the first in sorted order wins. */
function namesIn(environment: Environment, platform: NodeJS.Platform): readonly string[] {
  const names = Object.keys(environment);
  if (platform !== "win32") return names.filter((name) => name === "PATH");
  return names.filter((name) => name.toUpperCase() === "PATH").sort();
}

function delimiterOf(platform: NodeJS.Platform): string {
  return platform === "win32" ? win32.delimiter : posix.delimiter;
}

/** The oldest Pulumi CLI with which orgseat is tested. */
export const OLDEST_TESTED = "3.260.0";

/** A Pulumi CLI. */
export interface FoundPulumi {
  /** Its absolute path. npm's package has downloaded it, or will. */
  readonly file: string;
  /** The program of npm's package `pulumi` that downloads the CLI when it runs; undefined if there is nothing to download. */
  readonly downloader?: string;
  /** Whether it is the first `pulumi` of the PATH. */
  readonly isFirst?: boolean;
}

/**
 * The Pulumi CLI of ORGSEAT_PULUMI_PATH; otherwise the one that npm installed in one of the folders, above it, or beside
 * this package; otherwise that of the PATH. Undefined if there is none.
 * @param folders whose programs may run
 * @returns a problem if ORGSEAT_PULUMI_PATH is unusable: orgseat then uses no other CLI
 */
export function findPulumi(
  environment: Environment,
  folders: readonly string[] = [],
): FoundPulumi | { readonly problem: string } | undefined {
  const named = namedPulumi(environment);
  if (named !== undefined) return "problem" in named ? named : downloaded(named.file, environment);
  const installed = [...folders, OWN_FOLDER].flatMap(ancestors).map((folder) => join(folder, NPM_PROGRAMS));
  const ofNpm = installed.map((folder) => join(folder, PULUMI)).find(isExecutable);
  if (ofNpm !== undefined) return downloaded(ofNpm, environment);
  const first = searchPath(environment)
    .map((folder) => join(folder, PULUMI))
    .find(isExecutable);
  if (first === undefined) return undefined;
  const found = downloaded(first, environment);
  return found.file === first ? { ...found, isFirst: true } : found;
}

const NPM_PROGRAMS = join("node_modules", ".bin");
const OWN_FOLDER = dirname(fileURLToPath(import.meta.url));
const packageSchema = z.object({ name: z.literal("pulumi"), version: z.string() });

export const SET_HOME = "set HOME to a folder that you can write";

/** @throws CodedError if HOME is unset, and the system has no entry for the user, as in a container */
export function homeFolder(environment: Environment = process.env): string {
  try {
    return environment.HOME || homedir();
  } catch {
    throw new CodedError(
      "invalid-configuration",
      `cannot find your home folder: HOME is not set, and the system has no entry for this user. To go on, ${SET_HOME}`,
    );
  }
}

/** npm's package `pulumi` is a program that downloads a CLI once, and then runs it: without it, signals reach the CLI. */
function downloaded(file: string, environment: Environment): FoundPulumi {
  const folders = [dirname(realpathSync(file)), join(dirname(file), "..", "pulumi")];
  const version = folders.flatMap((folder) => versionOfPackage(join(folder, "package.json")) ?? [])[0];
  if (version === undefined) return { file };
  const home = environment.PULUMI_HOME || join(homeFolder(environment), ".pulumi");
  const cli = resolve(home, "versions", environment.PULUMI_VERSION || version, "bin", PULUMI);
  return isExecutable(cli) ? { file: cli } : { file: cli, downloader: file };
}

function versionOfPackage(manifest: string): string | undefined {
  try {
    return packageSchema.parse(JSON.parse(readFileSync(manifest, "utf8"))).version;
  } catch {
    return undefined;
  }
}

/**
 * Has npm's package download its CLI; says so on standard error, as that package does.
 * @param signal ends the download at once @throws Error if it cannot
 */
export async function downloadPulumi(
  { file, downloader }: FoundPulumi,
  env: Environment,
  signal?: AbortSignal,
): Promise<void> {
  if (downloader === undefined || isExecutable(file)) return;
  const options = { env: { ...env }, stdio: ["ignore", "ignore", "inherit"], signal } satisfies SpawnOptions;
  const child = spawn(downloader, ["version"], options);
  await new Promise<void>((done) => child.once("error", () => done()).once("close", () => done()));
  if (signal?.aborted) throw new CodedError("cancelled", "cancelled while the Pulumi CLI was downloaded");
  if (isExecutable(file)) return;
  throw new CodedError(
    "missing-pulumi",
    `npm's package pulumi cannot download the Pulumi CLI to ${file}. Check the connection to get.pulumi.com and the proxy, or install the CLI, and set ORGSEAT_PULUMI_PATH to its path`,
  );
}

/** The folder and those above it. */
function ancestors(folder: string): string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...ancestors(above)];
}
