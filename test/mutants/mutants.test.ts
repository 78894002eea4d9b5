/** That no mutant has rotted; `npm run test:mutants:named` shows that each is noticed. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { packageRoot } from "../../sandbox/pulumi/package-root.ts";
import { textsOf } from "../interface/rows.ts";
import { mutants } from "./index.ts";
import { broken } from "./mutant.ts";

const read = (file: string) => readFileSync(join(packageRoot, file), "utf8");

describe("the mutants", () => {
  test("fit the code: what each breaks stands in its file exactly once", () => {
    for (const mutant of mutants) expect(broken(mutant, read(mutant.file))).not.toBe(read(mutant.file));
  });

  test("name tests that are there", () => {
    const missing = mutants.flatMap(({ name, tests, only = "" }) =>
      tests.some((file) => textsOf(join(packageRoot, file)).includes(only)) ? [] : [name],
    );
    expect(missing).toEqual([]);
  });

  test("carry different names", () => {
    expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length);
  });
});

describe("a mutant that does not fit", () => {
  const mutant = { name: "x", file: "f", find: "a", replace: "b", tests: [] };
  test.each(["", "no", "a and a"])("%j is an error", (text) => {
    expect(() => broken(mutant, text)).toThrow(/mutant "x": its text stands \d times in f/);
  });
});
