/** docs/commands.md: verbs, exit codes, guards and results are those of the code. */
import { expect, test } from "vitest";
import type { MemberResult } from "../../sdk/automation/apply/member-results.ts";
import { guardNames } from "../../sdk/automation/plan/guards/violation.ts";
import { commandLine } from "../../sdk/command/main.ts";
import { exitCodes } from "../../sdk/command/results-json.ts";
import { codeIn, page, section, tableRows } from "./pages.ts";

const text = page("docs/commands.md");
const verbs = commandLine().commands.map((verb) => verb.name());

function firstColumn(table: string): string[] {
  return tableRows(table).flatMap(([first = ""]) => codeIn(first));
}

test("docs/commands.md has a row and a section for each verb", () => {
  expect(firstColumn(section(text, "Commands")).toSorted()).toEqual(verbs.toSorted());
  expect(verbs.filter((verb) => !section(text, verb).includes("```sh\nnpx orgseat "))).toEqual([]);
});

test("docs/commands.md has each exit code, and no other", () => {
  const documented = tableRows(section(text, "Exit codes")).map(([code]) => Number(code));
  expect(documented).toEqual(Object.values(exitCodes));
});

test("docs/commands.md has each guard, and no other", () => {
  expect(firstColumn(section(text, "Guards"))).toEqual([...guardNames]);
});

test("docs/commands.md has each status of a result, and no other", () => {
  const statuses: Record<MemberResult["status"], true> = {
    succeeded: true,
    "already-gone": true,
    failed: true,
    skipped: true,
  };
  expect(firstColumn(section(text, "Results"))).toEqual(Object.keys(statuses));
});
