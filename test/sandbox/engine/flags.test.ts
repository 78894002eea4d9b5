// @module-tag ci
/** The emulator's command line as a whole: every flag has an effect, and a flag of the Pulumi CLI that is missing is refused by name. */
import type { Command } from "commander";
import { describe, expect, test } from "vitest";
import { buildProgram } from "../../../sandbox/engine/cli/program.ts";
import { refusedFlags } from "../../../sandbox/engine/cli/refused.ts";
import { runHere } from "../../setup/run-here.ts";

const silent = { out: () => {}, err: () => {} };
const program = () => buildProgram({}, silent, new Set());

function all(command: Command): Command[] {
  return [command, ...command.commands.flatMap(all)];
}

function pathOf(command: Command): string {
  return command.parent
    ? `${pathOf(command.parent)} ${command.name()}`.replace(/^pulumi /, "")
    : command.name();
}

/** Commands that people see. */
const shown = () => all(program()).filter((command) => !Reflect.get(command, "_hidden"));

const pulumi = (...args: string[]) => runHere(args, {});

const operations = {
  both: "yes skip-preview stack cwd target target-dependents run-program parallel message event-log",
  preview: "refresh replace expect-no-changes",
  up: "refresh replace expect-no-changes continue-on-error",
  refresh: "expect-no-changes",
  destroy: "refresh continue-on-error",
};
const short = { yes: "y", "skip-preview": "f", stack: "s", cwd: "C", target: "t", refresh: "r" };
const shorter = { parallel: "p", message: "m" };

describe("the emulator's commands", () => {
  test("match those that people and the Automation API use", () => {
    const paths = shown().map(pathOf);
    const wanted = [
      ...["version", "whoami", "cancel"],
      ...["stack init", "stack select", "stack ls", "stack rm", "stack output"],
      ...["stack export", "stack import", "stack history"],
      ...["config set", "config set-all", "config get", "config rm", "config rm-all", "config cp"],
      ...["state delete", "state unprotect", "preview", "up", "refresh", "destroy"],
    ];
    expect(wanted.filter((path) => !paths.includes(path))).toEqual([]);
  });

  test.for(["preview", "up", "refresh", "destroy"] as const)("take the flags of operations: %s", (name) => {
    const command = program().commands.find((one) => one.name() === name);
    const flags = new Map(
      command?.options.filter(({ hidden }) => !hidden).map(({ long, short }) => [long, short]),
    );
    const wanted = `${operations.both} ${operations[name]} non-interactive`.split(" ");
    const missing = wanted.filter((flag) => !flags.has(`--${flag}`));
    expect(missing).toEqual(name === "preview" ? ["yes", "skip-preview"] : []);
    for (const [long, letter] of Object.entries({ ...short, ...shorter })) {
      if (flags.has(`--${long}`)) expect([long, flags.get(`--${long}`)]).toEqual([long, `-${letter}`]);
    }
  });

  test("describe each flag", () => {
    for (const command of all(program())) {
      for (const { long, description, hidden } of command.options) {
        if (!hidden) expect(`${pathOf(command)} ${long}: ${description}`).toMatch(/: .{6,}/);
        expect(description).not.toMatch(/no effect|without effect|ignored|not supported|accepted/i);
      }
    }
  });

  test("describe themselves and every flag in their help", async () => {
    for (const command of shown()) {
      const words = command.parent ? pathOf(command).split(" ") : [];
      const flagged = await pulumi(...words, "--help");
      expect(flagged.code).toBe(0);
      const options = command.options.filter(({ hidden }) => !hidden);
      for (const { long } of options) expect(flagged.stdout).toContain(long);
      expect(flagged.stdout).toContain("Global flags:");
    }
    expect((await pulumi("help", "up")).stdout).toBe((await pulumi("up", "--help")).stdout);
  });

  test("refuse by name each flag of the Pulumi CLI that they do not have, with a reason", async () => {
    // Each flag at one command that does not have it.
    for (const flag of refusedFlags.keys()) {
      const { code, stderr } = await pulumi("cancel", flag);
      const sentence = `^error: this emulator for the Pulumi CLI does not know ${flag}: .{10,}\n$`;
      expect([code, stderr]).toEqual([1, expect.stringMatching(sentence)]);
    }
    expect((await pulumi("up", "-v=9")).stderr).toContain("does not know --verbose:");
  });

  test.for([
    ["about", "--json"],
    ["new"],
    ["import", "x"],
    ["plugin", "install", "resource", "x"],
    ["policy", "ls"],
    ["stack", "rename", "x"],
  ])("refuse by name a command that only the Pulumi CLI has: %s", async (args) => {
    const { code, stderr } = await pulumi(...args, "--yes");
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(
        /^error: this emulator for the Pulumi CLI does not know `pulumi [a-z ]+`: .{10,}\n$/,
      ),
    ]);
  });

  test("accept flags in Go's syntax", async () => {
    const chdir = "error: chdir /nowhere: no such file or directory\n";
    expect((await pulumi("-C=/nowhere", "stack", "ls", "--json=true")).stderr).toBe(chdir);
    expect((await pulumi("stack", "ls", "--cwd=/nowhere", "--json=false")).stderr).toBe(chdir);
    expect((await pulumi("stack", "ls", "--fully-qualify-stack-names=perhaps")).stderr).toBe(
      "error: unknown flag: --fully-qualify-stack-names=perhaps\n",
    );
  });

  test("take each flag only once", () => {
    for (const command of all(program())) {
      const names = command.options.map(({ long }) => long);
      expect(new Set(names).size, pathOf(command)).toBe(names.length);
    }
  });
});
