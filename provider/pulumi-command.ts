/** The `pulumi` that ORGSEAT_PULUMI names, and the reason in what a failed `pulumi` printed. */
import { accessSync, constants, statSync } from "node:fs";
import { basename, resolve } from "node:path";

/** The name under which Pulumi's own libraries look for the command in the folders of the PATH. */
export const PULUMI = process.platform === "win32" ? "pulumi.exe" : "pulumi";

/** What to do about a named command that cannot be run. */
export const CORRECT_PULUMI = "correct ORGSEAT_PULUMI, or unset it to use the pulumi of the PATH";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The file that ORGSEAT_PULUMI names, as an absolute path, or why it cannot be the command: the one of the PATH never
 * stands in for it. Undefined where the variable is not set.
 */
export function namedPulumi(
  environment: Environment,
): { readonly file: string } | { readonly problem: string } | undefined {
  const named = environment.ORGSEAT_PULUMI;
  if (named === undefined || named === "") return undefined;
  const file = resolve(named);
  const problem = problemOf(file);
  if (problem === undefined) return { file };
  return { problem: `cannot use the Pulumi CLI that ORGSEAT_PULUMI names: ${file} ${problem}` };
}

function problemOf(file: string): string | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) return "does not exist";
  if (!found.isFile()) return "is not a file";
  try {
    accessSync(file, constants.X_OK);
  } catch {
    return "is not executable";
  }
  return basename(file) === PULUMI ? undefined : `must be called ${PULUMI}`;
}

/** The first error that a command printed, in one line and without `error:`; undefined where it printed none. */
export function errorOf(output: string): string | undefined {
  const lines = linesOf(output);
  const at = lines.findIndex((line) => line.startsWith("error:"));
  const [first = "", ...rest] = lines.slice(Math.max(at, 0)).map((line) => line.replace(/^error:\s*/, ""));
  if (at === -1) return undefined;
  // Several errors stand in the lines below a line that only counts them.
  return first === "" || first.endsWith(":") ? [first, ...rest].join(" ").trim() : first;
}

/** Why a command failed, by its standard error, in one line: its error, else what it printed besides warnings. */
export function reasonOf(stderr: string): string {
  const plain = linesOf(stderr).find((line) => !line.startsWith("warning:"));
  return errorOf(stderr) ?? plain ?? "pulumi gave no reason";
}

function linesOf(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}
