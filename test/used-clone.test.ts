/** `npm test` in a clone that people use: in their shell, and after they ran the examples there. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { packageRoot } from "../sandbox/pulumi/package-root.ts";
import { copyExample, filesBelow } from "./setup/repository.ts";
import { temporaryFolder } from "./setup/temporary.ts";

test("the tests get no variable of orgseat or Pulumi from the shell but ORGSEAT_TEST_*", () => {
  const program = 'await import("./vitest.config.ts"); console.log(Object.keys(process.env).join())';
  const shell = {
    ORGSEAT_PULUMI_PATH: "/nowhere",
    ORGSEAT_ORG_URL: "x",
    ORGSEAT_CLIENT_SECRET: "x",
    PULUMI_BACKEND_URL: "file:///nowhere",
    PULUMI_HOME: "/nowhere",
    PULUMI_CONFIG_PASSPHRASE: "",
  };
  const left = execFileSync(process.execPath, ["--input-type=module", "--eval", program], {
    ...{ cwd: packageRoot, encoding: "utf8" },
    env: { ...shell, PATH: process.env.PATH, ORGSEAT_TEST_RUN: "quick", ORGSEAT_TEST_SEED: "1" },
  });
  const names = left.trim().split(",");
  expect(names.filter((name) => /^(ORGSEAT|PULUMI)_/.test(name)).toSorted()).toEqual([
    "ORGSEAT_TEST_RUN",
    "ORGSEAT_TEST_SEED",
  ]);
});

test("the tests read no file that a run of an example has left, and follow no link", () => {
  const root = temporaryFolder();
  const example = join(root, "examples", "tried");
  const roster = "# organization: a\n# roster: b\nemail\n";
  for (const folder of [".orgseat", "node_modules", "sdks"])
    mkdirSync(join(example, folder), { recursive: true });
  symlinkSync(root, join(example, "node_modules", "orgseat"));
  for (const name of [
    "index.ts",
    ".orgseat/x.ts",
    "sdks/x.ts",
    "Pulumi.dev.yaml",
    "Pulumi.yaml",
    "orgseat.env",
  ])
    writeFileSync(join(example, name), "");
  writeFileSync(join(example, "people.csv"), roster);
  expect(filesBelow(root, ["examples/**/*.ts"])).toEqual(["examples/tried/index.ts"]);
  const copy = temporaryFolder();
  copyExample("tried", copy, join(root, "examples"));
  expect(readdirSync(copy).toSorted()).toEqual(["Pulumi.yaml", "index.ts", "people.csv"]);
  expect(readFileSync(join(copy, "people.csv"), "utf8")).toBe("# organization: a\nemail\n");
});
