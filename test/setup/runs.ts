/**
 * The three runs: `npm test` is quick, `npm run test:ci` runs every test, `npm run test:full` every test with all cases.
 * A test that carries the tag `ci`, or stands in a file with `@module-tag ci`, is not part of the quick run. A file with
 * `@module-tag full` is part of the full run alone: CI has a smaller test of the same.
 */
import { readFileSync } from "node:fs";

const runs = ["quick", "ci", "full"] as const;
export type Run = (typeof runs)[number];

/** What `ORGSEAT_TEST_RUN` names; without it, as when one file is run by hand, the run of CI. */
export const run: Run = parseRun(process.env.ORGSEAT_TEST_RUN ?? "ci");

function parseRun(name: string): Run {
  const found = runs.find((known) => known === name);
  if (found === undefined) throw new Error(`ORGSEAT_TEST_RUN is none of ${runs.join(", ")}: ${name}`);
  return found;
}

/** The runs that leave out a test file with this tag in its first line. */
const runsWithout: Readonly<Record<string, readonly Run[]>> = { ci: ["quick"], full: ["quick", "ci"] };

/** Whether this run leaves out the whole test file. */
export function isLeftOut(file: string): boolean {
  const [, tag = ""] = /^\/\/ @module-tag (\w+)\n/.exec(readFileSync(file, "utf8")) ?? [];
  return runsWithout[tag]?.includes(run) ?? false;
}
