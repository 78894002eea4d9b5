/** Which `pulumi` an organization is run by, and what is made of its errors. */
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, relative } from "node:path";
import { describe, expect, test } from "vitest";
import { PulumiEngine } from "../../../../sdk/automation/engine/pulumi.ts";
import { ScriptedPulumi } from "../../../setup/scripted-pulumi.ts";
import { temporaryFolder } from "../../../setup/temporary.ts";

const WARNING = "warning: A new version of Pulumi is available.\nwarning: this backend is old\n";
const NO_STACK = `${WARNING}error: no stack named 'people' found\n`;

describe("ORGSEAT_PULUMI", () => {
  const engineOf = (named: string) =>
    new PulumiEngine({ folder: temporaryFolder(), environment: { ORGSEAT_PULUMI: named } });

  test("that names what cannot be run is an error, and the pulumi of the PATH does not stand in", () => {
    const folder = temporaryFolder();
    const file = (name: string, mode: number) => {
      writeFileSync(join(folder, name), "#!/bin/sh\n");
      chmodSync(join(folder, name), mode);
      return join(folder, name);
    };
    mkdirSync(join(folder, "a"));
    for (const [named, obstacle] of [
      [join(folder, "gone", "pulumi"), "does not exist"],
      [folder, "is not a file"],
      [file("pulumi", 0o644), "is not executable"],
      [file("pulumi-3.200", 0o755), "must be called pulumi"],
    ] as const) {
      expect(() => engineOf(named)).toThrow(
        `cannot use the Pulumi CLI that ORGSEAT_PULUMI names: ${named} ${obstacle}; correct ORGSEAT_PULUMI`,
      );
    }
  });

  test("that names a file from the current folder runs that file, whatever folder the project is in", async () => {
    const pulumi = new ScriptedPulumi();
    expect(await engineOf(relative("", pulumi.command)).listStacks("people")).toEqual([]);
    expect(pulumi.calls("stack ls")).toHaveLength(1);
  });
});

describe("a pulumi that warns before its error", () => {
  test("of a stack that does not exist has no state and no configuration", async () => {
    const pulumi = new ScriptedPulumi();
    pulumi.fail("stack", NO_STACK);
    pulumi.fail("config", NO_STACK);
    expect(await pulumi.engine().exportStack("people")).toBeUndefined();
    expect(await pulumi.engine().configOf("people")).toEqual(new Map());
  });

  test("fails with that error", async () => {
    const pulumi = new ScriptedPulumi();
    pulumi.fail("stack", `${WARNING}error: you are not logged in\n`);
    await expect(pulumi.engine().listStacks("people")).rejects.toThrow(/ you are not logged in$/);
  });

  test("fails a run with that error", async () => {
    const pulumi = new ScriptedPulumi();
    pulumi.fail("up", `${WARNING}error: the backend is gone\n`);
    const program = pulumi.program("export default () => {};");
    const { failure } = await pulumi.engine().run({ operation: "up", stack: "people", program });
    expect(failure).toEqual({ code: "failed", text: "the backend is gone" });
  });
});

describe("a folder with another release of orgseat", () => {
  test("is refused before anything is run: program and provider must be of one release", () => {
    const pulumi = new ScriptedPulumi();
    const installed = join(pulumi.folder, "node_modules", "orgseat");
    mkdirSync(installed, { recursive: true });
    writeFileSync(join(installed, "package.json"), JSON.stringify({ name: "orgseat", version: "99.0.1" }));
    const { version }: { version: string } = createRequire(import.meta.url)("orgseat/package.json");
    expect(() => pulumi.engine()).toThrow(
      `${installed} has orgseat 99.0.1, but this command is orgseat ${version}. Run \`npx orgseat\` in that folder`,
    );
    expect(pulumi.calls("")).toEqual([]);
    writeFileSync(join(installed, "package.json"), JSON.stringify({ name: "orgseat", version }));
    expect(() => pulumi.engine()).not.toThrow();
  });
});
