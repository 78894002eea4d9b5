/** docs/commands.md: verbs, exit codes, guards and results are those of the code. */
import { expect, test } from "vitest";
import { commandLine } from "../../command/cli/main.ts";
import { exitCodes } from "../../command/cli/results-json.ts";
import { guardNames } from "../../command/plan/guards/violation.ts";
import type { MemberResult } from "../../command/run/member-results.ts";
import { page, section } from "./pages.ts";

const text = page("docs/commands.md");
const verbs = commandLine().commands.map((verb) => verb.name());

/** What the items of a list are about. */
function itemsOf(title: string): string[] {
  return [...section(text, title).matchAll(/^- `?([\w-]+)`?:/gm)].map(([, name = ""]) => name);
}

test("docs/commands.md has a link and a section for each verb", () => {
  const linked = [...section(text, "Commands").matchAll(/\[`(\w+)`\]\(#\1\)/g)].map(([, name]) => name);
  expect(linked.toSorted()).toEqual(verbs.toSorted());
  expect(verbs.filter((verb) => !section(text, verb).includes("```sh\nnpx orgseat "))).toEqual([]);
});

test("docs/commands.md has each exit code, and no other", () => {
  expect(itemsOf("Exit codes").map(Number)).toEqual(Object.values(exitCodes));
});

test("docs/commands.md has each guard, and no other", () => {
  const linked = [...section(text, "Guards").matchAll(/\[`([\w-]+)`\]\(troubleshooting\.md#\1\)/g)];
  expect(linked.map(([, name]) => name)).toEqual([...guardNames]);
});

test("docs/commands.md has each status of a result, and no other", () => {
  const statuses: Record<MemberResult["status"], true> = {
    succeeded: true,
    "already-gone": true,
    failed: true,
    skipped: true,
  };
  expect(itemsOf("Results")).toEqual(Object.keys(statuses));
});
