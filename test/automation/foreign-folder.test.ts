// @module-tag ci
/** A roster in someone's repository: a preview is for people who do not trust it yet, so nothing of it may run. */
import { existsSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { refusePlugins } from "../../command/engine/packages.ts";
import { packageRoot } from "../../sandbox/pulumi/package-root.ts";
import { temporaryFolder } from "../setup/temporary.ts";
import { fourPeople, type TestOrganization, testOrganization } from "./organization.ts";

/** Packages under the names of those that Pulumi's processes load. Each leaves a mark where it runs. */
function plantPackages(acme: TestOrganization, version: string): string {
  const mark = join(acme.folder, "it-ran");
  const modules = join(acme.folder, "node_modules");
  unlinkSync(modules);
  const code = `require("node:fs").appendFileSync(${JSON.stringify(mark)}, __filename + " " + process.env.ORGSEAT_CLIENT_SECRET + "\\n");\n`;
  const plant = (path: string, text: string) => {
    mkdirSync(dirname(join(modules, path)), { recursive: true });
    writeFileSync(join(modules, path), text);
  };
  for (const name of ["@pulumi/pulumi", "orgseat"]) {
    plant(`${name}/package.json`, JSON.stringify({ name, version, main: "index.js" }));
    for (const file of [
      "index",
      "provider",
      "automation/index",
      "cmd/dynamic-provider/index",
      "cmd/run/index",
    ])
      plant(`${name}/${file}.js`, code);
  }
  return mark;
}

const { version }: { version: string } = JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8"));

describe("a folder with packages of its own", () => {
  test.each([
    ["no project", undefined],
    ["a project", "name: people\nruntime: nodejs\n"],
  ])("runs none of them in preview, up, and destroy: %s", async (_, project) => {
    const acme = await testOrganization();
    const mark = plantPackages(acme, version);
    if (project !== undefined) writeFileSync(join(acme.folder, "Pulumi.yaml"), project);
    acme.write(fourPeople);
    for (const args of [["doctor"], ["preview"], ["up", "--yes"], ["renew", "--yes"], ["destroy", "--yes"]]) {
      const { code, stdout, stderr } = await acme.orgseat(...args);
      expect(existsSync(mark) && readFileSync(mark, "utf8"), args.join(" ")).toBe(false);
      if (args[0] === "preview" || args[0] === "up") expect(code, stdout + stderr).toBe(0);
      if (args[0] === "up") expect(Object.keys(await acme.members())).toHaveLength(fourPeople.length);
    }
  });

  test.each([
    [
      "the plugin pulumi-nodejs",
      "plugins: { providers: [{ name: pulumi-nodejs, path: x }] }",
      "names the plugin pulumi-nodejs, which Pulumi would run",
    ],
    ["a language", "plugins: { languages: [{ name: nodejs, path: x }] }", "names plugins.languages, which"],
    ["an analyzer", "plugins: { analyzers: [{ name: policy, path: x }] }", "names plugins.analyzers, which"],
    [
      "the package pulumi-nodejs",
      "packages: { pulumi-nodejs: x }",
      "names the package pulumi-nodejs, which Pulumi would run",
    ],
    ["plugins in another form", "plugins: [pulumi-nodejs]", "which could name programs to run"],
  ])("refuses a project that names %s", (_, lines, reason) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "Pulumi.yaml"), `name: orgseat\nruntime: nodejs\n${lines}\n`);
    expect(() => refusePlugins(folder)).toThrow(reason);
  });

  // The second folder is that of rosters without their own project: a repository can have it too.
  test.each([".", ".orgseat/pulumi"])("runs nothing of a refused project in %s", async (place) => {
    const acme = await testOrganization();
    const mark = plantProgram(acme);
    mkdirSync(join(acme.folder, place), { recursive: true });
    const plugin = `{ name: pulumi-nodejs, path: ${join(acme.folder, "planted")} }`;
    const project = `name: orgseat\nruntime: nodejs\nplugins: { providers: [${plugin}] }\n`;
    writeFileSync(join(acme.folder, place, "Pulumi.yaml"), project);
    acme.write(fourPeople);
    const { code, stderr } = await acme.orgseat("preview");
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("which Pulumi would run") });
    expect(existsSync(mark)).toBe(false);
  });

  test.each([
    ["options of Node", `runtime: { name: nodejs, options: { nodeargs: "--require ./planted/node.cjs" } }`],
    ["a program", "runtime: nodejs\nmain: planted"],
    ["a language of its own", "runtime: planted"],
    ["a store", "runtime: nodejs\nplugins: { providers: [{ name: store, path: ./planted }] }"],
  ])("runs nothing of a project with %s", async (_, lines) => {
    const acme = await testOrganization();
    const mark = plantProgram(acme);
    const marking = `require("node:fs").appendFileSync(${JSON.stringify(mark)}, "ran")`;
    for (const file of ["node.cjs", "index.js"]) writeFileSync(join(acme.folder, "planted", file), marking);
    acme.environment.PATH = `${join(acme.folder, "planted")}:${process.env.PATH}`;
    writeFileSync(join(acme.folder, "Pulumi.yaml"), `name: people\n${lines}\n`);
    acme.write(fourPeople.slice(0, 1));
    const { code, stdout, stderr } = await acme.orgseat("up", "--yes");
    expect(code, stdout + stderr).toBe(0);
    expect(existsSync(mark)).toBe(false);
  });
});

/** A folder of plugins under every name that Pulumi would look for. @returns the file that they write */
function plantProgram(acme: TestOrganization): string {
  const mark = join(acme.folder, "it-ran");
  const folder = join(acme.folder, "planted");
  mkdirSync(folder);
  writeFileSync(join(folder, "PulumiPlugin.yaml"), "runtime: nodejs\n");
  for (const name of ["resource-pulumi-nodejs", "language-planted", "resource-store"])
    writeFileSync(join(folder, `pulumi-${name}`), `#!/bin/sh\necho ran >> '${mark}'\n`, { mode: 0o755 });
  return mark;
}
