// @module-tag ci
/** State, secrets and project files that are not what they should be: one clear error, and nothing is touched. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, type TestContext, test } from "vitest";
import { emulator, engines, type Result, Stack } from "./harness.ts";

const stateFile = "backend/.pulumi/stacks/test/dev.json";

/** Breaks something in the stack's folder; what the emulator says; the environment of the commands. */
type Case = readonly [
  title: string,
  breaks: (folder: string) => void,
  says: RegExp,
  env?: Record<string, string>,
];

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

const dangling = "urn:pulumi:dev::test::pulumi-nodejs:test:Thing::nobody";
const otherVersion = { time: new Date().toISOString(), magic: "0".repeat(64), version: "v3.1.0" };
const otherSecrets = { secrets_providers: { type: "awskms", state: {} } };
const latest = (more: object) => edit(({ checkpoint }) => void Object.assign(checkpoint.latest, more));
const last = (change: (last: ResourceJson, all: ResourceJson[]) => void) =>
  resources((all) => change(all.at(-1) ?? {}, all));
const editSecret = resources((all) => {
  const text = JSON.stringify(all).replace(/"ciphertext":"v1:[^"]{8}/, '"ciphertext":"v1:AAAAAAAA');
  all.splice(0, all.length, ...JSON.parse(text));
});

const cases: readonly Case[] = [
  [
    "a state that is no JSON",
    write(stateFile, '{"version": 3, "checkpoint": {'),
    /the state .*dev\.json is not valid JSON/,
  ],
  [
    "a state of a newer format",
    edit((state) => void Object.assign(state, { version: 5 })),
    /has format version 5, this emulator reads version 3/,
  ],
  [
    "a state that is something else",
    write(stateFile, '{"version": 3, "people": []}'),
    /the state .*dev\.json is not valid/,
  ],
  ["a state whose resource has no URN", resources(([first]) => void delete first?.urn), /is not valid/],
  ["a state with an edited version", latest({ manifest: otherVersion }), /manifest does not fit its version/],
  [
    "a state that needs what is not there",
    last((one) => void Object.assign(one, { dependencies: [dangling] })),
    /a dependency of .*::b is .*::nobody, which is not in it/,
  ],
  ["a state with one resource twice", last((one, all) => void all.push({ ...one })), /::b is in it twice/],
  ["an edited secret", editSecret, /a secret of the stack cannot be decrypted/],
  ["a state encrypted by another provider", latest(otherSecrets), /passphrase secrets provider only/],
  ["a wrong passphrase", () => {}, /incorrect passphrase/, { PULUMI_CONFIG_PASSPHRASE: "another" }],
  [
    "a stack's configuration that is no YAML",
    write("Pulumi.dev.yaml", "config: [\n  {"),
    /Pulumi\.dev\.yaml: .*line 2/,
  ],
  ["a project that is no YAML", write("Pulumi.yaml", "name: [\n  {"), /Pulumi\.yaml is not valid YAML/],
  [
    "a project without a name",
    write("Pulumi.yaml", "runtime: nodejs\n"),
    /Pulumi\.yaml is not valid: [\s\S]*name/,
  ],
  [
    "no project at all",
    (folder) => rmSync(join(folder, "Pulumi.yaml")),
    /no Pulumi\.yaml project file found/,
  ],
];

/** A stack with two resources, of which one has a secret. */
async function make(bin: string, { onTestFinished }: TestContext): Promise<Stack> {
  const stack = await Stack.make(bin);
  onTestFinished(() => stack.remove());
  await stack.program([
    { name: "a", inputs: { password: { secret: "hunter2" } } },
    { name: "b", inputs: { of: { ref: "a.id" } } },
  ]);
  const made = bin === emulator ? await stack.runInline(["up", ...agreed]) : await stack.run("up", ...agreed);
  if (made.code !== 0) throw new Error(made.stdout + made.stderr);
  stack.calls();
  return stack;
}

const agreed = ["--yes", "--skip-preview", "--non-interactive"];

describe.each(engines)("$title and bad input", ({ title, bin }) => {
  const available = test.skipIf(bin === "");

  available.for(cases)(
    `${title}: %s is one clear error, and the state stays`,
    async ([, breaks, says, env], context) => {
      const { expect } = context;
      const stack = await make(bin, context);
      breaks(stack.folder);
      const before = readFileSync(join(stack.folder, stateFile), "utf8");
      const run = (...args: string[]): Promise<Result> =>
        bin === emulator ? stack.runInline(args, env) : stack.runWith(env ?? {}, args);
      for (const command of [
        ["up", ...agreed],
        ["preview", "--non-interactive"],
      ]) {
        const result = await run(...command);
        expect(result.code, result.stdout + result.stderr).not.toBe(0);
        expect(result.stderr).toMatch(/^error: /);
        if (bin === emulator) {
          expect([result.code, result.stderr]).toEqual([1, expect.stringMatching(says)]);
          expect(result.stderr).not.toMatch(/\n {4}at |hunter2/);
        }
        expect(stack.changes()).toEqual([]);
      }
      expect(readFileSync(join(stack.folder, stateFile), "utf8")).toBe(before);
    },
  );
});
