/** The completion for bash. It needs no other package. */
import { followWord, indented, valueFunction } from "./posix.ts";
import { allVerbs, type Values, type Verb } from "./tree.ts";

export function bashCompletion(program: Verb): string {
  return `# bash completion for orgseat. Load it with: source <(orgseat completion bash)
${valueFunction(program, assignment)}

_orgseat() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}"
  local verb="" kind="" choices="" word="" skip="" i
  # Bash makes an equals sign a separate word.
  if [[ $cur == "=" ]]; then cur=""
  elif [[ $prev == "=" ]]; then prev="\${COMP_WORDS[COMP_CWORD-2]}"; fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    if [[ $word == "=" ]]; then continue; fi
${followWord(program)}
  done
  _orgseat_value "$verb" "$prev"
  if [[ $kind == none ]]; then
    case "$verb" in
${indented(allVerbs(program).map(wordsCase), 6)}
    esac
  fi
  case "$kind" in
    choices) COMPREPLY=($(compgen -W "$choices" -- "$cur")) ;;
    file) compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- "$cur")) ;;
    *) COMPREPLY=() ;;
  esac
}

complete -F _orgseat orgseat`;
}

function assignment(values: Values): string {
  return values.kind === "choices"
    ? `kind=choices; choices="${values.choices.join(" ")}"`
    : `kind=${values.kind}`;
}

/** The flags of a verb, or what else may follow it. */
function wordsCase({ path, verbs, flags, values }: Verb): string {
  const names = flags.flatMap((flag) => flag.names);
  const inner = verbs.map(({ name }) => name);
  const others = inner.length > 0 ? assignment({ kind: "choices", choices: inner }) : assignment(values);
  const ofFlags = assignment({ kind: "choices", choices: names });
  return `"${path}") if [[ $cur == -* ]]; then ${ofFlags}; else ${others}; fi ;;`;
}
