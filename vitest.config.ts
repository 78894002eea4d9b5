import { globSync } from "node:fs";
import { configDefaults, defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { findCli } from "./sandbox/pulumi/cli.ts";
import { madeCli } from "./sandbox/pulumi/make.ts";
import { forgetShell } from "./test/setup/own-environment.ts";
import { isLeftOut, run } from "./test/setup/runs.ts";

forgetShell(process.env);

/** Where tests run for longest. */
const slow = [
  ["faults", "secrets", "automation", "input", "package", "tour", "release", "docs"],
  ["lifecycle", "examples", "start", "plugin", "resources", "command"],
].map((folders) => new RegExp(`/test/(${folders.join("|")})/`));

/**
 * Has them begin first, or at the end one worker would be busy with the last of them, and the others idle; but last if
 * the Pulumi CLI, which they need, is still to be built.
 */
class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const hasCli = (await findCli(process.env, [madeCli(process.env)])) !== undefined;
    const rank = ({ moduleId }: TestSpecification): number => {
      const found = slow.findIndex((folders) => folders.test(moduleId));
      const place = found < 0 ? slow.length : found;
      return hasCli ? place : -place;
    };
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}

const MINUTE_MS = 60_000;
/** Limits are for what hangs: no test fails by the machine's speed. A suite of the full run has thousands of cases. */
const testMinutes = { quick: 10, ci: 30, full: 120 };

const testFiles = "test/**/*.test.ts";
const leftOut = globSync(testFiles).filter(isLeftOut);

export default defineConfig({
  test: {
    include: [testFiles],
    exclude: [...configDefaults.exclude, ...leftOut],
    tags: [
      {
        name: "ci",
        description: "Not part of `npm test`: `npm run test:ci` and `npm run test:full` run it.",
      },
      { name: "full", description: "Only `npm run test:full` runs it." },
    ],
    globalSetup: ["test/setup/build.ts", "test/setup/run-folder.ts", "test/setup/pulumi.ts"],
    // Most tests wait for processes of their own: more workers than cores fill the gaps.
    maxWorkers: run === "quick" ? 4 : 3,
    // A worker loads what its test files share once. So they are not to leave anything behind in their process.
    isolate: false,
    sequence: { sequencer: SlowFirst },
    testTimeout: testMinutes[run] * MINUTE_MS,
    hookTimeout: testMinutes[run] * MINUTE_MS,
  },
});
