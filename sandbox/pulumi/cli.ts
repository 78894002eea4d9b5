/** Finds the Pulumi CLI, or makes one from public registries. Nothing else in the sandbox and the tests does. */
import { execFile } from "node:child_process";
import { existsSync, readdirSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { isExecutable } from "../../provider/util/pulumi-command.ts";
import { homeFolder, searchPath, withFolderFirst } from "../../provider/util/search-path.ts";
import { cacheFolder, hosts, madeCli, makeCli } from "./make.ts";

export interface PulumiCli {
  /** The executable. */
  readonly command: string;
  /** The output of `pulumi version`, such as `v3.274.1`. */
  readonly version: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The CLI of ORGSEAT_PULUMI_PATH, otherwise of the PATH, of ~/.pulumi, or one made before; otherwise makes one.
 * @param options.download also tries the vendor's installer, which no lock file checks, before it builds
 * @throws Error in one sentence if there is no way to a CLI
 */
export async function findOrMakeCli(
  environment: Environment,
  options: { readonly download: boolean },
): Promise<PulumiCli> {
  const vendors = join(cacheFolder(environment), "pulumi-of-vendor");
  const downloaded = join(vendors, "bin", "pulumi");
  const made = madeCli(environment);
  const find = () => findCli(environment, options.download ? [downloaded, made] : [made]);
  const found = await find();
  if (found !== undefined) return found;
  if (!(options.download && (await install(vendors)))) await makeCli(environment);
  return (await find()) ?? { command: made, version: "" };
}

/** A CLI that this machine has. @param more executables to try last @throws Error if ORGSEAT_PULUMI_PATH is unusable */
export async function findCli(
  environment: Environment,
  more: readonly string[] = [],
): Promise<PulumiCli | undefined> {
  const asked = environment.ORGSEAT_PULUMI_PATH;
  if (asked) {
    const command = resolve(asked);
    const version = await versionOf(command, environment);
    if (version !== undefined) return { command, version };
    throw new Error(
      `cannot run the Pulumi CLI in ORGSEAT_PULUMI_PATH: ${command}. Correct the variable, or unset it`,
    );
  }
  for (const command of [...installed(environment), ...more].filter(isExecutable)) {
    const version = await versionOf(command, environment);
    if (version !== undefined) return { command, version };
  }
  return undefined;
}

/** The environment of commands: the CLI first on the PATH, and the Node host where the CLI has none beside it. */
export function withCli<Value extends string | undefined>(
  environment: Readonly<Record<string, Value>>,
  { command }: Pick<PulumiCli, "command">,
): Record<string, Value | string> {
  const real = realpathSync(command);
  const isBare = basename(real) === "pulumi" && !existsSync(join(dirname(real), "pulumi-language-nodejs"));
  return withFolderFirst(isBare ? withFolderFirst(environment, hosts) : environment, dirname(command));
}

function installed(environment: Environment): string[] {
  const own = join(homeFolder(environment), ".pulumi");
  const versions = join(own, "versions");
  const names = existsSync(versions) ? readdirSync(versions) : [];
  return [
    ...searchPath(environment).map((folder) => join(folder, "pulumi")),
    join(own, "bin", "pulumi"),
    ...names
      .sort((a, b) => b.localeCompare(a, "en", { numeric: true }))
      .map((name) => join(versions, name, "bin", "pulumi")),
  ];
}

/** @returns whether the vendor's site could be reached */
async function install(root: string): Promise<boolean> {
  console.error(`No Pulumi CLI found. Running the installer of Pulumi's vendor, which writes into ${root}.`);
  const { PulumiCommand } = await import("@pulumi/pulumi/automation/index.js");
  try {
    await PulumiCommand.install({ root });
    return true;
  } catch {
    console.error("The vendor's site is out of reach.");
    return false;
  }
}

/** Undefined if the command does not work. */
async function versionOf(command: string, environment: Environment): Promise<string | undefined> {
  try {
    const env = { ...environment, PULUMI_SKIP_UPDATE_CHECK: "true" };
    const { stdout } = await promisify(execFile)(command, ["version"], { env });
    return stdout.trim() || "of unknown version";
  } catch {
    return undefined;
  }
}
