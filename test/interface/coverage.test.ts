/** That every row of the interface has a test that names it, and a mutant that this test notices. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { packageRoot } from "../../sandbox/pulumi/package-root.ts";
import { mutants } from "../mutants/index.ts";
import { rows, rowsNamedIn, textsIn, textsOf } from "./rows.ts";

const ids = rows.map(({ id }) => id);
const texts = new Map(
  readdirSync(join(packageRoot, "test"), { recursive: true, encoding: "utf8" })
    .map((name) => `test/${name.replaceAll("\\", "/")}`)
    .filter((path) => path.endsWith(".test.ts"))
    // What it has of ids are examples.
    .filter((path) => path !== "test/interface/coverage.test.ts")
    .map((path) => [path, textsOf(join(packageRoot, path))]),
);

describe("every row of the interface", () => {
  test("carries its own id", () => {
    expect(ids).toEqual([...new Set(ids)]);
    expect(ids.filter((id) => rowsNamedIn(`${id}: a case`).join() !== id)).toEqual([]);
  });

  test("stands in the title of a test", () => {
    const named = new Set([...texts.values()].flatMap(rowsNamedIn));
    expect(ids.filter((id) => !named.has(id))).toEqual([]);
  });

  test("breaks by a mutant", () => {
    const broken = new Set(mutants.flatMap((mutant) => mutant.rows ?? []));
    expect(ids.filter((id) => !broken.has(id))).toEqual([]);
  });
});

describe("a mutant that breaks a row", () => {
  test("names a row that is there, and a file with a test that names it", () => {
    const astray = mutants.flatMap(({ name, rows = [], tests }) => {
      const named = new Set(tests.flatMap((path) => rowsNamedIn(texts.get(path) ?? "")));
      return rows.filter((id) => !ids.includes(id) || !named.has(id)).map((id) => `${name}: ${id}`);
    });
    expect(astray).toEqual([]);
  });
});

describe("every decision of docs/internal/contract.md", () => {
  const contract = readFileSync(join(packageRoot, "docs/internal/contract.md"), "utf8");
  const decisions = [...contract.matchAll(/^- \*\*(D\d+)\*\* /gm)].map(([, id = ""]) => id);

  test("stands in the title of a test", () => {
    const named = new Set([...texts.values()].flatMap((text) => text.match(/\bD\d+\b/g) ?? []));
    expect(decisions.length).toBeGreaterThan(50);
    expect(decisions.filter((id) => !named.has(id))).toEqual([]);
  });
});

describe("the reader of titles", () => {
  test("takes the texts of a source, and no comment", () => {
    const source = '// "one"\ntest.each(["two"])("%s \\"three\\"", () => expect(`four`));';
    expect(textsIn(source).split(" \n")).toEqual(["two", '%s \\"three\\"', "four "]);
  });

  test.each([
    ["call 4, rule 3: seats run out", ["call 4, rule 3"]],
    ["D6 call 14, 409 SERVER_RUNNING: stays", ["call 14"]],
    ["call 14, note 4, code SERVER_RUNNING: stays", ["call 14, note 4", "code SERVER_RUNNING"]],
    ["calls 4 and 12, call 1234, a limit 12", []],
    ["transition: membership POST users: added", ["transition: membership POST users"]],
  ])("finds the rows that %j names", (title, found) => {
    expect(rowsNamedIn(title)).toEqual(found);
  });
});
