/** The global flags, and the syntax of all flags. */
import { type Command, InvalidArgumentError, Option } from "commander";

export const stackFlag = ["-s, --stack <name>", "the stack; by default the selected one"] as const;
export const configFileFlag = [
  "--config-file <path>",
  "use this file instead of Pulumi.<stack>.yaml",
] as const;
export const yesFlag = ["-y, --yes", "do not ask"] as const;
export const jsonFlag = ["-j, --json", "print JSON"] as const;
export const showSecretsFlag = ["--show-secrets", "print secrets in plain text"] as const;

/** A whole number, as a flag's value. */
export function parseInteger(text: string): number {
  if (!/^-?\d+$/.test(text)) throw new InvalidArgumentError("not a whole number");
  return Number(text);
}

/** For a flag that may be repeated. */
export function collect(value: string, previous: string[] = []): string[] {
  return [...previous, value];
}

/** Adds the global flags to every command of the tree. */
export function addGlobalFlags(command: Command): void {
  command.optionsGroup("Global flags:");
  const flags = [
    new Option("--color <when>", "colors in the output").choices(["always", "never", "auto"]),
    new Option("-C, --cwd <folder>", "run as if started in this folder"),
    new Option("-Q, --fully-qualify-stack-names", "show stacks as organization/<project>/<stack>"),
    new Option("--non-interactive", "never ask"),
  ];
  for (const flag of flags) command.addOption(flag);
  for (const child of command.commands) addGlobalFlags(child);
}

/**
 * Rewrites flags from Go's syntax to commander's: `--yes=true`, `--yes=false` and `-s=dev`.
 * @param off takes up the names of the switches that are set to false
 */
export function readArguments(given: readonly string[], program: Command, off: Set<string>): string[] {
  const switches = new Map(booleansOf(program).flatMap((option) => namesOf(option)));
  const args: string[] = [];
  for (const [index, arg] of given.entries()) {
    if (arg === "--") return [...args, ...given.slice(index)];
    const [, name = "", value = ""] = /^(--[a-z-]+|-[a-zA-Z])=(.*)$/s.exec(arg) ?? [];
    const attribute = switches.get(name);
    const on = attribute === undefined ? undefined : truth(value);
    if (on === true) args.push(name);
    else if (on === false && attribute !== undefined) off.add(attribute);
    else args.push(/^-[a-zA-Z]$/.test(name) ? `${name}${value}` : arg);
  }
  return args;
}

function booleansOf(command: Command): Option[] {
  return [...command.options.filter((option) => option.isBoolean()), ...command.commands.flatMap(booleansOf)];
}

function namesOf(option: Option): [string, string][] {
  const names = [option.long, option.short].filter((name) => name !== undefined && name !== null);
  return names.map((name) => [name, option.attributeName()]);
}

/** A truth value as Go's flags read it; undefined for anything else. */
export function truth(text: string): boolean | undefined {
  if (/^(1|t|true)$/i.test(text)) return true;
  return /^(0|f|false)$/i.test(text) ? false : undefined;
}
