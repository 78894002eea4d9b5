/** What a scenario is: programs, faults and commands as data, so that any engine can play it. */
import { parse } from "yaml";
import { z } from "zod";
import type { ProgramSpec, ResourceSpec } from "../harness.ts";

export interface Step {
  /** The program from now on. */
  program?: readonly ResourceSpec[] | ProgramSpec;
  /** What goes wrong at the provider from now on: see fixture/provider.cjs. */
  faults?: Readonly<Record<string, string>>;
  /** The command line; `{a}` stands for the URN of the Thing `a`. */
  run: string;
  /** What the output has to say. */
  says?: readonly string[];
}

export interface Scenario {
  /** A sentence about the engine; the file with what is expected is named after it. */
  title: string;
  steps: readonly Step[];
  /** The program has to run in its own process: one that fails in part ends otherwise than an inline one. */
  ownProcess?: boolean;
}

const props = z.record(z.string(), z.unknown());
const resourceSchema = z.strictObject({
  kind: z.enum(["component", "get", "provider"]).exactOptional(),
  type: z.string().exactOptional(),
  provider: z.string().exactOptional(),
});
const programSchema = z.strictObject({ outputs: props.exactOptional(), fail: z.string().exactOptional() });
const faultsSchema = z.record(z.string(), z.string());
/** Follows another one by its id, and is replaced with it, the old one first. */
const follower = (id: string) => ({ of: { ref: id }, replaceOn: ["of"], deleteFirst: true });

/**
 * A text has a title, which may end in "(own process)", and below it a line for each step:
 *
 *     command <- program !{faults} says [texts]
 *
 * A program is `nothing`, or resources with inputs, options and the rest of their specification, in YAML:
 * `a{value: 1}+{protect: true}~{provider: bare}`, or `~get` for the kind alone; `$a.id` is an output of another one. `%{}` has
 * the outputs of the program and its failure. `chain{}` is a resource `a` with these inputs, `b`, which follows it, and `c`,
 * which follows `b`.
 */
export function scenariosIn(text: string): Scenario[] {
  const scenarios: (Scenario & { steps: Step[] })[] = [];
  for (const line of text.trim().split("\n")) {
    if (line.startsWith("  ")) scenarios.at(-1)?.steps.push(stepIn(line.trim()));
    else {
      const title = line.replace(" (own process)", "");
      scenarios.push({ title, steps: [], ...(title !== line && { ownProcess: true }) });
    }
  }
  return scenarios;
}

function stepIn(line: string): Step {
  const [, run = "", program, faults, says] =
    /^(.*?)(?: <- (.*?))?(?: !(\{.*?\}))?(?: says (\[.*\]))?$/.exec(line) ?? [];
  return {
    run,
    ...(program !== undefined && { program: programIn(program) }),
    ...(faults !== undefined && { faults: faultsSchema.parse(parse(faults)) }),
    ...(says !== undefined && { says: z.array(z.string()).parse(parse(says)) }),
  };
}

function programIn(text: string): ProgramSpec {
  const [listed = "", more] = text.split(/ ?%(?=\{)/);
  const resources = listed === "nothing" ? [] : tokensIn(listed).flatMap(resourcesIn);
  return { resources, ...(more !== undefined && programSchema.parse(valueIn(more))) };
}

/** Cuts at spaces outside of braces. */
function tokensIn(text: string): string[] {
  const tokens = [""];
  let depth = 0;
  for (const letter of text) {
    if (letter === "{") depth += 1;
    if (letter === "}") depth -= 1;
    if (letter === " " && depth === 0) tokens.push("");
    else tokens.push(`${tokens.pop()}${letter}`);
  }
  return tokens;
}

function resourcesIn(token: string): ResourceSpec[] {
  const [, name = "", inputs = "{}", opts = "{}", more = "{}"] =
    /^([\w-]+)(\{.*?\})?(?:\+(\{.*?\}))?(?:~(.*))?$/.exec(token) ?? [];
  const spec = resourceSchema.parse(more.startsWith("{") ? valueIn(more) : { kind: more });
  const given = props.parse(valueIn(inputs));
  const one = { name, inputs: given, opts: props.parse(valueIn(opts)), ...spec };
  if (name !== "chain") return [one];
  return [
    { ...one, name: "a" },
    { name: "b", inputs: follower("a.id") },
    { name: "c", inputs: follower("b.id") },
  ];
}

/** YAML in which `$a.id` is an output of a resource. */
function valueIn(text: string): unknown {
  const found: unknown = parse(text, (_, value) =>
    typeof value === "string" && value.startsWith("$") ? { ref: value.slice(1) } : value,
  );
  return found;
}
