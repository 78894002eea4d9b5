// @module-tag ci
/** State, secrets and project files that are not what they should be: one clear error, and nothing is touched. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, type TestContext, test } from "vitest";
import { engines, type Result, Stack, standIn } from "./harness.ts";

const stateFile = "backend/.pulumi/stacks/test/dev.json";

interface Case {
  title: string;
  /** Breaks something in the stack's folder. */
  break: (folder: string) => void;
  /** The environment of the commands. */
  env?: Record<string, string>;
  /** What the stand-in says. */
  says: RegExp;
}

/** Changes the JSON of the state. */
function edit(change: (state: { version: number; checkpoint: { latest: Record<string, unknown> } }) => void) {
  return (folder: string) => {
    const file = join(folder, stateFile);
    const state = JSON.parse(readFileSync(file, "utf8"));
    change(state);
    writeFileSync(file, JSON.stringify(state));
  };
}

const write = (name: string, text: string) => (folder: string) => writeFileSync(join(folder, name), text);

type ResourceJson = Record<string, unknown>;
const resources = (change: (resources: ResourceJson[]) => void) =>
  edit(({ checkpoint }) => change(checkpoint.latest.resources as ResourceJson[]));

const cases: Case[] = [
  {
    title: "a state that is no JSON",
    break: write(stateFile, '{"version": 3, "checkpoint": {'),
    says: /the state .*dev\.json is not valid JSON/,
  },
  {
    title: "a state of a newer format",
    break: edit((state) => {
      state.version = 5;
    }),
    says: /has format version 5, this stand-in reads version 3/,
  },
  {
    title: "a state that is something else",
    break: write(stateFile, '{"version": 3, "people": []}'),
    says: /the state .*dev\.json is not valid/,
  },
  {
    title: "a state whose resource has no URN",
    break: resources(([first]) => {
      delete first?.urn;
    }),
    says: /is not valid/,
  },
  {
    title: "a state with an edited version",
    break: edit(({ checkpoint }) => {
      checkpoint.latest.manifest = {
        time: new Date().toISOString(),
        magic: "0".repeat(64),
        version: "v3.1.0",
      };
    }),
    says: /manifest does not fit its version/,
  },
  {
    title: "a state in which a resource needs one that is not there",
    break: resources((all) => {
      const last = all.at(-1);
      if (last) last.dependencies = ["urn:pulumi:dev::test::pulumi-nodejs:test:Thing::nobody"];
    }),
    says: /a dependency of .*::b is .*::nobody, which is not in it/,
  },
  {
    title: "a state with one resource twice",
    break: resources((all) => {
      const last = all.at(-1);
      if (last) all.push({ ...last });
    }),
    says: /::b is in it twice/,
  },
  {
    title: "an edited secret",
    break: resources((all) => {
      const text = JSON.stringify(all).replace(/"ciphertext":"v1:[^"]{8}/, '"ciphertext":"v1:AAAAAAAA');
      all.splice(0, all.length, ...JSON.parse(text));
    }),
    says: /a secret of the stack cannot be decrypted/,
  },
  {
    title: "a state encrypted by another provider",
    break: edit(({ checkpoint }) => {
      checkpoint.latest.secrets_providers = { type: "awskms", state: {} };
    }),
    says: /passphrase secrets provider only/,
  },
  {
    title: "a wrong passphrase",
    break: () => {},
    env: { PULUMI_CONFIG_PASSPHRASE: "another" },
    says: /incorrect passphrase/,
  },
  {
    title: "a stack's configuration that is no YAML",
    break: write("Pulumi.dev.yaml", "config: [\n  {"),
    says: /Pulumi\.dev\.yaml: .*line 2/,
  },
  {
    title: "a project that is no YAML",
    break: write("Pulumi.yaml", "name: [\n  {"),
    says: /Pulumi\.yaml is not valid YAML/,
  },
  {
    title: "a project without a name",
    break: write("Pulumi.yaml", "runtime: nodejs\n"),
    says: /Pulumi\.yaml is not valid: [\s\S]*name/,
  },
  {
    title: "no project at all",
    break: (folder) => rmSync(join(folder, "Pulumi.yaml")),
    says: /no Pulumi\.yaml project file found/,
  },
];

/** A stack with two resources, of which one has a secret. */
async function make(bin: string, { onTestFinished }: TestContext): Promise<Stack> {
  const stack = await Stack.make(bin);
  onTestFinished(() => stack.remove());
  await stack.program([
    { name: "a", inputs: { password: { secret: "hunter2" } } },
    { name: "b", inputs: { of: { ref: "a.id" } } },
  ]);
  const made = bin === standIn ? await stack.runInline(["up", ...agreed]) : await stack.run("up", ...agreed);
  if (made.code !== 0) throw new Error(made.stdout + made.stderr);
  stack.calls();
  return stack;
}

const agreed = ["--yes", "--skip-preview", "--non-interactive"];

describe.each(engines)("$title and bad input", ({ title, bin }) => {
  const available = test.skipIf(bin === "");

  available.for(cases)(`${title}: $title is one clear error, and the state stays`, async (one, context) => {
    const { expect } = context;
    const stack = await make(bin, context);
    one.break(stack.folder);
    const before = readFileSync(join(stack.folder, stateFile), "utf8");
    const run = (...args: string[]): Promise<Result> =>
      bin === standIn ? stack.runInline(args, one.env) : stack.runWith(one.env ?? {}, args);
    for (const command of [
      ["up", ...agreed],
      ["preview", "--non-interactive"],
    ]) {
      const result = await run(...command);
      expect(result.code, result.stdout + result.stderr).not.toBe(0);
      expect(result.stderr).toMatch(/^error: /);
      if (bin === standIn) {
        expect([result.code, result.stderr]).toEqual([1, expect.stringMatching(one.says)]);
        expect(result.stderr).not.toMatch(/\n {4}at |hunter2/);
      }
      expect(stack.changes()).toEqual([]);
    }
    expect(readFileSync(join(stack.folder, stateFile), "utf8")).toBe(before);
  });
});
