import { expect, test } from "vitest";
import * as sdk from "../sdk/index.ts";
import { codeIn, listItems, page, section } from "./docs/pages.ts";

const readme = page("README.md");

/** The names in code at the start of the items of a list. */
function itemsOf(text: string, heading: string, item: RegExp): string[] {
  return (section(text, heading).match(item) ?? []).flatMap(codeIn);
}

test("README is at most 250 lines long", () => {
  expect(readme.trimEnd().split("\n").length).toBeLessThanOrEqual(250);
});

test("README and the page of lookups list each export of the package, and no other", () => {
  const documented = [
    ...itemsOf(readme, "Resources", /^- \[.*?\]/gm),
    ...listItems(section(page("docs/resources/lookups.md"), "Lookups")).flatMap(({ names }) => names),
  ];
  expect(documented.toSorted()).toEqual(Object.keys(sdk).toSorted());
});
