/** What a scenario is: programs, faults and commands as data, so that any engine can play it. */
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
  /** The program has to run in a process of its own: one that fails in part ends otherwise than an inline one. */
  ownProcess?: boolean;
}

/** A resource of the program. */
export function thing(
  name: string,
  inputs: Record<string, unknown> = {},
  opts: Record<string, unknown> = {},
): ResourceSpec {
  return { name, inputs, opts };
}

export function group(name: string, opts: Record<string, unknown> = {}): ResourceSpec {
  return { name, kind: "component", opts };
}

/** Three resources in a row, each by the id of the one before. */
export function chain(value: unknown, extra: Record<string, unknown> = {}): ResourceSpec[] {
  return [
    thing("a", { value, ...extra }),
    thing("b", { of: { ref: "a.id" }, replaceOn: ["of"], deleteFirst: true }),
    thing("c", { of: { ref: "b.id" }, replaceOn: ["of"], deleteFirst: true }),
  ];
}
