import { expect, test } from "vitest";
import { commandLine } from "../sdk/command/main.ts";
import * as sdk from "../sdk/index.ts";
import { nameOf, verbsOf } from "./docs/generated.ts";
import { codeIn, page, section, tableRows } from "./docs/pages.ts";

const readme = page("README.md");

function firstColumn(heading: string): string[] {
  return tableRows(section(readme, heading)).flatMap(([first = ""]) => codeIn(first));
}

test("README is at most 250 lines long", () => {
  expect(readme.trimEnd().split("\n").length).toBeLessThanOrEqual(250);
});

test("README has a row for each verb of the command orgseat, and for no other", () => {
  const verbs = verbsOf(commandLine()).map(nameOf);
  expect(firstColumn("Quick start with a roster").toSorted()).toEqual(verbs.toSorted());
});

test("README has a row for each export of the package, and for no other", () => {
  const documented = [...firstColumn("Resources"), ...firstColumn("Lookups")];
  expect(documented.toSorted()).toEqual(Object.keys(sdk).toSorted());
});
