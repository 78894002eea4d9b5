import type { Mutant } from "./mutant.ts";

const test = (name: string) => `test/sandbox/service/${name}.test.ts`;
const file = (name: string) => `sandbox/service/${name}.ts`;

export type Break = Pick<Mutant, "name" | "find" | "replace" | "only" | "rows">;

/** Breaks of one file of the service that one file of tests notices. */
export function breaks(broken: string, noticing: string, list: readonly Break[]): Mutant[] {
  return list.map(({ name, ...rest }) => ({
    name: `model area: ${name}`,
    file: file(broken),
    tests: [test(noticing)],
    ...rest,
  }));
}
