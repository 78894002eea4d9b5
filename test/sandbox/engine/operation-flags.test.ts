// @module-tag ci
/** The flags of operations, their output and their questions. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { withInlineProgram } from "../../setup/inline.ts";
import { runHere } from "../../setup/run-here.ts";
import { emulator, engines, type ProgramSpec, type ResourceSpec, type Result, Stack } from "./harness.ts";

async function make(bin: string, program: ProgramSpec | ResourceSpec[]): Promise<Stack> {
  const stack = await Stack.make(bin);
  onTestFinished(() => stack.remove());
  await stack.program(program);
  return stack;
}

/** Runs an operation one resource after the other; the emulator in this process, its program inline. */
function run(stack: Stack, ...args: string[]): Promise<Result> {
  const all = [...args, "--non-interactive", "--parallel", "1"];
  return stack.bin === emulator ? stack.runInline(all) : stack.run(...all);
}

const changing = ["--yes", "--skip-preview"];
const lines = (text: string) => text.trim().split("\n");

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

  available(`${title}: shows steps, outputs and changes as lines`, async () => {
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
  });

  available(
    `${title}: groups messages by resource, counts them, and reports a failure by the exit code`,
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

  available(`${title}: keeps protected resources`, async () => {
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
  });
});

describe("the emulator", () => {
  test("keeps a message and the agent in the history, and shows no secrets", async () => {
    const stack = await make(emulator, {
      resources: [thing("a", { password: { secret: "h1dden" } })],
      outputs: { p: { ref: "a.password" } },
    });
    await stack.runHere("config", "set", "k", "v");
    const flags = ["--message", "why", "--exec-agent", "bot", "--event-log", "events.json"];
    const { stdout, stderr } = await run(stack, "up", ...changing, ...flags);
    expect(stdout).toContain("    p: [secret]\n");
    const log = readFileSync(join(stack.folder, "events.json"), "utf8");
    expect(stdout + stderr + log).not.toContain("h1dden");
    const quiet = await run(stack, "up", ...changing, "--suppress-outputs");
    expect(quiet.stdout).not.toContain("Outputs:");
    const history = await stack.runHere("stack", "history", "--json", "--page-size", "1", "--page", "2");
    expect(JSON.parse(history.stdout)).toMatchObject([
      {
        message: "why",
        environment: { "exec.agent": "bot" },
        config: { "test:k": { value: "v", secret: false } },
      },
    ]);
  });

  test("asks before it changes anything, and locks the stack meanwhile", async () => {
    const stack = await make(emulator, [thing("a", { value: 1 })]);
    const locks = join(stack.folder, "backend/.pulumi/locks/organization/test/dev");
    const answers = ["perhaps", "no", "yes"];
    const asked: { question: string; held: number }[] = [];
    const ask = async (question: string) => {
      asked.push({ question, held: readdirSync(locks).filter((file) => file.endsWith(".json")).length });
      return answers.shift() ?? "";
    };
    const up = () => person(stack, ask, "up", "--color", "never");
    const declined = await up();
    expect(declined.code).toBe(1);
    expect(declined.stdout).toContain("confirmation declined, not proceeding with the update\n");
    expect(asked[0]).toEqual({ question: "Do you want to perform this update? (yes/no) ", held: 1 });
    expect(asked).toHaveLength(2);
    expect(stack.changes()).toEqual([]);
    expect((await up()).code).toBe(0);
    expect(stack.changes()).toEqual(["create a"]);
    expect(readdirSync(locks)).toEqual([]);
  });
});

/** The same with a terminal. */
async function person(
  stack: Stack,
  ask: (question: string) => Promise<string>,
  ...args: string[]
): Promise<Result> {
  const terminal = { ask };
  const environment = { ...stack.variables(), PULUMI_STACK: "dev" };
  const start = (options: readonly string[]) =>
    runHere(["-C", stack.folder, ...args, "--parallel", "1", ...options], environment, terminal);
  return withInlineProgram(stack.folder, {}, start, "scenario");
}
