import { globSync } from "node:fs";
import { configDefaults, defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { findRealCli } from "./sandbox/start/engine.ts";
import { isLeftOut, run } from "./test/setup/runs.ts";

/** Where tests run for longest. */
const slow = [
  ["secrets", "automation", "input", "package", "tour", "sandbox/engine/conformance"],
  ["lifecycle", "examples", "start", "sandbox/engine", "resources", "sdk/automation"],
].map((folders) => new RegExp(`/test/(${folders.join("|")})/`));

/** Has them begin first, or at the end one worker would be busy with the last of them, and the others idle. */
class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const found = slow.findIndex((folders) => folders.test(moduleId));
      return found < 0 ? slow.length : found;
    };
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}

const MINUTE_MS = 60_000;
/** Limits are for what hangs: no test fails by the machine's speed. A suite of the full run has thousands of cases. */
const testMinutes = { quick: 10, ci: 30, full: 120 };

const testFiles = "test/**/*.test.ts";
const leftOut = globSync(testFiles).filter(isLeftOut);
const playsRealCli = process.env.ORGSEAT_PULUMI_PATH !== undefined || findRealCli(process.env) !== undefined;

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
    globalSetup: ["test/setup/build.ts", "test/setup/run-folder.ts"],
    // Most tests wait for processes of their own: more workers than cores fill the gaps. The real CLI leaves fewer.
    maxWorkers: playsRealCli && run !== "quick" ? 2 : 4,
    // A worker loads what its test files share once. So they are not to leave anything behind in their process.
    isolate: false,
    sequence: { sequencer: SlowFirst },
    testTimeout: testMinutes[run] * MINUTE_MS,
    hookTimeout: testMinutes[run] * MINUTE_MS,
  },
});
