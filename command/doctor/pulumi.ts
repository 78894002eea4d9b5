/** What `orgseat doctor` asks `pulumi`: its version, the stack's configuration, secrets decrypted, and the backend. It downloads nothing. */
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { z } from "zod";
import type { Redactor } from "../../provider/api/client/redact.ts";
import { backendIn, statePlace } from "../../provider/backend/state-files.ts";
import type { Environment } from "../../provider/config/setting-values.ts";
import { parseJson } from "../../provider/util/json.ts";
import { absolutePaths, runPulumi } from "../../provider/util/pulumi-command.ts";
import { findPulumi } from "../../provider/util/search-path.ts";
import { messageOf } from "../../provider/util/text.ts";
import { OWN_PROJECT, projectFile, readProject, shortStackName } from "../engine/stack-names.ts";

/** Pulumi's error for a stack that does not exist. */
const NO_STACK = /no stack named/;

const configSchema = z.record(
  z.string(),
  z.object({ value: z.string().default(""), secret: z.boolean().default(false) }),
);

interface Place {
  readonly environment: Environment;
  readonly folder: string;
  readonly stack: string | undefined;
  /** Whether it is the stack of a roster: `orgseat up` creates it, and its folder is data. */
  readonly isOfRoster: boolean;
}

/** Runs a command. A failure has its reason in one line, without the command's standard output. */
type Run = (...args: string[]) => Promise<{ readonly stdout: string; readonly error?: string }>;

/** @param timeoutMs of all commands together @returns without answers if no CLI can run */
export async function askPulumi(place: Place, redactor: Redactor, timeoutMs: number) {
  const { environment, folder, isOfRoster } = place;
  const cli = findPulumi(environment, isOfRoster ? [] : [folder]);
  const isUsable = cli !== undefined && !("problem" in cli) && cli.downloader === undefined;
  const signal = AbortSignal.timeout(Math.ceil(timeoutMs));
  const run = isUsable ? runWith(cli.file, place, redactor, signal) : undefined;
  return { cli, ...(run && (await askCommands(run, place))) };
}

async function askCommands(run: Run, { environment, folder, stack, isOfRoster }: Place) {
  const ofStack = stack === undefined ? [] : [`--stack=${stack}`];
  const version = run("version");
  const config = hasProject(folder, isOfRoster)
    ? await run("config", "--json", "--show-secrets", ...ofStack)
    : undefined;
  const isRead = config !== undefined && config.error === undefined;
  const isNew = isOfRoster && (config === undefined || NO_STACK.test(config.error ?? ""));
  const backend = { ...environment, ...absolutePaths(environment) }.PULUMI_BACKEND_URL;
  const [whoami, secrets, state] = await Promise.all([
    isNew || (isOfRoster && !backend) ? run("whoami", "--json") : undefined,
    isRead ? encrypt(run, ofStack) : undefined,
    isRead ? run("stack", "export", ...ofStack) : undefined,
  ]);
  const values = configSchema.safeParse(parseJson(config?.stdout ?? "")).data;
  return {
    version: await version,
    whoami,
    config,
    /** Whether `orgseat up` creates the stack. */
    isNew,
    /** The values of the configuration by full key, such as `orgseat:orgUrl`; undefined if they cannot be read. */
    values: values && new Map(Object.entries(values).filter(([key]) => key.startsWith("orgseat:"))),
    secrets,
    stateError: state?.error,
    /** Where the state of a roster is. */
    place: isOfRoster ? placeOf(folder, stack, backend || backendIn(whoami?.stdout)) : undefined,
  };
}

function placeOf(folder: string, stack = "", backend = "") {
  const { name: project = OWN_PROJECT } = readProject(folder);
  return statePlace({ backend, project, stack: shortStackName(stack) });
}

/** Encrypts a text for a separate settings file: that needs the passphrase, or the key service, of the stack. */
async function encrypt(run: Run, ofStack: readonly string[]) {
  const folder = await mkdtemp(join(tmpdir(), "orgseat-doctor-"));
  try {
    const file = join(folder, "Pulumi.doctor.yaml");
    const flags = ["--secret", `--config-file=${file}`, ...ofStack];
    const { error } = await run("config", "set", ...flags, "orgseat:check", "check");
    // Pulumi writes the salt of the passphrase there.
    const settings = await readFile(file, "utf8").catch(() => "");
    return { error, takePassphrase: /^encryptionsalt:/m.test(settings) || /passphrase/.test(error ?? "") };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function runWith(
  command: string,
  { environment, folder }: Place,
  redactor: Redactor,
  signal: AbortSignal,
): Run {
  const env = {
    ...environment,
    ...absolutePaths(environment),
    PULUMI_SKIP_UPDATE_CHECK: "true",
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
    // As in `orgseat`: the settings of its stacks need not be in the checkout.
    PULUMI_FALLBACK_TO_STATE_SECRETS_MANAGER: "true",
  };
  const options = { command, folder: existingFolder(folder), environment: env, signal };
  return async (...args) => {
    try {
      return { stdout: await runPulumi(args, options) };
    } catch (error) {
      return { stdout: "", error: `\`pulumi ${args[0]}\` failed: ${redactor.show(messageOf(error))}` };
    }
  };
}

/** Whether a project is in the folder or above it; of a roster, in the folder. */
function hasProject(folder: string, isExact: boolean): boolean {
  if (projectFile(folder) !== undefined) return true;
  return !isExact && dirname(folder) !== folder && hasProject(dirname(folder), isExact);
}

/** The folder, or where `orgseat up` will create it. */
function existingFolder(folder: string): string {
  return existsSync(folder) ? folder : existingFolder(dirname(folder));
}
