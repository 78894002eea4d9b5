import { globSync } from "node:fs";
import { defineConfig } from "vitest/config";
import { isLeftOut } from "../setup/runs.ts";

/** Drawn cases and databases: what they notice, quicker tests notice too. */
const slow = ["hostile", "onboarding-organizations", "order", "renewal"];
const leftOut = globSync("test/{provider,resources,command}/**/*.test.ts").filter(isLeftOut);

/** The tests that Stryker runs: quick ones that import the code and start no process. */
export default defineConfig({
  test: {
    include: [
      "test/provider/**/*.test.ts",
      "test/resources/*.test.ts",
      "test/command/plan/*.test.ts",
      "test/interface/client*.test.ts",
    ],
    exclude: [...leftOut, ...slow.map((name) => `test/resources/${name}.test.ts`)],
    tags: [{ name: "ci" }, { name: "full" }],
    globalSetup: ["test/setup/run-folder.ts"],
    testTimeout: 600_000,
  },
});
