/** The list of operations in docs/platforms.md: each has one item, and what it names exists. */
import { describe, expect, test } from "vitest";
import { commandLine } from "../../command/cli/main.ts";
import { platforms } from "../../provider/api/calls/platform.ts";
import { definitions } from "../../provider/definitions.ts";
import * as sdk from "../../sdk/index.ts";
import { codeIn, page, section } from "./pages.ts";

interface Item {
  readonly name: string;
  readonly request: string;
  readonly users: readonly string[];
  /** What the platform basic has of it. */
  readonly basic: string;
}

const list = section(page("docs/platforms.md"), "What each operation sends");
const items = [
  ...list.matchAll(/^- (.*?): (`.*?`) \(.*?\)\. (.*?)(?:\. (?:In `basic`: (.*)|Not in `basic`))?$/gm),
].map(
  ([text, name = "", request = "", users = "", other]): Item => ({
    ...{ name, request, users: codeIn(users) },
    basic: text.endsWith("Not in `basic`") ? "no" : (other ?? request),
  }),
);
const verbs = commandLine().commands.map((verb) => `orgseat ${verb.name()}`);
const lookups = Object.keys(sdk).filter((name) => /^get(?!.*Output$)/.test(name));
const used = items.flatMap(({ users }) => users);

describe("the list of operations", () => {
  test("lists one item for each operation, and no other", () => {
    const names = Object.values(platforms.anaconda.calls).map(({ name }) => name);
    expect(names).toHaveLength(28);
    expect(items.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
  });

  test("names at least one user of each operation", () => {
    expect(items.filter(({ users }) => users.length === 0)).toEqual([]);
  });

  test("names resources, lookups and verbs that exist", () => {
    const known = new Set([...Object.keys(sdk), ...verbs]);
    expect(used.filter((name) => !known.has(name))).toEqual([]);
  });

  test("names each resource and each lookup", () => {
    const all = [...Object.keys(definitions), ...lookups];
    expect(lookups).not.toEqual([]);
    expect(all.filter((name) => !used.includes(name))).toEqual([]);
  });

  test("says of each operation what the platform basic has of it", () => {
    const documented = Object.values(platforms.basic.calls);
    const expected = items.map(({ name }) => {
      const call = documented.find((one) => one.name === name);
      return call === undefined ? "no" : `\`${call.method} ${call.path}\``;
    });
    expect(items.map(({ basic }) => basic)).toEqual(expected);
    expect(expected.filter((cell) => cell !== "no")).toHaveLength(16);
  });
});
