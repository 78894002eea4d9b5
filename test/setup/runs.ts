/**
 * The three runs: `npm test` is quick, `npm run test:ci` runs every test, `npm run test:full` every test with all cases.
 * A test that carries the tag `ci`, or stands in a file with `@module-tag ci`, is not part of the quick run.
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

/** Whether the quick run leaves out the whole test file. */
export function isCiOnly(file: string): boolean {
  return readFileSync(file, "utf8").startsWith("// @module-tag ci\n");
}
