/** The completion for fish, with descriptions. */
import { allVerbs, type Flag, type Values, type Verb } from "./tree.ts";

export function fishCompletion(program: Verb): string {
  return [
    "# fish completion for orgseat. Load it with: orgseat completion fish | source",
    "function __orgseat_needs_verb",
    `  not __fish_seen_subcommand_from ${namesOf(program)}`,
    "end",
    "complete -c orgseat -f",
    ...allVerbs(program).flatMap(linesOf),
  ].join("\n");
}

function linesOf(verb: Verb): string[] {
  const begin = `complete -c orgseat -n ${quoted(conditionOf(verb))}`;
  const inner = verb.verbs.map(({ name, description }) => `${begin} -a ${name} -d ${quoted(description)}`);
  const own = argumentsOf(verb.values);
  return [
    ...inner,
    ...(inner.length > 0 || own === "" ? [] : [`${begin} ${own}`]),
    ...verb.flags.map((flag) => `${begin} ${flagWords(flag)} -d ${quoted(flag.description)}`),
  ];
}

/** The words so far name the verb, and no verb below it. */
function conditionOf({ path, verbs }: Verb): string {
  if (path === "") return "__orgseat_needs_verb";
  const seen = path.split(" ").map((name) => `__fish_seen_subcommand_from ${name}`);
  const notSeen = verbs.length === 0 ? [] : [`not __fish_seen_subcommand_from ${namesOf({ verbs })}`];
  return [...seen, ...notSeen].join("; and ");
}

function namesOf({ verbs }: Pick<Verb, "verbs">): string {
  return verbs.map(({ name }) => name).join(" ");
}

function flagWords({ names, values }: Flag): string {
  const words = names.map((name) => (name.startsWith("--") ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`));
  return [...words, ...valueWords(values)].join(" ");
}

/** `-x`: a value that is not a file; `-r -F`: a file. */
function valueWords(values: Values): string[] {
  if (values.kind === "none") return [];
  if (values.kind === "choices") return ["-x", "-a", quoted(values.choices.join(" "))];
  return values.kind === "file" ? ["-r", "-F"] : ["-x"];
}

function argumentsOf(values: Values): string {
  if (values.kind === "choices") return `-a ${quoted(values.choices.join(" "))}`;
  return values.kind === "file" ? "-F" : "";
}

/** In fish, a backslash escapes in single quotes too. */
function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
