// @module-tag ci
/** What the flags of operations do, and what a person is shown and asked. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { withInlineProgram } from "../../setup/inline.ts";
import { runHere } from "../../setup/run-here.ts";
import { engines, type ProgramSpec, type ResourceSpec, type Result, Stack, standIn } from "./harness.ts";

async function make(bin: string, program: ProgramSpec | ResourceSpec[]): Promise<Stack> {
  const stack = await Stack.make(bin);
  onTestFinished(() => stack.remove());
  await stack.program(program);
  return stack;
}

/** Runs an operation one resource after the other; the stand-in in this process, its program inline. */
function run(stack: Stack, ...args: string[]): Promise<Result> {
  const all = [...args, "--non-interactive", "--parallel", "1"];
  return stack.bin === standIn ? stack.runInline(all) : stack.run(...all);
}

const changing = ["--yes", "--skip-preview"];
const lines = (text: string) => text.trim().split("\n");
const events = (text: string) =>
  lines(text).map((line) => z.record(z.string(), z.unknown()).parse(JSON.parse(line)));

/** What was printed, without times, and without signs of life. */
function steady(text: string): string[] {
  return lines(text)
    .filter((line) => !line.startsWith("@ "))
    .map((line) =>
      line
        .replace(/\([\d.]+s\)/, "(T)")
        .replace(/^(Duration:) .*/, "$1 T")
        .trimEnd(),
    );
}

const thing = (
  name: string,
  inputs: Record<string, unknown>,
  opts: Record<string, unknown> = {},
): ResourceSpec => ({
  ...{ name, inputs, opts },
});

describe.each(engines)("$title", ({ title, bin }) => {
  const available = test.skipIf(bin === "");

  available(`${title}: shows steps, outputs and what changes as lines and as properties`, async () => {
    const secret = { secret: "h1dden" };
    const first = { value: 1, password: secret, list: ["p", "q"], text: "one\ntwo", gone: true };
    const stack = await make(bin, { resources: [thing("a", first)], outputs: { id: { ref: "a.id" }, n: 1 } });
    expect(steady((await run(stack, "up", ...changing)).stdout)).toEqual([
      "Updating (dev):",
      "",
      " +  pulumi:pulumi:Stack test-dev creating (T)",
      " +  pulumi-nodejs:test:Thing a creating (T)",
      " +  pulumi-nodejs:test:Thing a created (T)",
      " +  pulumi:pulumi:Stack test-dev created (T)",
      "Outputs:",
      '    id: "a-1"',
      "    n : 1",
      "",
      "Resources:",
      "    + 2 created",
      "",
      "Duration: T",
    ]);
    const { gone: _, ...rest } = first;
    const second = { ...rest, value: 2, list: ["p", "r", "s"], text: "one\nthree", more: { x: "y" } };
    await stack.program({ resources: [thing("a", second)], outputs: { id: { ref: "a.id" }, n: 2 } });
    expect(steady((await run(stack, "preview")).stdout)).toEqual([
      "Previewing update (dev):",
      "",
      " ~  pulumi-nodejs:test:Thing a update [diff: +more-gone~list,text,value]",
      "    pulumi:pulumi:Stack test-dev",
      "Outputs:",
      "  ~ n : 1 => 2",
      "",
      "Resources:",
      "    ~ 1 to update",
      "    1 unchanged",
    ]);
    expect(steady((await run(stack, "preview", "--diff")).stdout)).toEqual([
      "Previewing update (dev):",
      "  pulumi:pulumi:Stack: (same)",
      "    [urn=urn:pulumi:dev::test::pulumi:pulumi:Stack::test-dev]",
      "    ~ pulumi-nodejs:test:Thing: (update)",
      "        [id=a-1]",
      "        [urn=urn:pulumi:dev::test::pulumi-nodejs:test:Thing::a]",
      "      - gone    : true",
      "      ~ list    : [",
      '            [0]: "p"',
      '          ~ [1]: "q" => "r"',
      '          + [2]: "s"',
      "        ]",
      "      + more    : {",
      '          + x: "y"',
      "        }",
      '        name    : "a"',
      "        password: [secret]",
      "      ~ text    :",
      "            one",
      "          - two",
      "          + three",
      "      ~ value   : 1 => 2",
      "    --outputs:--",
      "  ~ n : 1 => 2",
      "Resources:",
      "    ~ 1 to update",
      "    1 unchanged",
    ]);
  });

  available(
    `${title}: groups messages by resource, counts them, and tells of a failure by the exit code`,
    async () => {
      const stack = await make(bin, [thing("a", {}), thing("b", { of: { ref: "a.id" } })]);
      await stack.faults({ "check a": "warn", "create b": "plain" });
      const { code, stdout } = await run(stack, "up", ...changing);
      expect(code).toBe(1);
      expect(stdout).toContain("  pulumi-nodejs:test:Thing (a):\n    warning: mind a\n");
      expect(stdout).toContain("  pulumi-nodejs:test:Thing (b):\n    error: create of b refused\n");
      expect(steady(stdout)).toContain(
        " +  pulumi-nodejs:test:Thing b **creating failed** error: create of b refused",
      );
      expect(steady(stdout)).toContain("    2 errored");
    },
  );

  available(`${title}: prints each operation as JSON, a preview as one object`, async () => {
    const stack = await make(bin, [thing("a", { password: { secret: "h1dden" } })]);
    const preview = await run(stack, "preview", "--json");
    expect(JSON.parse(preview.stdout)).toMatchObject({ changeSummary: { create: 2 } });
    const told: unknown[] = [];
    for (const command of ["up", "refresh", "destroy"]) {
      const { stdout } = await run(stack, command, ...changing, "--json");
      expect(stdout).not.toContain('h1dden"');
      const summary = events(stdout).find((event) => "summaryEvent" in event);
      told.push(z.object({ resourceChanges: z.unknown() }).parse(summary?.summaryEvent).resourceChanges);
      expect(events(stdout).at(-1)).toMatchObject({ cancelEvent: {} });
    }
    expect(told).toEqual([{ create: 2 }, { same: 2 }, { delete: 2 }]);
  });

  available(`${title}: leaves protected resources alone, or not, as it is told`, async () => {
    const stack = await make(bin, [thing("a", {}, { protect: true }), thing("b", { of: { ref: "a.id" } })]);
    await run(stack, "up", ...changing);
    const kept = await run(stack, "destroy", ...changing, "--exclude-protected");
    expect([kept.code, kept.stdout]).toEqual([
      0,
      expect.stringContaining("All unprotected resources were destroyed. There are still"),
    ]);
    const again = await run(stack, "destroy", ...changing, "--exclude-protected");
    expect([again.code, again.stdout]).toEqual([
      0,
      expect.stringContaining("There were no unprotected resources to destroy."),
    ]);
    expect((await run(stack, "destroy", ...changing)).code).toBe(1);
    stack.calls();
    const gone = await run(stack, "destroy", ...changing, "--ignore-protect", "--remove");
    expect([gone.code, gone.stdout]).toEqual([
      0,
      expect.stringContaining(
        "The resources in the stack have been deleted, and the history and configuration removed.",
      ),
    ]);
    expect(stack.changes()).toEqual(["delete a a-1"]);
    expect(existsSync(join(stack.folder, "Pulumi.dev.yaml"))).toBe(false);
  });

  available(`${title}: holds the configuration against what Pulumi.yaml declares`, async () => {
    const stack = await make(bin, []);
    const file = join(stack.folder, "Pulumi.yaml");
    const declared =
      "config:\n  who: {type: string}\n  count: {type: integer}\n  on: {type: boolean, default: true}\n  given: {value: 7}\n";
    writeFileSync(file, readFileSync(file, "utf8") + declared);
    const problem = async (...args: string[]) => (await run(stack, "preview", ...args)).stderr.trim();
    expect(await problem()).toBe(
      "error: validating stack config: Stack 'dev' is missing configuration values 'count' and 'who'",
    );
    expect(await problem("-c", "who=me", "-c", "count=many")).toBe(
      "error: validating stack config: Stack 'dev' with configuration key 'count' must be of type 'integer'",
    );
    expect(await problem("-c", "count=3", "-c", "on=perhaps")).toBe(
      "error: validating stack config: Stack 'dev' with configuration key 'on' must be of type 'boolean'",
    );
    expect((await run(stack, "preview", "--skip-config-validation")).code).toBe(0);
    expect((await run(stack, "destroy", ...changing)).code).toBe(0);
  });

  available(`${title}: fails where changes were not expected, and reads first where it is told`, async () => {
    const stack = await make(bin, [thing("a", { value: 1 })]);
    await run(stack, "up", ...changing);
    await stack.program([thing("a", { value: 2 })]);
    const preview = await run(stack, "preview", "--expect-no-changes");
    expect([preview.code, preview.stderr.trim()]).toEqual([
      7,
      "error: no changes were expected for preview but changes were proposed",
    ]);
    stack.calls();
    for (const args of [
      ["preview", "--refresh"],
      ["up", "--refresh=true", ...changing],
      ["destroy", "-r", ...changing],
    ]) {
      expect((await run(stack, ...args)).code).toBe(0);
      expect(stack.calls().filter((call) => call.startsWith("read"))).toEqual(["read a a-1"]);
    }
  });
});

describe("the stand-in", () => {
  test("keeps a message, the agent and the flags in the history, and shows what it is asked to", async () => {
    const stack = await make(standIn, {
      resources: [thing("a", { password: { secret: "h1dden" } })],
      outputs: { n: 1 },
    });
    const shown = [
      "--show-config",
      "--suppress-outputs",
      "--urns",
      "--message",
      "why",
      "--exec-agent",
      "bot",
      "-c",
      "k=v",
    ];
    const { stdout, stderr } = await run(
      stack,
      "up",
      ...changing,
      ...shown,
      "-v",
      "9",
      "--logtostderr",
      "--debug",
    );
    expect(stdout).toContain("Configuration:\n    test:k: v\n");
    expect(stdout).not.toContain("Outputs:");
    expect(stdout).toContain(" +  urn:pulumi:dev::test::pulumi-nodejs:test:Thing::a created");
    expect(stdout).toContain(
      "debug: RegisterResource RPC finished: resource:a[pulumi-nodejs:test:Thing]; err: null\n",
    );
    expect(stderr).toMatch(/^\S+Z step begins: create urn:pulumi:dev::test::pulumi-nodejs:test:Thing::a$/m);
    expect(stderr).toMatch(/^\S+Z provider call: create urn:.*::a answered in \d+ ms$/m);
    expect(stdout + stderr).not.toContain("h1dden");
    const history = await stack.runHere("stack", "history", "--json");
    expect(JSON.parse(history.stdout)).toMatchObject([
      {
        message: "why",
        environment: { "exec.agent": "bot", "pulumi.flag.message": "set", "pulumi.flag.urns": "true" },
        config: { "test:k": { value: "v", secret: false } },
      },
    ]);
  });

  test("shows reads, unchanged resources, both halves of a replacement and long texts where it is told", async () => {
    const long = "x".repeat(200);
    const got = { name: "r", kind: "get" as const, inputs: { id: "r-7" } };
    const stack = await make(standIn, [
      thing("a", { long, turn: 1, replaceOn: ["turn"] }),
      thing("b", {}),
      got,
    ]);
    expect((await run(stack, "up", ...changing, "--show-reads")).stdout).toContain(
      " >  pulumi-nodejs:test:Thing r read",
    );
    await stack.program([thing("a", { long, turn: 2, replaceOn: ["turn"] }), thing("b", {}), got]);
    const plain = (await run(stack, "preview", "--diff")).stdout;
    expect(plain).toContain("    +-pulumi-nodejs:test:Thing: (replace)");
    expect(plain).not.toMatch(/create-replacement|Thing::b|x{151}/);
    const flags = ["--show-replacement-steps", "--show-sames", "--show-full-output"];
    const whole = (await run(stack, "preview", "--diff", ...flags)).stdout;
    expect(whole).toContain("    ++pulumi-nodejs:test:Thing: (create-replacement)");
    expect(whole).toContain("    --pulumi-nodejs:test:Thing: (delete-replaced)");
    expect(whole).toMatch(/Thing::b[\s\S]*x{200}/);
  });

  test("shows secrets only where it is told, and where the state lies", async () => {
    const secret = { secret: "h1dden" };
    const stack = await make(standIn, {
      resources: [thing("a", { password: secret })],
      outputs: { p: { ref: "a.password" } },
    });
    const masked = await run(stack, "up", ...changing, "--diff", "--event-log", "events.json");
    const log = readFileSync(join(stack.folder, "events.json"), "utf8");
    expect(masked.stdout + masked.stderr + log).not.toContain("h1dden");
    const link = ["--suppress-permalink=false", "--show-secrets"];
    const { stdout } = await run(stack, "up", ...changing, ...link);
    expect(stdout).toContain('    p: "h1dden"');
    expect(stdout).toContain(`Permalink: file://${stack.folder}/backend/.pulumi/stacks/test/dev.json`);
  });

  test("asks before it changes anything, shows the details, and holds the stack meanwhile", async () => {
    const stack = await make(standIn, [thing("a", { value: 1 })]);
    const locks = join(stack.folder, "backend/.pulumi/locks/organization/test/dev");
    const answers = ["perhaps", "details", "no", "yes"];
    const asked: { question: string; held: number }[] = [];
    const ask = async (question: string) => {
      asked.push({ question, held: readdirSync(locks).filter((file) => file.endsWith(".json")).length });
      return answers.shift() ?? "";
    };
    const up = () => person(stack, ask, "up", "--color", "never");
    const declined = await up();
    expect(declined.code).toBe(1);
    expect(declined.stdout).toContain("confirmation declined, not proceeding with the update\n");
    expect(declined.stdout).toContain("    + pulumi-nodejs:test:Thing: (create)\n");
    expect(asked[0]).toEqual({ question: "Do you want to perform this update? (yes/no/details) ", held: 1 });
    expect(asked).toHaveLength(3);
    expect(stack.changes()).toEqual([]);
    expect((await up()).code).toBe(0);
    expect(stack.changes()).toEqual(["create a"]);
    expect(readdirSync(locks)).toEqual([]);
  });

  test("draws the resources of an operation as a tree on a terminal", async () => {
    const group = { name: "g", kind: "component" as const };
    const stack = await make(standIn, [group, thing("a", { value: 1 }, { parent: "g" })]);
    const { stdout } = await person(stack, async () => "no", "preview", "--color", "never");
    expect(stripVTControlCharacters(stdout)).toContain(
      [
        "     Type                            Name      Plan",
        " +   pulumi:pulumi:Stack             test-dev  create",
        " +   └─ test:index:Group             g         create",
        " +      └─ pulumi-nodejs:test:Thing  a         create",
        "",
      ].join("\n"),
    );
  });

  test("reads a state that a Pulumi.yaml wants to be read each time", async () => {
    const stack = await make(standIn, [thing("a", { value: 1 })]);
    await run(stack, "up", ...changing);
    const file = join(stack.folder, "Pulumi.yaml");
    writeFileSync(file, `${readFileSync(file, "utf8")}options:\n  refresh: always\n`);
    stack.calls();
    await run(stack, "preview");
    expect(stack.calls()).toContain("read a a-1");
    await run(stack, "preview", "--refresh=false");
    expect(stack.calls().filter((call) => call.startsWith("read"))).toEqual([]);
  });
});

/** The same with somebody at a terminal of 100 by 30. */
async function person(
  stack: Stack,
  ask: (question: string) => Promise<string>,
  ...args: string[]
): Promise<Result> {
  const terminal = { ask, size: () => ({ columns: 100, rows: 30 }) };
  const environment = { ...stack.variables(), PULUMI_STACK: "dev" };
  const start = (options: readonly string[]) =>
    runHere(["-C", stack.folder, ...args, "--parallel", "1", ...options], environment, terminal);
  return withInlineProgram(stack.folder, {}, start, "scenario");
}
