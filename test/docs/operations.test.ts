/** The table of operations in docs/platforms.md: each has one row, and what it names exists. */
import { describe, expect, test } from "vitest";
import { platforms } from "../../provider/api/calls/platform.ts";
import { definitions } from "../../provider/definitions.ts";
import { commandLine } from "../../sdk/command/main.ts";
import * as sdk from "../../sdk/index.ts";
import { codeIn, page, section, tableRows } from "./pages.ts";

const rows = tableRows(section(page("docs/platforms.md"), "What each operation sends"));
const verbs = commandLine().commands.map((verb) => `orgseat ${verb.name()}`);
const lookups = Object.keys(sdk).filter((name) => /^get(?!.*Output$)/.test(name));
const used = rows.flatMap(([, , , , users = ""]) => codeIn(users));

describe("the table of operations", () => {
  test("lists one row for each operation, and no other", () => {
    const names = Object.values(platforms.anaconda.calls).map(({ name }) => name);
    expect(names).toHaveLength(28);
    expect(rows.map(([name]) => name).toSorted()).toEqual(names.toSorted());
  });

  test("names at least one user of each operation", () => {
    expect(rows.filter(([, , , , users = ""]) => codeIn(users).length === 0)).toEqual([]);
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
    const expected = rows.map(([name, request = ""]) => {
      const call = documented.find((one) => one.name === name);
      if (call === undefined) return "no";
      const own = `\`${call.method} ${call.path}\``;
      return own === request ? "yes" : own;
    });
    expect(rows.map(([, , , , , cell]) => cell)).toEqual(expected);
    expect(expected.filter((cell) => cell !== "no")).toHaveLength(16);
  });
});
