/** CONTRIBUTING.md, "Add a resource": its lists are the source files that name a resource. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import { packageRoot } from "../../sandbox/pulumi/package-root.ts";
import { codeIn, listItems, page, section } from "./pages.ts";

const text = page("CONTRIBUTING.md");
const always = listItems(section(text, "Source files of every resource")).flatMap(({ names }) => names);
const sometimes = listItems(section(text, "Source files of some resources")).map((item) => ({
  path: item.names[0] ?? "",
  name: codeIn(item.text).at(-1) ?? "",
}));

const sources = globSync(["provider/**/*.ts", "sdk/**/*.ts", "command/**/*.ts", "sandbox/**/*.ts"], {
  cwd: packageRoot,
  exclude: ["**/node_modules", "**/dist"],
});

/** Names of the resource and of calls that only it sends. `ModelServers` is of lookups. */
const OF_RESOURCE = /[mM]odelServer(?!s)|(get|create)Server(?!s)/;

/** Whether a name or a text of the code matches; comments do not count. */
function mentions(code: string, pattern: RegExp): boolean {
  const matches = (node: ts.Node): boolean =>
    ((ts.isIdentifier(node) || ts.isStringLiteralLike(node)) && pattern.test(node.text)) ||
    ts.forEachChild(node, (child) => matches(child) || undefined) === true;
  return pattern.test(code) && matches(ts.createSourceFile("source.ts", code, ts.ScriptTarget.ESNext));
}

const filesWith = (pattern: RegExp): string[] =>
  sources.filter((path) => mentions(readFileSync(join(packageRoot, path), "utf8"), pattern)).toSorted();

describe("the source files of a new resource", () => {
  test("name the resource, as no other file does", () => {
    const others = sometimes.map(({ path }) => path);
    expect(filesWith(OF_RESOURCE).filter((path) => !others.includes(path))).toEqual(always.toSorted());
  });

  test("number at most 12", () => {
    expect(always.length).toBeLessThanOrEqual(12);
  });

  test.each(sometimes)("include $path for $name", ({ path, name }) => {
    const known = [...always, ...sometimes.map((one) => one.path)];
    const found = filesWith(new RegExp(`\\b${name}\\b`));
    expect(found).toContain(path);
    expect(found.filter((one) => !known.includes(one))).toEqual([]);
  });
});

describe("the search for names", () => {
  test("finds names and texts, and ignores comments", () => {
    expect(mentions("const of = createServer;", OF_RESOURCE)).toBe(true);
    expect(mentions('type Name = "ModelServer";', OF_RESOURCE)).toBe(true);
    expect(mentions("// ModelServer\n/** ModelServer */ const server = getModelServers;", OF_RESOURCE)).toBe(
      false,
    );
  });
});
