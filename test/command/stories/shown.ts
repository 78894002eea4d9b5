/** What a story shows of an output, and of files. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** What each output begins with, or says of every service of this kind. */
const USUAL = /^(Organization <organization>, stack people|Drift: not checked|No emails will be sent)|^$/;
/** The checks of a diagnosis, which reports.txt of `orgseat doctor` has, but of the seats. */
const CHECKS =
  /^(?:ok {17}|failed {13}|missing {12}|cannot be checked {2}| {19}next: )(?!service account's rights)/;
/** The advice of a sentence that many stories have. */
const OFTEN = /(?<=: [^:]*\. )Delete their rows; if a person comes back, .*/;

/** @param lines of an output */
export function withoutUsual(lines: readonly string[]): string[] {
  return withoutContext(lines).flatMap((line) =>
    USUAL.test(line) || CHECKS.test(line) ? [] : line.replace(OFTEN, "…"),
  );
}

/** Those of a file, as a shell reads it. */
export function variablesOf(file: string): string[] {
  const said = execFileSync("sh", ["-c", `set -a; . ./${file}; env`], { encoding: "utf8", env: {} });
  const own = said.split("\n").filter((line) => /^(ORGSEAT|PULUMI)_/.test(line));
  return own.map((line) => line.replace(/(?<==)[\w-]{32}$/, "<32 characters>")).toSorted();
}

export function linesOf(file: string): string[] {
  return readFileSync(file, "utf8").trimEnd().split("\n");
}

/** Of a change of the roster, the changed lines alone. */
function withoutContext(lines: readonly string[]): string[] {
  let isDiff = false;
  return lines.filter((line) => {
    if (line.startsWith("@@ ")) isDiff = true;
    else if (isDiff && !/^[ +-]/.test(line)) isDiff = false;
    return !/^(--- |\+\+\+ people\.csv$|@@ )/.test(line) && !(isDiff && line.startsWith(" "));
  });
}
