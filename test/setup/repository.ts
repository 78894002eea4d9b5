/** The files of the repository, without what runs of the examples, and package managers, leave in a clone. */
import { cpSync, existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { packageRoot } from "../../sandbox/pulumi/package-root.ts";

const folderOfRuns = /^(node_modules|\.orgseat|venv|sdks|__pycache__)$/;
const fileOfRuns =
  /^(go\.sum|Pulumi\..+\.yaml|package-lock\.json|orgseat\.env|report\.\w+|\w+\.offboarded\.csv)$/;

/** The paths that fit, from the root of the package. Never below a link, such as an example's to this very folder. */
export function repositoryFiles(...patterns: readonly string[]): string[] {
  return filesBelow(packageRoot, patterns);
}

export function filesBelow(root: string, patterns: readonly string[]): string[] {
  return globSync(patterns, { cwd: root, exclude: (path) => folderOfRuns.test(basename(path)) });
}

/** Copies an example as it was before anyone ran it here: `up` writes an id into the roster. */
export function copyExample(
  name: string,
  folder: string,
  examples: string = join(packageRoot, "examples"),
): void {
  cpSync(join(examples, name), folder, {
    recursive: true,
    filter: (source) => !folderOfRuns.test(basename(source)) && !fileOfRuns.test(basename(source)),
  });
  const roster = join(folder, "people.csv");
  if (existsSync(roster)) writeFileSync(roster, readFileSync(roster, "utf8").replace(/^# roster: .*\n/m, ""));
}
