import { expect, test } from "vitest";
import { commandLine } from "../sdk/command/main.ts";
import * as sdk from "../sdk/index.ts";
import { codeIn, page, section, tableRows } from "./docs/pages.ts";

const readme = page("README.md");

function firstColumn(text: string, heading: string): string[] {
  return tableRows(section(text, heading)).flatMap(([first = ""]) => codeIn(first));
}

test("README is at most 250 lines long", () => {
  expect(readme.trimEnd().split("\n").length).toBeLessThanOrEqual(250);
});

test("README has a row for each verb of the command orgseat, and for no other", () => {
  const verbs = commandLine().commands.map((verb) => verb.name());
  expect(firstColumn(readme, "Commands").toSorted()).toEqual(verbs.toSorted());
});

test("README and the page of lookups have a row for each export of the package, and for no other", () => {
  const documented = [
    ...firstColumn(readme, "Resources"),
    ...firstColumn(page("docs/resources/lookups.md"), "Lookups"),
  ];
  expect(documented.toSorted()).toEqual(Object.keys(sdk).toSorted());
});
