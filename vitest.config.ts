import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Where tests run for longest. */
const slow = [
  ["killed", "secrets", "automation", "input", "package", "tour", "sandbox/engine/conformance"],
  ["order", "lifecycle", "onboarding", "examples", "start", "sandbox/engine", "resources", "sdk/automation"],
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

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/setup/build.ts", "test/setup/run-folder.ts"],
    // Most tests wait for processes of their own: more workers than cores fill the gaps.
    maxWorkers: 4,
    // A worker loads what its test files share once. So they are not to leave anything behind in their process.
    isolate: false,
    sequence: { sequencer: SlowFirst },
    // Limits are for what hangs: no test is to fail by the machine's speed. A suite of the full run has thousands of cases.
    testTimeout: process.env.ORGSEAT_TEST_FULL === "1" ? 3_600_000 : 600_000,
    hookTimeout: 600_000,
  },
});
