/** Reads the stack's configuration with `pulumi config`, secrets decrypted. It downloads nothing. */
import { execFile } from "node:child_process";
import { accessSync, constants, existsSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { z } from "zod";
import type { Redactor } from "../api/redact.ts";
import { CORRECT_PULUMI, namedPulumi, PULUMI, reasonOf } from "../pulumi-command.ts";
import { searchPath } from "../search-path.ts";
import { parseJson } from "../util/json.ts";
import { counted } from "../util/plural.ts";
import { type Check, failed, ok, unchecked } from "./report.ts";

const NAME = "stack configuration";
const PROJECT_FILES = ["Pulumi.yaml", "Pulumi.yml", "Pulumi.json"];

/** Pulumi's error for a stack that does not exist. */
const NO_STACK = /no stack named/;

const configSchema = z.record(z.string(), z.object({ value: z.string().optional() }));

type Environment = Readonly<Record<string, string | undefined>>;

interface CheckedStackConfig {
  /** Values by full key, such as `orgseat:orgUrl`. */
  readonly values: ReadonlyMap<string, string>;
  /** Their source, or the reason why there are none. */
  readonly check: Check;
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
}

/** Runs `pulumi config`. Without a project or a Pulumi CLI there are no values, and the check reports it. */
export async function readStackConfig(options: StackConfigOptions): Promise<CheckedStackConfig> {
  const { folder, stack, environment, isOfRoster } = options;
  const named = namedPulumi(environment);
  if (named && "problem" in named) return nothing(failed(NAME, named.problem, CORRECT_PULUMI));
  if (isOfRoster && !hasProject(folder)) return nothing(ok(NAME, notMade(stack)));
  if (!isInProject(folder)) {
    const text = "no Pulumi project in this folder or above it";
    return nothing(
      stack === undefined
        ? ok(NAME, `${text}; using environment variables only`)
        : failed(NAME, text, `run the command in the folder of the program that has the stack ${stack}`),
    );
  }
  const command = named?.file ?? findPulumi(environment);
  if (command === undefined) {
    return nothing(unchecked(NAME, "no pulumi on the PATH; using environment variables only"));
  }
  const { stdout, error } = await ask(command, options);
  if (error === undefined) return readAnswer(stdout, stack);
  if (isOfRoster && NO_STACK.test(error)) return nothing(ok(NAME, notMade(stack)));
  if (stack === undefined) {
    const next = "name a stack: orgseat doctor --stack <name>";
    return nothing(unchecked(NAME, `${error}; using environment variables only`, next));
  }
  return nothing(
    failed(NAME, error, `check the stack name ${stack} and the backend that pulumi is logged in to`),
  );
}

function notMade(stack = "of the roster"): string {
  return `stack ${stack} does not exist yet; \`orgseat up\` creates it. Using environment variables only`;
}

function readAnswer(stdout: string, stack: string | undefined): CheckedStackConfig {
  const parsed = configSchema.safeParse(parseJson(stdout));
  if (!parsed.success) {
    return nothing(failed(NAME, "cannot parse the output of `pulumi config --json`", "update pulumi"));
  }
  const values = new Map<string, string>();
  for (const [key, { value }] of Object.entries(parsed.data)) {
    if (key.startsWith("orgseat:") && value !== undefined) values.set(key, value);
  }
  const count = counted(values.size, "orgseat value");
  return { values, check: ok(NAME, `${count} in ${stack === undefined ? "the selected stack" : stack}`) };
}

function nothing(check: Check): CheckedStackConfig {
  return { values: new Map(), check };
}

function hasProject(folder: string): boolean {
  return PROJECT_FILES.some((name) => existsSync(join(folder, name)));
}

function isInProject(folder: string): boolean {
  if (hasProject(folder)) return true;
  return dirname(folder) !== folder && isInProject(dirname(folder));
}

function findPulumi(environment: Environment): string | undefined {
  return (
    searchPath(environment)
      // npm's package `pulumi` is no CLI: it downloads one on first use.
      .filter((folder) => !folder.includes(`node_modules${sep}.bin`))
      .map((folder) => join(folder, PULUMI))
      .find(isExecutable)
  );
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** @returns as `error` the reason of a failure, in one line, without the command's standard output */
function ask(
  command: string,
  { folder, stack, environment, redactor, timeoutMs }: StackConfigOptions,
): Promise<{ stdout: string; error: string | undefined }> {
  const args = ["config", "--json", "--show-secrets", "--non-interactive"];
  if (stack !== undefined) args.push(`--stack=${stack}`);
  const env = {
    ...environment,
    PULUMI_SKIP_UPDATE_CHECK: "true",
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
    // As in `orgseat`: the settings of its stacks need not be in the checkout.
    PULUMI_FALLBACK_TO_STATE_SECRETS_MANAGER: "true",
  };
  return new Promise((resolve) => {
    const child = execFile(command, args, { cwd: folder, env }, (failure, stdout, stderr) => {
      clearTimeout(timer);
      const error = failure ? `\`pulumi config\` failed: ${redactor.show(reasonOf(stderr))}` : undefined;
      resolve({ stdout, error });
    });
    const timer = setTimeout(() => {
      const seconds = Math.round(timeoutMs / 100) / 10;
      resolve({ stdout: "", error: `\`pulumi config\` did not finish within ${seconds} s` });
      child.kill("SIGKILL");
      // Its child processes may continue and hold these open.
      for (const stream of [child.stdout, child.stderr]) stream?.destroy();
    }, timeoutMs);
  });
}
