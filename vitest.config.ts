import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/setup/build.ts", "test/setup/run-folder.ts"],
    // Most tests wait for processes of their own: more workers than cores fill the gaps.
    maxWorkers: 3,
    // A worker loads what its test files share once. So they are not to leave anything behind in their process.
    isolate: false,
    // A suite of the full run has thousands of cases.
    testTimeout: process.env.ORGSEAT_TEST_FULL === "1" ? 3_600_000 : 120_000,
    hookTimeout: 60_000,
  },
});
