/** What `orgseat doctor` asks `pulumi`: its version, the stack's configuration, secrets decrypted, and the backend. It downloads nothing. */
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { z } from "zod";
import type { Redactor } from "../../provider/api/client/redact.ts";
import type { StatePlace } from "../../provider/backend/state-faults.ts";
import { backendIn, statePlace } from "../../provider/backend/state-files.ts";
import type { Environment } from "../../provider/config/setting-values.ts";
import { parseJson } from "../../provider/util/json.ts";
import { absolutePaths, runPulumi } from "../../provider/util/pulumi-command.ts";
import { findPulumi } from "../../provider/util/search-path.ts";
import { messageOf } from "../../provider/util/text.ts";

const PROJECT_FILES = ["Pulumi.yaml", "Pulumi.yml", "Pulumi.json"];

/** Pulumi's error for a stack that does not exist. */
const NO_STACK = /no stack named/;

export const configSchema = z.record(
  z.string(),
  z.object({ value: z.string().default(""), secret: z.boolean().default(false) }),
);

export interface Answer {
  readonly stdout: string;
  /** The reason of a failure, in one line, without the command's standard output. */
  readonly error: string | undefined;
}

/** The CLI, and the answers of its commands; undefined where none ran. */
export interface PulumiAnswers {
  readonly cli: ReturnType<typeof findPulumi>;
  readonly version?: Answer;
  readonly config?: Answer;
  /** The values of the configuration by full key, such as `orgseat:orgUrl`. */
  readonly values: ReadonlyMap<string, { readonly value: string; readonly secret: boolean }>;
  /** For a stack that `orgseat up` creates: the backend. */
  readonly whoami?: Answer;
  /** The encryption of a text, for which the stack's secrets must be usable. */
  readonly encryption?: Answer;
  /** An export of the stack's state. */
  readonly state?: Answer;
  /** Where the state is. */
  readonly place?: StatePlace | undefined;
  /** Whether that takes a passphrase. */
  readonly takesPassphrase?: boolean;
}

interface PulumiOptions {
  readonly folder: string;
  readonly stack: string | undefined;
  /** The name of the project; undefined if there is none. */
  readonly project: string | undefined;
  readonly createsStack: boolean;
  readonly runsCode: boolean;
  readonly environment: Environment;
  readonly redactor: Redactor;
  /** The timeout of all commands, in milliseconds. */
  readonly timeoutMs: number;
}

type Run = (...args: string[]) => Promise<Answer>;

export async function askPulumi(options: PulumiOptions): Promise<PulumiAnswers> {
  const cli = findPulumi(options.environment, options.runsCode ? [options.folder] : []);
  if (cli === undefined || "problem" in cli || cli.downloader !== undefined)
    return { cli, values: new Map() };
  const signal = AbortSignal.timeout(Math.ceil(options.timeoutMs));
  const run = (...args: string[]) => ask(cli.file, args, signal, options);
  const [version, stack] = await Promise.all([run("version"), askStack(run, options)]);
  const place = await placeOf(run, options);
  const values = Object.entries(configSchema.safeParse(parseJson(stack.config?.stdout ?? "")).data ?? {});
  return {
    cli,
    version,
    ...stack,
    place,
    values: new Map(values.filter(([key]) => key.startsWith("orgseat:"))),
  };
}

async function askStack(
  run: Run,
  { folder, stack, createsStack }: PulumiOptions,
): Promise<Pick<PulumiAnswers, "config" | "whoami" | "encryption" | "takesPassphrase" | "state">> {
  const ofStack = stack === undefined ? [] : [`--stack=${stack}`];
  const config = hasProject(folder, createsStack)
    ? await run("config", "--json", "--show-secrets", ...ofStack)
    : undefined;
  if (createsStack && (config === undefined || NO_STACK.test(config.error ?? "")))
    return { whoami: await run("whoami", "--json") };
  if (config === undefined) return {};
  if (config.error !== undefined) return { config };
  const [encrypted, state] = await Promise.all([
    encrypt(run, ofStack),
    // Without the secrets, and without its text.
    run("stack", "export", ...ofStack).then(({ error }) => ({ stdout: "", error })),
  ]);
  return { config, ...encrypted, state };
}

/** The files of the state, in a backend that is a folder. */
async function placeOf(
  run: Run,
  { stack, project, environment }: PulumiOptions,
): Promise<StatePlace | undefined> {
  if (stack === undefined || project === undefined) return undefined;
  const backend =
    absolutePaths(environment).PULUMI_BACKEND_URL ||
    environment.PULUMI_BACKEND_URL ||
    backendIn((await run("whoami", "--json")).stdout);
  return statePlace({ backend, project, stack: stack.slice(stack.lastIndexOf("/") + 1) });
}

/** Encrypts a text for a separate settings file: that needs the passphrase, or the key service, of the stack. */
async function encrypt(
  run: Run,
  ofStack: readonly string[],
): Promise<Required<Pick<PulumiAnswers, "encryption" | "takesPassphrase">>> {
  const folder = await mkdtemp(join(tmpdir(), "orgseat-doctor-"));
  try {
    const file = join(folder, "Pulumi.doctor.yaml");
    const flags = ["--secret", `--config-file=${file}`, ...ofStack];
    const encryption = await run("config", "set", ...flags, "orgseat:check", "check");
    // Pulumi writes the salt of the passphrase there.
    const settings = await readFile(file, "utf8").catch(() => "");
    const takesPassphrase = /^encryptionsalt:/m.test(settings) || /passphrase/.test(encryption.error ?? "");
    return { encryption, takesPassphrase };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function ask(
  command: string,
  args: readonly string[],
  signal: AbortSignal,
  { folder, environment, redactor }: PulumiOptions,
): Promise<Answer> {
  const env = {
    ...environment,
    ...absolutePaths(environment),
    PULUMI_SKIP_UPDATE_CHECK: "true",
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
    // As in `orgseat`: the settings of its stacks need not be in the checkout.
    PULUMI_FALLBACK_TO_STATE_SECRETS_MANAGER: "true",
  };
  try {
    const options = { command, folder: existingFolder(folder), environment: env, signal };
    return { stdout: await runPulumi(args, options), error: undefined };
  } catch (error) {
    return { stdout: "", error: `\`pulumi ${args[0]}\` failed: ${redactor.show(messageOf(error))}` };
  }
}

/** Whether a project is in the folder or above it; of a stack that is created, in the folder. */
function hasProject(folder: string, isExact: boolean): boolean {
  if (PROJECT_FILES.some((name) => existsSync(join(folder, name)))) return true;
  return !isExact && dirname(folder) !== folder && hasProject(dirname(folder), isExact);
}

/** The folder, or where `orgseat up` will create it. */
function existingFolder(folder: string): string {
  return existsSync(folder) ? folder : existingFolder(dirname(folder));
}
