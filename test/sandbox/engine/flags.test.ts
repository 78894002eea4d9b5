// @module-tag ci
/** The stand-in's command line as a whole: no flag without an effect, none of Pulumi's own missing in silence. */
import type { Command } from "commander";
import { describe, expect, test } from "vitest";
import { buildProgram } from "../../../sandbox/engine/cli/program.ts";
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
  both: "yes skip-preview stack cwd config target target-dependents run-program json diff parallel message event-log",
  preview: "refresh replace expect-no-changes show-secrets",
  up: "refresh replace expect-no-changes continue-on-error show-secrets",
  refresh: "expect-no-changes",
  destroy: "refresh continue-on-error",
};
const short = { yes: "y", "skip-preview": "f", stack: "s", cwd: "C", config: "c", target: "t", refresh: "r" };
const shorter = { json: "j", parallel: "p", message: "m", debug: "d" };

describe("the stand-in's commands", () => {
  test("are those that people and the Automation API use", () => {
    const paths = shown().map(pathOf);
    const wanted = [
      ...["version", "whoami", "about", "login", "logout", "cancel", "help"],
      ...[
        "stack init",
        "stack select",
        "stack unselect",
        "stack ls",
        "stack rm",
        "stack rename",
        "stack output",
      ],
      ...["stack export", "stack import", "stack history"],
      ...[
        "config set",
        "config set-all",
        "config get",
        "config rm",
        "config rm-all",
        "config cp",
        "config refresh",
      ],
      ...["state delete", "state unprotect", "preview", "up", "refresh", "destroy"],
    ];
    expect(wanted.filter((path) => !paths.includes(path))).toEqual([]);
  });

  test.for(["preview", "up", "refresh", "destroy"] as const)("have the flags of operations: %s", (name) => {
    const command = program().commands.find((one) => one.name() === name);
    const flags = new Map(
      command?.options.filter(({ hidden }) => !hidden).map(({ long, short }) => [long, short]),
    );
    const wanted = `${operations.both} ${operations[name]} non-interactive debug`.split(" ");
    const missing = wanted.filter((flag) => !flags.has(`--${flag}`));
    expect(missing).toEqual(name === "preview" ? ["yes", "skip-preview"] : []);
    for (const [long, letter] of Object.entries({ ...short, ...shorter })) {
      if (flags.has(`--${long}`)) expect([long, flags.get(`--${long}`)]).toEqual([long, `-${letter}`]);
    }
  });

  test("say of each flag what it does, and of none that it does nothing", () => {
    for (const command of all(program())) {
      for (const { long, description, hidden } of command.options) {
        if (!hidden) expect(`${pathOf(command)} ${long}: ${description}`).toMatch(/: .{6,}/);
        expect(description).not.toMatch(/no effect|without effect|ignored|not supported|accepted/i);
      }
    }
  });

  test("tell of themselves and of every flag in their help", async () => {
    for (const command of shown()) {
      const words = command.parent ? pathOf(command).split(" ") : [];
      const [asked, flagged] = [await pulumi("help", ...words), await pulumi(...words, "--help")];
      expect([asked.code, flagged.code, asked.stdout]).toEqual([0, 0, flagged.stdout]);
      const options = command.options.filter(({ hidden }) => !hidden);
      for (const { long } of options) expect(asked.stdout).toContain(long);
      expect(asked.stdout).toContain("Global flags:");
    }
    expect((await pulumi("help", "stack", "list")).stdout).toContain("list the project's stacks");
    expect(await pulumi("help", "nope")).toMatchObject({
      code: 1,
      stderr: "error: Unknown help topic: nope\n",
    });
  });

  test("refuse by name each flag of the real one that they do not have, with what to do instead", async () => {
    const hidden = (command: Command) => command.options.filter((option) => option.hidden);
    const flags = all(program()).flatMap((command) => {
      const path = pathOf(command)
        .split(" ")
        .filter((word) => word !== "pulumi");
      return hidden(command).map(({ long }) => [long ?? "", path] as const);
    });
    // Each flag at one command that refuses it.
    for (const [flag, path] of new Map(flags)) {
      const { code, stderr } = await pulumi(...path, flag);
      const sentence = `^error: this stand-in for the Pulumi CLI does not know ${flag}: .{10,}\n$`;
      expect([code, stderr]).toEqual([1, expect.stringMatching(sentence)]);
    }
    const up = program().commands.find((command) => command.name() === "up");
    const refused = up ? hidden(up).map(({ long }) => long) : [];
    expect(refused).toEqual(
      expect.arrayContaining(["--policy-pack", "--attach-debugger", "--plan", "--tracing"]),
    );
  });

  test.for([
    ["new"],
    ["import", "x"],
    ["plugin", "install", "resource", "x"],
    ["policy", "ls"],
    ["stack", "tag", "ls"],
  ])("refuse by name a command of the real one that is not among them: %s", async (args) => {
    const { code, stderr } = await pulumi(...args, "--yes");
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(
        /^error: this stand-in for the Pulumi CLI does not know `pulumi [a-z ]+`: .{10,}\n$/,
      ),
    ]);
  });

  test("take flags as Go writes them, and from PULUMI_OPTION_ variables", async () => {
    const chdir = "error: chdir /nowhere: no such file or directory\n";
    expect((await pulumi("-C=/nowhere", "stack", "ls", "--all=true")).stderr).toBe(chdir);
    expect((await pulumi("stack", "ls", "--cwd=/nowhere", "--json=false")).stderr).toBe(chdir);
    expect((await pulumi("stack", "ls", "--all=perhaps")).stderr).toBe(
      "error: unknown flag: --all=perhaps\n",
    );
    const byVariable = await runHere(["stack", "ls"], { PULUMI_OPTION_CWD: "/nowhere" });
    expect(byVariable).toMatchObject({ code: 1, stderr: chdir });
  });

  test("hold the name of each flag to what it means on one command alone", () => {
    for (const command of all(program())) {
      const names = command.options.map(({ long }) => long);
      expect(new Set(names).size, pathOf(command)).toBe(names.length);
    }
  });
});
