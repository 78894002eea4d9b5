/** The command line itself: its flags, its help and its errors, without a run. */
import { realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { afterEach, describe, expect, test, vi } from "vitest";
import { commandLine, main } from "../../../command/cli/main.ts";
import { reportSchema } from "../../../command/report/schema.ts";
import { temporaryFolder } from "../../setup/temporary.ts";

/** @returns what the command line prints before it exits */
async function errorOf(...args: string[]): Promise<string> {
  let text = "";
  const writeErr = (part: string): void => {
    text += part;
  };
  const program = commandLine();
  for (const command of [program, ...program.commands]) command.exitOverride().configureOutput({ writeErr });
  await expect(program.parseAsync(args, { from: "user" })).rejects.toThrow();
  return text;
}

function verbNamed(name: string): Command {
  const found = commandLine().commands.find((command) => command.name() === name);
  if (found === undefined) throw new Error(`no verb ${name}`);
  return found;
}

afterEach(() => void vi.restoreAllMocks());

describe("orgseat", () => {
  test("prints its help, which begins with the verbs of every day, and exits with 0 if it gets no arguments", async () => {
    const printed = vi.spyOn(console, "log").mockImplementation(() => undefined);
    const before = process.exitCode;
    await main(["node", "orgseat"]);
    const help = printed.mock.calls.join("\n");
    expect(help).toMatch(/^Usage: orgseat /);
    const [, everyday = ""] = /\nEveryday:\n((?: {2}.*\n)+)/.exec(help) ?? [];
    const verbs = [...everyday.matchAll(/^ {2}(\w+)/gm)].map(([, verb]) => verb);
    expect(verbs).toEqual(["preview", "up", "offboard", "rotate", "list"]);
    expect(process.exitCode).toBe(before);
  });

  test.each([
    ["apply", "up"],
    ["plan", "preview"],
    ["delete", "offboard"],
    ["previw", "preview"],
    ["offbord", "offboard"],
  ])("answers %s with a hint at %s", async (verb, meant) => {
    expect(await errorOf(verb, "--yes")).toContain(
      `orgseat: unknown command \`${verb}\`; did you mean \`${meant}\`?`,
    );
  });

  test("suggests nothing for a word that resembles no verb", async () => {
    expect(await errorOf("bananas")).toMatch(/^orgseat: unknown command `bananas` \[invalid-flag\]\n/);
  });

  test.each([
    ["renew", ["--new-stack", "--secrets-provider"]],
    ["rotate", ["--new-stack", "--secrets-provider"]],
    ["adopt", ["--approve", "--never-remove"]],
    ["destroy", ["--new-stack", "--full", "--secrets-provider"]],
  ])("refuses flags that %s would ignore: %j", async (verb, flags) => {
    for (const flag of flags) expect(await errorOf(verb, flag)).toContain(`unknown option '${flag}'`);
  });

  test("runs in the folder of -C, before and after the verb", async () => {
    const [folder, before] = [realpathSync(temporaryFolder()), process.cwd()];
    writeFileSync(
      join(folder, "people.csv"),
      "# organization: 1b4e28ba-2fa1-11d2-883f-0016d3cca427\nemail\nada@acme.example\n",
    );
    const printed = vi.spyOn(console, "log").mockImplementation(() => undefined);
    try {
      for (const args of [
        ["-C", folder, "preview", "--offline"],
        ["preview", "--offline", "-C", folder],
      ]) {
        process.chdir(before);
        await main(["node", "orgseat", ...args]);
        expect(printed.mock.lastCall).toEqual(["people.csv is valid: 1 person"]);
      }
    } finally {
      process.chdir(before);
    }
    const missing = ["-C", join(folder, "none"), "list"];
    await expect(commandLine().parseAsync(missing, { from: "user" })).rejects.toThrow(
      /^cannot run in \S+none: ENOENT: no such file or directory. Pass an existing folder to --cwd$/,
    );
  });

  test("shows flags for experts only in the help that asks for all", async () => {
    const printed = vi.spyOn(console, "log").mockImplementation(() => undefined);
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    vi.spyOn(process, "exit").mockImplementation(() => {
      throw new Error("the process ends");
    });
    const before = process.exitCode;
    const helpWith = async (...more: string[]): Promise<string> => {
      printed.mockClear();
      await main(["node", "orgseat", "help", ...more]);
      return printed.mock.calls.join("\n");
    };
    const [whole, brief] = [await helpWith("up", "--all"), await helpWith("up")];
    const all = await helpWith("--all");
    process.exitCode = before;
    for (const verb of commandLine().commands) expect(all).toContain(`\nUsage: orgseat ${verb.name()} `);
    expect(all).toContain(" --refresh-tokens");
    for (const flag of ["--refresh-tokens", "--plan-max-age", "--new-stack"]) {
      expect(whole).toContain(` ${flag}`);
      expect(brief).not.toContain(` ${flag}`);
    }
  });

  test.each(["0", "some", "-1"])("refuses --refresh-tokens=%s", async (given) => {
    expect(await errorOf("preview", `--refresh-tokens=${given}`)).toContain(
      "expected all, or a whole number, 1 or more",
    );
  });

  test.each(["soon", "600"])("expects a duration as --lock-timeout, not %s", async (text) => {
    expect(await errorOf("offboard", "bob", "--lock-timeout", text)).toContain(
      "expected a number with a unit (ms, s, m, h, or d), such as 30s, 12h, or 30d",
    );
  });

  test("takes one person with each --never-remove, and leaves the next argument to the verb", async () => {
    const rotate = verbNamed("rotate");
    const parsed = rotate.parseOptions(["--never-remove", "ada", "--never-remove", "bob", "carl"]);
    expect(parsed.operands).toEqual(["carl"]);
    expect(rotate.opts()).toMatchObject({ neverRemove: ["ada", "bob"] });
  });
});

describe("the help", () => {
  /** @param width of the terminal; undefined without one */
  function helpOf(command: Command, width?: number): string {
    let text = "";
    command.configureOutput({
      ...(width !== undefined && { getOutHelpWidth: () => width }),
      writeOut: (part) => {
        text += part;
      },
    });
    command.outputHelp();
    return text;
  }
  const verbs = () => commandLine().commands.map((command) => [command.name(), command] as const);

  test.each(verbs())("fits %s into 80 columns without a terminal", (_name, command) => {
    expect(
      helpOf(command)
        .split("\n")
        .filter((line) => line.length > 80),
    ).toEqual([]);
  });

  test.each(verbs())("shows an example of %s", (name, command) => {
    const [, examples = ""] = helpOf(command).split("\nExamples:\n");
    expect(examples).toMatch(/^ {2}# [A-Z]/);
    expect(examples).toContain(`orgseat ${name}`);
  });

  test.each(verbs())("begins each description of %s with a capital letter", (_name, command) => {
    const descriptions = [command, ...command.options, ...command.registeredArguments].map((one) =>
      one instanceof Command ? one.description() : one.description,
    );
    expect(descriptions.filter((text) => !/^[A-Z].*[^.]$/.test(text))).toEqual([]);
  });

  test("gives each command one line, and all long flags one column", () => {
    const [, commands = ""] = helpOf(commandLine()).split("\nEveryday:\n");
    const [listed = ""] = commands.split("\n\nExit codes");
    expect(listed.split("\n").filter((line) => !/^( {2}\w+ {2,}\S.*|\w+:|)$/.test(line))).toEqual([]);
    const flags = verbs().flatMap(([, command]) => helpOf(command).match(/^ {2,6}(-\w, )?--[a-z]/gm) ?? []);
    expect(flags.filter((flag) => !/^ {2}( {4}|-\w, )--/.test(flag))).toEqual([]);
  });

  test("names the fields of --json", () => {
    const [, fields = ""] = helpOf(verbNamed("list")).split("\nJSON fields:\n");
    const named = fields.split("\n\n")[0]?.split(/,?\s+/).filter(Boolean);
    expect(named).toEqual(Object.keys(reportSchema.shape.people.element.shape).toSorted());
  });

  test("wraps the paragraphs and the flags at the width of the terminal", () => {
    const widest = (width: number) =>
      Math.max(
        ...helpOf(verbNamed("up"), width)
          .split("\n")
          .map((line) => line.length),
      );
    expect(widest(70)).toBeLessThanOrEqual(70);
    expect(widest(120)).toBeGreaterThan(110);
    expect(widest(120)).toBeLessThanOrEqual(120);
  });
});
