/** What the functions for bash and zsh have in common: lines that both shells read the same way. */
import { allVerbs, type Values, type Verb } from "./tree.ts";

/** The function that says what follows a flag. */
export function valueFunction(program: Verb, commandOf: (values: Values) => string): string {
  return `_orgseat_value() {
  # What follows the flag $2 of the verb $1: a list of words, files, or nothing known.
  kind=none
  case "$1:$2" in
${indented(valueCases(program, commandOf), 4)}
  esac
}`;
}

/** The part of a loop over the typed words that skips flags with their values, and follows the verbs. */
export function followWord(program: Verb): string {
  return `    if [[ -n $skip ]]; then skip=""; continue; fi
    if [[ $word == -* ]]; then
      _orgseat_value "$verb" "$word"
      if [[ $kind != none ]]; then skip=yes; fi
      continue
    fi
    case "$verb:$word" in
${indented(pathCases(program), 6)}
    esac`;
}

/** One branch for each verb below another one: the path of a verb and a word give the path of the next verb. */
function pathCases(program: Verb): string[] {
  return allVerbs(program).flatMap(({ path, verbs }) =>
    verbs.map((verb) => `"${path}:${verb.name}") verb="${verb.path}" ;;`),
  );
}

/** One branch for each kind of value, with the flags that take it. @param indent of a command below a branch */
function valueCases(program: Verb, commandOf: (values: Values) => string): string[] {
  const flags = allVerbs(program).flatMap(({ path, flags }) =>
    flags.flatMap(({ names, values }) =>
      values.kind === "none"
        ? []
        : names.map((name) => ({ pattern: `"${path}:${name}"`, command: commandOf(values) })),
    ),
  );
  return [...Map.groupBy(flags, ({ command }) => command)].map(
    ([command, own]) => `${own.map(({ pattern }) => pattern).join("|")}) ${command} ;;`,
  );
}

export function indented(lines: readonly string[], spaces: number): string {
  return lines.map((line) => `${" ".repeat(spaces)}${line}`).join("\n");
}
