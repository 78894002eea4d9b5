// @module-tag full
/** An older Node gets one sentence with the version needed and the one found, whatever is loaded first. */
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { packageRoot } from "../../sandbox/pulumi/package-root.ts";
import { ProjectStack, projectEnvironment, pulumiCommand, pulumiReady } from "../setup/project.ts";
import { sandbox, temporaryFolder } from "../setup/sandbox.ts";
import { type Ended, environmentOf, findOldNode, projectWith, runIn } from "./install.ts";
import { esm, javascript } from "./shapes.ts";

const oldNode = await findOldNode();

const SENTENCE =
  /(orgseat|orgseat-sandbox|npm test) needs Node 22\.19 or newer, but this is Node \d+\.\d+\.\d+/g;

/** Fails, and says the sentence once and no stack. */
function expectSentence({ code, output }: Pick<Ended, "code" | "output">): void {
  expect(code).not.toBe(0);
  expect(output.match(SENTENCE), output).toHaveLength(1);
  expect(output).not.toMatch(/\n\s+at /);
}

describe.skipIf(oldNode === undefined)("an older Node", () => {
  const node = oldNode ?? "";
  const run = (folder: string, ...args: string[]) => runIn(folder, node, args, environmentOf(node));

  test.each(["orgseat", "orgseat/provider", "orgseat/api"])(
    "%s says the version needed and found, imported and required",
    async (name) => {
      const folder = await projectWith(javascript.compiler, javascript.files);
      writeFileSync(join(folder, "imports.mjs"), `import "${name}";\n`);
      expectSentence(await run(folder, "imports.mjs"));
      expectSentence(await run(folder, "-e", `require("${name}")`));
      // A Node that cannot require an ES module at all, as all were before 20.19.
      if (!process.allowedNodeEnvironmentFlags.has("--no-experimental-require-module")) return;
      const without = await run(folder, "--no-experimental-require-module", "-e", `require("${name}")`);
      if (!without.output.includes("bad option")) expectSentence(without);
    },
  );

  test("makes the commands say it too", async () => {
    const folder = await projectWith(javascript.compiler, javascript.files);
    expectSentence(await run(folder, join("node_modules", "orgseat", "sdk", "bin", "orgseat.js"), "up"));
    const sandboxCommand = join(packageRoot, "sandbox", "bin", "orgseat-sandbox.js");
    for (const verb of ["service", "start", "pulumi"])
      expectSentence(await run(folder, sandboxCommand, verb));
  });

  test("makes npm start and npm test in a clone installed without scripts say how to get a newer one", async () => {
    // No dist/, and nothing but the system's Node.
    const clone = temporaryFolder();
    for (const name of ["sdk/entry", "sdk/bin", "sandbox/bin", "package.json", "tsconfig.build.json"]) {
      cpSync(join(packageRoot, name), join(clone, name), { recursive: true });
    }
    for (const script of ["start", "test"]) {
      const ended = await runIn(clone, "npm", ["run", script], environmentOf(node));
      expectSentence(ended);
      expect(ended.output).toMatch(
        /in this repository `npm ci` with install scripts allowed brings Node 24\./,
      );
    }
  });
});

describe("a clone installed without scripts", () => {
  test("builds by itself what its commands need", async () => {
    const clone = temporaryFolder();
    const files = ["build.cjs", "package.json", "tsconfig.json", "tsconfig.build.json"];
    for (const name of ["command", "provider", "sandbox", "sdk", ...files])
      cpSync(join(packageRoot, name), join(clone, name), { recursive: true });
    symlinkSync(join(packageRoot, "node_modules"), join(clone, "node_modules"));
    const launcher = join("sandbox", "bin", "orgseat-sandbox.js");
    await pulumiReady();
    const environment = { ...process.env, ORGSEAT_PULUMI_PATH: pulumiCommand };
    const { code, output } = await runIn(
      clone,
      process.execPath,
      [launcher, "pulumi", "version"],
      environment,
    );
    expect(output).toMatch(/^v3\.\d+\.\d+$/m);
    expect(code).toBe(0);
  });

  test("says so if nothing is built", async () => {
    const folder = await projectWith("none", javascript.files);
    const orgseat = join(folder, "node_modules", "orgseat");
    const bare = join(folder, "bare");
    for (const name of ["sdk/entry", "sdk/bin", "package.json"]) {
      cpSync(join(orgseat, name), join(bare, name), { recursive: true });
    }
    const ended = await runIn(bare, process.execPath, [join("sdk", "bin", "orgseat.js"), "up"]);
    expect(ended).toMatchObject({ code: 1, output: "orgseat is not built: run `npm run build`.\n" });
  });
});

describe("a program on an older Node", () => {
  test.skipIf(oldNode === undefined)("reports the required and the found version, once", async () => {
    const organization = await sandbox();
    const folder = await projectWith(esm.compiler, javascript.files);
    mkdirSync(join(folder, "state"));
    const isolated = projectEnvironment(organization, folder, {});
    await pulumiReady();
    const stack = new ProjectStack(organization, folder, isolated);
    await stack.pulumi("stack", "init", "dev");
    // The engine itself still runs on this Node, programs and providers on the older one.
    const shims = join(folder, "older");
    mkdirSync(shims);
    symlinkSync(oldNode ?? "", join(shims, "node"));
    stack.environment.PATH = `${shims}:${isolated.PATH}`;
    const { code, output } = await stack.preview();
    expect(code).not.toBe(0);
    expectSentence({ code, output: output.split("Diagnostics:")[1] ?? "" });
  });
});
