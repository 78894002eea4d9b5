/**
 * Each command line of the pages is one that exists: its verb and its flags. The tests that run them: runs.test.ts beside
 * this one has those of orgseat, test/examples/ those of the examples, test/start/ and test/tour/ those of npm, and
 * sandbox.test.ts those of curl.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Command } from "commander";
import { beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { commandLine } from "../../command/cli/main.ts";
import { createProgram } from "../../sandbox/cli.ts";
import { packageRoot } from "../../sandbox/pulumi/package-root.ts";
import { pulumiCommand, pulumiReady } from "../setup/project.ts";
import { type CommandLine, commandLines } from "./command-lines.ts";
import { allPages, page } from "./pages.ts";

const { scripts } = z
  .object({ scripts: z.record(z.string(), z.string()) })
  .parse(JSON.parse(page("package.json")));

beforeAll(pulumiReady);

/** Why a line cannot be run; undefined if it can. */
function fault({ page: path, words: all }: CommandLine): string | undefined {
  const start = all.findIndex((word) => !/^[A-Z_]+=/.test(word));
  // A line of assignments alone.
  if (start < 0) return undefined;
  const words = all.slice(start);
  const [first = "", second = "", ...rest] = words;
  switch (first) {
    case "npx":
    case "orgseat":
    case "node_modules/.bin/orgseat": {
      const [tool, args] = first === "npx" ? [second, rest] : ["orgseat", words.slice(1)];
      if (tool === "orgseat") return faultOfArguments(commandLine(), args);
      if (tool === "pulumi") return faultOfPulumi(args);
      return args[0] === "pulumi" ? faultOfPulumi(args.slice(1)) : faultOfArguments(createProgram(), args);
    }
    case "pulumi":
      return faultOfSetting(words.slice(1)) ?? faultOfPulumi(words.slice(1));
    case "npm":
      return faultOfNpm(second, rest);
    case "node":
      return [dirname(path), "examples/automation-program"].some((folder) =>
        existsSync(join(packageRoot, folder, second)),
      )
        ? undefined
        : `no file ${second}`;
    case "curl":
      return path === "docs/internal/sandbox.md" ? undefined : "only docs/internal/sandbox.md is tested";
    case "age":
    case "age-keygen":
      return /sealed/i.test(page(path)) ? undefined : "only pages about sealed tokens need it";
    case ".":
      return second === "./orgseat.env" ? undefined : `no command writes ${second}`;
    case "set":
      return /^[+-]a$/.test(second) ? undefined : `set ${second} is not for a file of variables`;
    case "cd":
    case "mkdir":
    case "rm":
    case "umask":
    case "export":
      return undefined;
    default:
      return "no test knows this command";
  }
}

/** By its arguments. */
const known = new Map<string, string | undefined>();

function faultOfPulumi(args: readonly string[]): string | undefined {
  const key = JSON.stringify(args);
  if (!known.has(key)) known.set(key, helpFault(args));
  return known.get(key);
}

/** What the CLI says of a command line that only asks for help: it parses all flags before. */
function helpFault(args: readonly string[]): string | undefined {
  const { stdout, stderr } = spawnSync(pulumiCommand, [...args, "--help"], { encoding: "utf8" });
  const [problem] = /^error: .*/m.exec(stderr) ?? [];
  if (problem !== undefined) return problem;
  const [, usage = ""] = /^Usage:\n +pulumi(.*)$/m.exec(stdout) ?? [];
  const next = args[usage.split(" ").filter((word) => /^\w/.test(word)).length];
  // A command that does not exist is answered with the list of those beside it.
  const isUnknown = next !== undefined && !next.startsWith("-") && stdout.includes("Available Commands:");
  return isUnknown ? `no command ${next}` : undefined;
}

/** Pulumi refuses a value that looks like a secret, as nearly every value of such a key does. */
function faultOfSetting([verb, action, ...rest]: readonly string[]): string | undefined {
  if (verb !== "config" || action !== "set" || /^--(secret|plaintext)$/m.test(rest.join("\n")))
    return undefined;
  const key = rest.find((word) => !word.startsWith("-")) ?? "";
  return /pass|pwd|secret|token/i.test(key) ? `${key} needs --secret or --plaintext` : undefined;
}

function faultOfNpm(verb: string, [script = ""]: readonly string[]): string | undefined {
  if (["ci", "init", "install", "pack", "pkg"].includes(verb)) return undefined;
  const name = verb === "run" ? script : verb;
  return name in scripts ? undefined : `package.json has no script ${name}`;
}

function faultOfArguments(program: Command, args: readonly string[]): string | undefined {
  let command = program;
  const flags = new Map(program.options.map((option) => [option.long ?? "", option]));
  let takesValue = false;
  for (const arg of args) {
    const inner = command.commands.find((one) => one.name() === arg || one.aliases().includes(arg));
    if (takesValue) takesValue = false;
    else if (arg.startsWith("-")) {
      const option = flags.get(arg.replace(/^-y$/, "--yes"));
      if (option === undefined) return `${command.name()} has no flag ${arg}`;
      takesValue = option.required;
    } else if (inner !== undefined) {
      command = inner;
      for (const option of inner.options) flags.set(option.long ?? "", option);
    } else if (
      command === program ||
      (command.commands.length > 0 && command.registeredArguments.length === 0)
    ) {
      return `no command ${arg}`;
    }
  }
  return undefined;
}

test.each(allPages())("the command lines of %s", (path) => {
  const faults = commandLines(path).flatMap((line) => {
    const found = fault(line);
    return found === undefined ? [] : [`${line.text}: ${found}`];
  });
  expect(faults).toEqual([]);
});

test("a line that does not exist is noticed", () => {
  const line = (text: string) => fault({ page: "README.md", text, words: text.split(" ") });
  expect(line("npx orgseat up --yes")).toBeUndefined();
  expect(line("npx orgseat upp")).toBe("no command upp");
  expect(line("npx orgseat up --patience 3")).toBe("up has no flag --patience");
  expect(line("npm run nothing")).toBe("package.json has no script nothing");
  expect(line("pulumi stack outputt x")).toBe("no command outputt");
  expect(line("pulumi up --patience 3")).toBe("error: unknown flag: --patience");
  expect(line("pulumi config set --plaintext orgseat:tokenUrl x")).toBeUndefined();
  expect(line("pulumi config set orgseat:tokenUrl x")).toBe("orgseat:tokenUrl needs --secret or --plaintext");
});
