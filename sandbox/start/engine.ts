/** Chooses the engine: an installed Pulumi CLI, otherwise the emulator. It downloads nothing. */
import { execFile } from "node:child_process";
import { accessSync, constants, readdirSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { searchPath } from "../../provider/util/search-path.ts";
import { packageRoot } from "./package-root.ts";

export interface EngineCommand {
  readonly kind: "real" | "emulator";
  /** The executable. */
  readonly command: string;
  /** The output of `pulumi version`, such as `v3.260.0`. */
  readonly version: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

export const emulatorCommand = join(packageRoot, "sandbox", "engine", "bin", "pulumi");

/** The engine to use: `ORGSEAT_PULUMI_PATH`, otherwise a CLI on PATH, otherwise the newest in ~/.pulumi, otherwise the emulator. */
export async function chooseEngine(
  environment: Environment,
  platform: NodeJS.Platform = process.platform,
): Promise<EngineCommand> {
  const asked = environment.ORGSEAT_PULUMI_PATH;
  const command = asked ? resolve(asked) : (findRealCli(environment, platform) ?? emulatorCommand);
  if (platform === "win32" && command === emulatorCommand) {
    throw new Error(
      "cannot find a Pulumi CLI, and the emulator does not run on Windows. Install the Pulumi CLI, or use WSL",
    );
  }
  const version = await versionOf(command, environment, asked);
  return { kind: command === emulatorCommand ? "emulator" : "real", command, version };
}

/** One sentence about the engine, the first line that `npm start` prints. */
export function describeEngine(engine: EngineCommand): string {
  return engine.kind === "real"
    ? `Engine: the Pulumi CLI ${engine.version} (${engine.command}).`
    : `Engine: the emulator of the sandbox (${engine.version}), because no Pulumi CLI is installed. It is for trying and testing only.`;
}

/** A Pulumi CLI on this machine, other than the emulator. */
export function findRealCli(
  environment: Environment,
  platform: NodeJS.Platform = process.platform,
): string | undefined {
  const name = platform === "win32" ? "pulumi.exe" : "pulumi";
  const onPath = searchPath(environment, platform)
    // npm's package `pulumi` downloads a CLI on first use.
    .filter((folder) => !/node_modules[\\/]\.bin/.test(folder))
    .map((folder) => join(folder, name));
  return [...onPath, ...installedVersions(environment, name)].find(
    (candidate) => candidate !== emulatorCommand && isExecutable(candidate),
  );
}

function installedVersions(environment: Environment, command: string): string[] {
  const versions = join(environment.HOME ?? homedir(), ".pulumi", "versions");
  let names: string[];
  try {
    names = readdirSync(versions);
  } catch {
    return [];
  }
  return names
    .sort((a, b) => b.localeCompare(a, "en", { numeric: true }))
    .map((name) => join(versions, name, "bin", command));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

async function versionOf(
  command: string,
  environment: Environment,
  asked: string | undefined,
): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(command, ["version"], {
      env: { ...environment, PULUMI_SKIP_UPDATE_CHECK: "true" },
    });
    return stdout.trim();
  } catch (error) {
    const source = asked ? "that ORGSEAT_PULUMI_PATH names: " : "found as ";
    throw new Error(`cannot run the Pulumi CLI ${source}${command}: ${reasonOf(error)}`, { cause: error });
  }
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ENOENT") return "it does not exist";
  if (code === "EACCES") return "it is not executable";
  return "`pulumi version` fails there";
}
