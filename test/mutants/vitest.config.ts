import { defineConfig } from "vitest/config";

/** Drawn cases and databases: what they notice, quicker tests notice too. */
const slow = ["hostile", "onboarding-organizations", "order", "renewal", "vector-table"];

/** The tests that Stryker runs: quick ones that import the code and start no process. */
export default defineConfig({
  test: {
    include: [
      "test/provider/**/*.test.ts",
      "test/resources/*.test.ts",
      "test/command/plan/*.test.ts",
      "test/interface/client*.test.ts",
    ],
    exclude: slow.map((name) => `test/resources/${name}.test.ts`),
    globalSetup: ["test/setup/run-folder.ts"],
    testTimeout: 600_000,
  },
});
