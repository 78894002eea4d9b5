/** What a shell needs to know to complete a command line: verbs, flags, and values, from the command itself. */
import type { Argument, Command, Option } from "commander";

/** What may stand for a value. `none`: there is no value. */
export type Values =
  | { readonly kind: "none" | "any" | "file" }
  | { readonly kind: "choices"; readonly choices: readonly string[] };

export interface Flag {
  /** The long name, then the short one. */
  readonly names: readonly string[];
  readonly description: string;
  readonly values: Values;
}

export interface Verb {
  /** Without the name of the program, which has an empty one. */
  readonly path: string;
  readonly name: string;
  readonly description: string;
  readonly verbs: readonly Verb[];
  readonly flags: readonly Flag[];
  /** Of its arguments. */
  readonly values: Values;
}

/** @param program the whole command */
export function verbTree(program: Command): Verb {
  return verbOf(program, [], []);
}

/** The verb and all verbs below it. */
export function allVerbs(verb: Verb): readonly Verb[] {
  return [verb, ...verb.verbs.flatMap(allVerbs)];
}

/** @param inherited the flags that a verb accepts from those above it */
function verbOf(command: Command, path: readonly string[], inherited: readonly Flag[]): Verb {
  const help = command.createHelp();
  const flags = help.visibleOptions(command).map(flagOf);
  const passedOn = [...inherited, ...command.options.filter((option) => option.required).map(flagOf)];
  const inner = path.length === 0 ? passedOn : inherited;
  return {
    path: path.join(" "),
    name: command.name(),
    description: brief(help.subcommandDescription(command)),
    verbs: command.commands.map((one) => verbOf(one, [...path, one.name()], inner)),
    flags: [...flags, ...inherited],
    values: valuesOfArguments(command.registeredArguments),
  };
}

function flagOf(option: Option): Flag {
  const { long, short, flags, description, required, argChoices } = option;
  const placeholder = /[<[](\w+)/.exec(flags)?.[1] ?? "";
  return {
    names: [long, short].flatMap((name) => name ?? []),
    description: brief(description),
    values: required ? valuesOf(placeholder, argChoices) : { kind: "none" },
  };
}

function valuesOfArguments([first]: readonly Argument[]): Values {
  return first === undefined ? { kind: "none" } : valuesOf(first.name(), first.argChoices);
}

const FILES: ReadonlySet<string> = new Set(["file", "path", "folder"]);

function valuesOf(placeholder: string, choices: readonly string[] | undefined): Values {
  if (choices !== undefined) return { kind: "choices", choices };
  return { kind: FILES.has(placeholder) ? "file" : "any" };
}

/** The first clause of a description: a list in a terminal has one line for each. */
function brief(description: string): string {
  return description.split(/[;:.] | \(/, 1)[0]?.replaceAll("`", "") ?? "";
}
