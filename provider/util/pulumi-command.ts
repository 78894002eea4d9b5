/** The Pulumi CLI of ORGSEAT_PULUMI_PATH or of the PATH: its commands, and the errors in the output of one that failed. */

import { execFile } from "node:child_process";
import { accessSync, constants, readFileSync, statSync } from "node:fs";
import { basename, isAbsolute, resolve } from "node:path";
import { promisify } from "node:util";
import { CodedError } from "./error-codes.ts";
import { shellWord } from "./text.ts";

/** The file name of the Pulumi CLI; Pulumi's libraries look for it in the PATH. */
export const PULUMI = process.platform === "win32" ? "pulumi.exe" : "pulumi";

/** The next step for an unusable ORGSEAT_PULUMI_PATH. */
export const CORRECT_PULUMI = "correct ORGSEAT_PULUMI_PATH, or unset it to use the pulumi on the PATH";

/** The next step without a CLI. */
export const INSTALL_PULUMI =
  "run `npm install pulumi`, or install the Pulumi CLI (https://www.pulumi.com/docs/install/), or set ORGSEAT_PULUMI_PATH to its path";

/** The error of a command that was killed. */
export const NOT_IN_TIME = "pulumi did not finish in time";

/** A short command ends before rare garbage collections matter: this saves a quarter of its processor time. */
const QUICK = { GOGC: "400" };

type Environment = Readonly<Record<string, string | undefined>>;

interface CommandOptions {
  readonly environment: Environment;
  /** Default: that of ORGSEAT_PULUMI_PATH, or of the PATH. */
  readonly command?: string;
  /** Default: the folder of this process. */
  readonly folder?: string;
  /** The text for its standard input. */
  readonly input?: string;
  /** Kills it. */
  readonly signal?: AbortSignal | undefined;
}

/** On a file backend, another process writes the file at this moment. The command has then read a part of it, and done nothing. */
const BEING_WRITTEN = /(^|: )EOF$/;
const MOST_TRIES = 5;

/** @returns its standard output @throws Error with the reason in one line */
export async function runPulumi(args: readonly string[], options: CommandOptions): Promise<string> {
  for (let tries = 1; ; tries++) {
    try {
      return await runOnce(args, options);
    } catch (error) {
      const isBeingWritten = error instanceof Error && BEING_WRITTEN.test(error.message);
      if (!isBeingWritten || tries === MOST_TRIES) throw error;
    }
  }
}

async function runOnce(
  args: readonly string[],
  { environment: env, command, folder: cwd, input = "", signal }: CommandOptions,
): Promise<string> {
  const named = command === undefined ? namedPulumi(env) : undefined;
  if (named && "problem" in named)
    throw new CodedError("missing-pulumi", `${named.problem}; ${CORRECT_PULUMI}`);
  const file = command ?? named?.file ?? PULUMI;
  const options = {
    cwd,
    env: { ...QUICK, ...env },
    signal,
    killSignal: "SIGKILL",
    maxBuffer: Number.POSITIVE_INFINITY,
  } as const;
  const running = promisify(execFile)(file, [...args, "--non-interactive"], options);
  running.child.stdin?.on("error", () => undefined).end(input);
  try {
    return (await running).stdout;
  } catch (error) {
    throw signal?.aborted ? new CodedError("pulumi-failed", NOT_IN_TIME) : failureOf(error);
  }
}

function failureOf(error: unknown): CodedError {
  if (!(error instanceof Error)) return new CodedError("pulumi-failed", String(error));
  if ("code" in error && error.code === "ENOENT")
    return new CodedError(
      "missing-pulumi",
      `cannot find \`pulumi\` on the PATH. To go on, ${INSTALL_PULUMI}`,
    );
  const output = "stderr" in error && typeof error.stderr === "string" ? error.stderr : error.message;
  const reason = reasonOf(output);
  return new CodedError("pulumi-failed", LOGGED_OUT.test(reason) ? NOT_LOGGED_IN : reason);
}

/** Pulumi's errors without a login: of `whoami`, and of all other commands. */
const LOGGED_OUT = /requires logging in|PULUMI_ACCESS_TOKEN must be set/;
/** The next step without a login. */
export const LOG_IN = "run `pulumi login`, or set PULUMI_BACKEND_URL";
/** The error of a command without a login. */
export const NOT_LOGGED_IN = "pulumi is not logged in to a backend";

export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/** Whether a backend is Pulumi Cloud, or hosts it: it needs a login, and encrypts the secrets of the states. */
export function isPulumiCloud(backend: string): boolean {
  return /^https?:/.test(backend);
}

/** The variable of the passphrase with which Pulumi's own secrets provider encrypts a state. */
export const PASSPHRASE = "PULUMI_CONFIG_PASSPHRASE";
const PASSPHRASE_FILE = `${PASSPHRASE}_FILE`;
/** The variables that say where the state is, and what opens it: one group of settings. */
export const stateGroup = {
  addresses: ["PULUMI_BACKEND_URL"],
  credentials: [[PASSPHRASE], [PASSPHRASE_FILE], ["ORGSEAT_SECRETS_PROVIDER"]],
};

/** An empty passphrase, and the next step. */
export interface EmptyPassphrase {
  readonly text: string;
  readonly next: string;
}

/** The passphrase that Pulumi would take, if it is empty: Pulumi prefers the variable, even an empty one, to the file. */
export function emptyPassphrase(environment: Environment): EmptyPassphrase | undefined {
  const { [PASSPHRASE]: phrase, [PASSPHRASE_FILE]: file } = environment;
  const risk = "so everyone who gets the state could read its tokens";
  if (phrase !== undefined) {
    if (phrase.trim() !== "") return undefined;
    const next = file
      ? `unset ${PASSPHRASE}, which Pulumi prefers to ${PASSPHRASE_FILE}`
      : `set ${PASSPHRASE}, or unset it and set ${PASSPHRASE_FILE} to a file. In CI, check that the secret exists`;
    return { text: `${PASSPHRASE} is set to an empty text, ${risk}`, next };
  }
  if (!file || readable(file)?.trim() !== "") return undefined;
  return {
    text: `the file in ${PASSPHRASE_FILE} is empty, ${risk}`,
    next: `write the passphrase into ${shellWord(file)}`,
  };
}

/** Pulumi reports why it cannot read a file. */
function readable(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

/**
 * The absolute path in ORGSEAT_PULUMI_PATH, or the reason why it is unusable: orgseat then does not use another CLI.
 * Undefined if the variable is not set.
 */
export function namedPulumi(
  environment: Environment,
): { readonly file: string } | { readonly problem: string } | undefined {
  const named = environment.ORGSEAT_PULUMI_PATH;
  if (named === undefined || named === "") return undefined;
  const file = resolve(named);
  const problem = problemOf(file);
  if (problem === undefined) return { file };
  return { problem: `cannot use the Pulumi CLI in ORGSEAT_PULUMI_PATH: ${file} ${problem}` };
}

/** Variables of Pulumi and Node with the path of a file or a folder. */
const PATHS = [PASSPHRASE_FILE, "PULUMI_HOME", "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE"] as const;

/**
 * The variables with relative paths, as absolute ones: the processes of a run have other current folders.
 * @param folder default: the current one
 */
export function absolutePaths(environment: Environment, folder = "."): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of PATHS) {
    const path = environment[name];
    if (path && !isAbsolute(path)) found[name] = resolve(folder, path);
  }
  // Pulumi replaces ~ by the home folder.
  const [, path = "~", query = ""] =
    /^file:\/\/([^?]+)(\?.*)?$/s.exec(environment.PULUMI_BACKEND_URL ?? "") ?? [];
  if (!/^~/.test(path) && !isAbsolute(path))
    found.PULUMI_BACKEND_URL = `file://${resolve(folder, path)}${query}`;
  return found;
}

function problemOf(file: string): string | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) return "does not exist";
  if (!found.isFile()) return "is not a file";
  if (!isExecutable(file)) return "is not executable";
  return basename(file) === PULUMI ? undefined : `must be called ${PULUMI}`;
}

/** The first error in the output of a command, in one line, without `error:`; undefined without one. */
export function errorOf(output: string): string | undefined {
  const lines = linesOf(output);
  const at = lines.findIndex((line) => line.startsWith("error:"));
  const [first = "", ...rest] = lines.slice(Math.max(at, 0)).map((line) => line.replace(/^error:\s*/, ""));
  if (at === -1) return undefined;
  // Several errors are in the lines below a line with their number.
  return first === "" || first.endsWith(":") ? [first, ...rest].join(" ").trim() : first;
}

/** The reason of a failure from standard error, in one line: the error, otherwise the first line that is not a warning. */
export function reasonOf(stderr: string): string {
  const plain = linesOf(stderr).find((line) => !line.startsWith("warning:"));
  return errorOf(stderr) ?? plain ?? "pulumi printed no error message";
}

function linesOf(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}
