/** The completion for zsh, with descriptions. */
import { shellQuoted } from "../../../provider/util/text.ts";
import { followWord, indented, valueFunction } from "./posix.ts";
import { allVerbs, type Flag, type Values, type Verb } from "./tree.ts";

export function zshCompletion(program: Verb): string {
  return `#compdef orgseat
# zsh completion for orgseat. Load it with: source <(orgseat completion zsh)
${valueFunction(program, assignment)}

_orgseat() {
  local cur="\${words[CURRENT]}" prev="\${words[CURRENT-1]}"
  local verb="" kind="" word="" skip="" i
  local -a choices
  for ((i = 2; i < CURRENT; i++)); do
    word="\${words[i]}"
${followWord(program)}
  done
  if [[ $cur == --*=* ]]; then prev="\${cur%%=*}"; compset -P '*='; fi
  _orgseat_value "$verb" "$prev"
  if [[ $kind == none ]]; then
    case "$verb" in
${indented(allVerbs(program).flatMap(wordsCase), 6)}
    esac
  fi
  case "$kind" in
    choices) _describe orgseat choices ;;
    file) _files ;;
  esac
}

compdef _orgseat orgseat`;
}

function assignment(values: Values): string {
  return values.kind === "choices"
    ? list(values.choices.map((choice) => [choice, ""]))
    : `kind=${values.kind}`;
}

function list(entries: readonly (readonly [word: string, description: string])[]): string {
  const words = entries.map(([word, description]) =>
    shellQuoted(description === "" ? word : `${word}:${description.replaceAll(":", "\\:")}`),
  );
  return `kind=choices; choices=(${words.join(" ")})`;
}

/** The flags of a verb, or what else may follow it. */
function wordsCase({ path, verbs, flags, values }: Verb): string[] {
  const ofFlags = list(flags.flatMap(entriesOf));
  const others =
    verbs.length > 0
      ? list(verbs.map(({ name, description }) => [name, description] as const))
      : assignment(values);
  return [
    `"${path}")`,
    "  if [[ $cur == -* ]]; then",
    `    ${ofFlags}`,
    "  else",
    `    ${others}`,
    "  fi ;;",
  ];
}

function entriesOf({ names, description }: Flag): (readonly [string, string])[] {
  return names.map((name) => [name, description]);
}
