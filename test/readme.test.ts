import { expect, test } from "vitest";
import { commandLine } from "../sdk/command/main.ts";
import * as sdk from "../sdk/index.ts";
import { codeIn, page, section, tableRows } from "./docs/pages.ts";

const readme = page("README.md");

/** The names in code at the start of the items of a list. */
function itemsOf(text: string, heading: string, item: RegExp): string[] {
  return (section(text, heading).match(item) ?? []).flatMap(codeIn);
}

test("README is at most 250 lines long", () => {
  expect(readme.trimEnd().split("\n").length).toBeLessThanOrEqual(250);
});

test("README lists each verb of the command orgseat, and no other", () => {
  const verbs = commandLine().commands.map((verb) => verb.name());
  expect(itemsOf(readme, "Commands", /^- .*$/gm).toSorted()).toEqual(verbs.toSorted());
});

test("README and the page of lookups have a row for each export of the package, and for no other", () => {
  const documented = [
    ...itemsOf(readme, "Resources", /^- \[.*?\]/gm),
    ...tableRows(section(page("docs/resources/lookups.md"), "Lookups")).flatMap(([first = ""]) =>
      codeIn(first),
    ),
  ];
  expect(documented.toSorted()).toEqual(Object.keys(sdk).toSorted());
});
