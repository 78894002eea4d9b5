/** What the flags of all commands have in common: the global ones, how they are written, those that are refused. */
import { type Command, InvalidArgumentError, Option } from "commander";
import { UserError } from "../errors.ts";

export const stackFlag = ["-s, --stack <name>", "the stack; without it the one that is selected"] as const;
export const configFileFlag = [
  "--config-file <path>",
  "use this file instead of Pulumi.<stack>.yaml",
] as const;
export const yesFlag = ["-y, --yes", "do not ask"] as const;

/** A whole number, as a flag's value. */
export function wholeNumber(text: string): number {
  if (!/^-?\d+$/.test(text)) throw new InvalidArgumentError("a whole number is expected");
  return Number(text);
}

/** For a flag that may be repeated. */
export function collect(value: string, previous: string[] = []): string[] {
  return [...previous, value];
}

/** `--output default|json`, and `--json` for the same, as Pulumi's commands have them. */
export function outputFlags(command: Command): Command {
  return command
    .addOption(new Option("--output <format>", "how to print it").choices(["default", "json"]))
    .addOption(new Option("-j, --json", "as JSON, the same as --output json").conflicts("output"));
}

export function wantsJson({ json, output }: { json?: boolean; output?: string }): boolean {
  return json === true || output === "json";
}

/** Flags of the real CLI that are refused: what the flag is, and what to do instead. */
export type Refusals = Readonly<Record<string, string>>;

export function refuseFlags(command: Command, refusals: Refusals): void {
  for (const [flags, instead] of Object.entries(refusals)) {
    const option = new Option(`${flags} [value]`).hideHelp();
    if (command.options.some(({ long }) => long === option.long)) continue;
    command.addOption(option);
    command.on(`option:${option.name()}`, () => {
      throw new UserError(`this stand-in for the Pulumi CLI does not know ${option.long}: ${instead}`);
    });
  }
}

const refusedGlobally: Refusals = {
  "--disable-integrity-checking": "it always checks what it reads of a state",
  "--logflow": "programs and providers write their own logs, which their own variables switch on",
  "--memprofilerate": "to profile it, run it by `node --cpu-prof`",
  "--otel-traces": "trace with the real Pulumi CLI",
  "--profiling": "to profile it, run it by `node --cpu-prof`",
  "--tracing": "trace with the real Pulumi CLI; `-v 9 --logtostderr` logs steps and calls of providers",
  "--tracing-header": "trace with the real Pulumi CLI",
};

/** Gives every command of the tree the global flags, but for those that the command has for itself. */
export function addGlobalFlags(command: Command): void {
  command.optionsGroup("Global flags:");
  const flags = [
    new Option("--color <when>", "colors in the output").choices(["always", "never", "auto"]),
    new Option("-C, --cwd <folder>", "run as if started in this folder"),
    new Option("-e, --emoji", "emojis in the output"),
    new Option("-Q, --fully-qualify-stack-names", "show stacks as organization/<project>/<stack>"),
    new Option("--logtostderr", "write what -v asks for to the standard error instead of a file"),
    new Option("--non-interactive", "never ask"),
    new Option("-v, --verbose <level>", "log steps, from 5 on calls of providers too").argParser(wholeNumber),
  ];
  for (const flag of flags) {
    if (!command.options.some(({ long }) => long === flag.long)) command.addOption(flag);
  }
  refuseFlags(command, refusedGlobally);
  for (const child of command.commands) addGlobalFlags(child);
}

/**
 * The arguments as commander reads them, out of Go's ways of writing flags: `--yes=true`, `--yes=false` and `-s=dev`.
 * What is switched off is added to `off`.
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

/** Options that were not given, from PULUMI_OPTION_<FLAG>, as with Pulumi's own. */
export function optionsFromEnvironment(command: Command, env: NodeJS.ProcessEnv): void {
  for (const option of command.options) {
    const name = option.name().replaceAll("-", "_").toUpperCase();
    const text = env[`PULUMI_OPTION_${name}`];
    const key = option.attributeName();
    const source = command.getOptionValueSource(key);
    if (text === undefined || option.hidden || (source !== undefined && source !== "default")) continue;
    const { parseArg } = option;
    const isList = parseArg === collect;
    const value = option.isBoolean()
      ? truth(text)
      : isList
        ? text.split(",")
        : parseArg
          ? parseArg(text, undefined)
          : text;
    if (value !== undefined) command.setOptionValueWithSource(key, value, "env");
  }
}
