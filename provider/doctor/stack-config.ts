/** Checks the Pulumi CLI and the passphrase of the stack, and reads its configuration, secrets decrypted. It downloads nothing. */
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { z } from "zod";
import type { Redactor } from "../api/client/redact.ts";
import { secretKeys } from "../config/setting-values.ts";
import { parseJson } from "../util/json.ts";
import {
  absolutePaths,
  backendStep,
  CORRECT_PULUMI,
  INSTALL_PULUMI,
  LOG_IN,
  NOT_IN_TIME,
  runPulumi,
} from "../util/pulumi-command.ts";
import { findPulumi } from "../util/search-path.ts";
import { counted, messageOf } from "../util/text.ts";
import { awaitsDownload, checkCli } from "./pulumi-cli.ts";
import { type Check, failed, ok, unchecked } from "./report.ts";

const NAME = "stack configuration";
const SECRETS = "stack secrets";
const PROJECT_FILES = ["Pulumi.yaml", "Pulumi.yml", "Pulumi.json"];

/** Pulumi's error for a stack that does not exist. */
const NO_STACK = /no stack named/;
const NOT_SELECTED = new RegExp(`no stack selected|${NOT_IN_TIME}`);
const PASSPHRASE = "PULUMI_CONFIG_PASSPHRASE";
const SET_PASSPHRASE = `set ${PASSPHRASE}, or ${PASSPHRASE}_FILE to a file, with the passphrase of the stack`;

const configSchema = z.record(
  z.string(),
  z.object({ value: z.string().optional(), secret: z.boolean().default(false) }),
);

const backendSchema = z.object({ url: z.string() });

type Environment = Readonly<Record<string, string | undefined>>;

interface CheckedStackConfig {
  /** Values by full key, such as `orgseat:orgUrl`. */
  readonly values: ReadonlyMap<string, string>;
  /** Their source, or the reason why there are none; then whether the stack's secrets can be used. */
  readonly checks: readonly Check[];
}

interface StackConfigOptions {
  /** The folder in which, or above which, to find the project. */
  readonly folder: string;
  /** Undefined: the selected stack. */
  readonly stack: string | undefined;
  readonly environment: Environment;
  readonly redactor: Redactor;
  /** The timeout of `pulumi`, in milliseconds. */
  readonly timeoutMs: number;
  /** Whether it is the stack of a roster, which `orgseat up` can create. */
  readonly isOfRoster: boolean;
  /** Whether commands run code of the folder: the folder of a roster can be data. */
  readonly runsCode: boolean;
}

/** Runs `pulumi config`. Without a project or a Pulumi CLI there are no values, and the check reports it. */
export async function readStackConfig(options: StackConfigOptions): Promise<CheckedStackConfig> {
  const { folder, environment, timeoutMs } = options;
  const cli = findPulumi(environment, options.runsCode ? [folder] : []);
  if (cli === undefined)
    return nothing(failed(NAME, "missing-pulumi", "no pulumi on the PATH", INSTALL_PULUMI));
  if ("problem" in cli) return nothing(failed(NAME, "missing-pulumi", cli.problem, CORRECT_PULUMI));
  if (cli.downloader !== undefined) return nothing(awaitsDownload(cli.file));
  const until = performance.now() + timeoutMs;
  const run = (...args: string[]) =>
    ask(cli.file, args, { ...options, timeoutMs: until - performance.now() });
  const [version, config] = await Promise.all([run("version"), readConfig(run, options)]);
  return { ...config, checks: [checkCli(cli.file, version), ...config.checks] };
}

async function readConfig(run: Run, options: StackConfigOptions): Promise<CheckedStackConfig> {
  const { folder, stack, isOfRoster } = options;
  if (isOfRoster && !hasProject(folder)) return checkNewStack(run, options);
  if (!isInProject(folder)) {
    const text = "no Pulumi project in this folder or above it";
    return nothing(
      stack === undefined
        ? ok(NAME, `${text}; using environment variables only`)
        : failed(
            NAME,
            "invalid-program",
            text,
            `run the command in the folder of the program that has the stack ${stack}`,
          ),
    );
  }
  const ofStack = stack === undefined ? [] : [`--stack=${stack}`];
  const { stdout, error } = await run("config", "--json", "--show-secrets", ...ofStack);
  if (error === undefined) {
    const { values, checks } = readAnswer(stdout, stack);
    return { values, checks: [...checks, ...(await checkSecrets(run, ofStack))] };
  }
  if (isOfRoster && NO_STACK.test(error)) return checkNewStack(run, options);
  if (stack === undefined && NOT_SELECTED.test(error)) {
    const next = "pass a stack: `orgseat doctor --stack <name>`";
    return nothing(unchecked(NAME, `${error}; using environment variables only`, next));
  }
  const backend = backendStep(error);
  if (backend !== undefined) return nothing(failed(NAME, "pulumi-failed", error, backend));
  if (/passphrase/.test(error)) return nothing(failed(NAME, "pulumi-failed", error, SET_PASSPHRASE));
  const which = stack === undefined ? "" : `the stack name ${stack} and `;
  return nothing(
    failed(NAME, "pulumi-failed", error, `check ${which}the backend that pulumi is logged in to`),
  );
}

type Run = (...args: string[]) => Promise<Answer>;

/** A stack that `orgseat up` creates: with a backend other than Pulumi Cloud, its secrets need a passphrase. */
async function checkNewStack(
  run: Run,
  { stack = "of the roster", environment }: StackConfigOptions,
): Promise<CheckedStackConfig> {
  const { stdout, error } = await run("whoami", "--json");
  if (error !== undefined) {
    const next = backendStep(error) ?? LOG_IN;
    return nothing(failed(NAME, "pulumi-failed", error, next));
  }
  const text = `stack ${stack} does not exist yet; \`orgseat up\` creates it. Using environment variables only`;
  const { url = "" } = backendSchema.safeParse(parseJson(stdout)).data ?? {};
  const isMissing = [PASSPHRASE, `${PASSPHRASE}_FILE`].every((name) => environment[name] === undefined);
  if (/^https?:/.test(url) || environment.ORGSEAT_SECRETS_PROVIDER || !isMissing)
    return nothing(ok(NAME, text));
  const next = `set ${PASSPHRASE} or ${PASSPHRASE}_FILE, or set ORGSEAT_SECRETS_PROVIDER to a secrets provider`;
  return nothing(
    ok(NAME, text),
    failed(SECRETS, "invalid-configuration", `${PASSPHRASE} is not set; new stacks need it`, next),
  );
}

/** Encrypts a text for a separate settings file: that needs the passphrase, or the key service, of the stack. */
async function checkSecrets(run: Run, ofStack: readonly string[]): Promise<Check[]> {
  const folder = await mkdtemp(join(tmpdir(), "orgseat-doctor-"));
  try {
    const file = join(folder, "Pulumi.doctor.yaml");
    const { error } = await run(
      "config",
      "set",
      "--secret",
      `--config-file=${file}`,
      ...ofStack,
      "orgseat:check",
      "check",
    );
    if (error === undefined) return [ok(SECRETS, "pulumi can encrypt and decrypt the secrets of the stack")];
    const next = /passphrase/.test(error)
      ? SET_PASSPHRASE
      : "check the access to the stack's secrets provider";
    return [failed(SECRETS, "pulumi-failed", error, next)];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function readAnswer(stdout: string, stack: string | undefined): CheckedStackConfig {
  const parsed = configSchema.safeParse(parseJson(stdout));
  if (!parsed.success) {
    return nothing(
      failed(NAME, "missing-pulumi", "cannot parse the output of `pulumi config --json`", "update pulumi"),
    );
  }
  const values = new Map<string, string>();
  for (const [key, { value }] of Object.entries(parsed.data)) {
    if (key.startsWith("orgseat:") && value !== undefined) values.set(key, value);
  }
  const count = counted(values.size, "orgseat value");
  const found = ok(NAME, `${count} in ${stack === undefined ? "the selected stack" : stack}`);
  const plain = secretKeys.map((key) => `orgseat:${key}`).filter((key) => parsed.data[key]?.secret === false);
  return { values, checks: [found, ...plain.map(plainSecret)] };
}

function plainSecret(key: string): Check {
  const next = `replace the secret in the service, then run \`pulumi config set --secret ${key}\``;
  return failed(
    NAME,
    "invalid-configuration",
    `${key} is a secret in plain text: anyone who can read the stack's configuration file can read it`,
    next,
  );
}

function nothing(...checks: Check[]): CheckedStackConfig {
  return { values: new Map(), checks };
}

function hasProject(folder: string): boolean {
  return PROJECT_FILES.some((name) => existsSync(join(folder, name)));
}

function isInProject(folder: string): boolean {
  if (hasProject(folder)) return true;
  return dirname(folder) !== folder && isInProject(dirname(folder));
}

interface Answer {
  readonly stdout: string;
  /** The reason of a failure, in one line, without the command's standard output. */
  readonly error: string | undefined;
}

async function ask(
  command: string,
  args: readonly string[],
  { folder, environment, redactor, timeoutMs }: StackConfigOptions,
): Promise<Answer> {
  const env = {
    ...environment,
    ...absolutePaths(environment),
    PULUMI_SKIP_UPDATE_CHECK: "true",
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
    // As in `orgseat`: the settings of its stacks need not be in the checkout.
    PULUMI_FALLBACK_TO_STATE_SECRETS_MANAGER: "true",
  };
  const signal = AbortSignal.timeout(Math.max(0, Math.ceil(timeoutMs)));
  try {
    const options = { command, folder: existingFolder(folder), environment: env, signal };
    return { stdout: await runPulumi(args, options), error: undefined };
  } catch (error) {
    const reason = messageOf(error);
    return { stdout: "", error: `\`pulumi ${args[0]}\` failed: ${redactor.show(reason)}` };
  }
}

/** The folder, or where `orgseat up` will create it. */
function existingFolder(folder: string): string {
  return existsSync(folder) ? folder : existingFolder(dirname(folder));
}
