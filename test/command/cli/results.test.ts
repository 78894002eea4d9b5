/** What the results of a run look like beside stories/results.txt. */

import { describe, expect, test } from "vitest";
import { painter } from "../../../command/cli/color.ts";
import { previewToText, resultToText } from "../../../command/cli/results.ts";
import { previewToJson, previewToMarkdown, resultToJson } from "../../../command/cli/results-json.ts";
import { planDocument } from "../../../command/plan/document.ts";
import type { Preview } from "../../../command/preview/preview.ts";
import type { Applied } from "../../../command/run/apply.ts";
import type { MemberResult } from "../../../command/run/member-results.ts";
import { origin, plan, rows } from "../plan/planned.ts";

function resultsOf(count: number, status: MemberResult["status"], more: Partial<MemberResult> = {}) {
  return Array.from({ length: count }, (_, index): MemberResult => {
    const key = `${status}-${index}`;
    return {
      ...{ who: `${key}@acme.example`, key, stack: "people", status, actions: ["join", "assignSeat"] },
      ...{ entries: [], alreadyGone: [], withoutTokenMs: undefined },
      ...{ place: undefined, text: undefined, code: undefined },
      ...more,
    };
  });
}

const document = planDocument(origin, [], null);

const counts = { verified: 0, unverifiable: 3, readTokens: 0, unreadTokens: 0 };

const preview: Preview = {
  ...{ document, plan: await plan({ had: rows(1) }), violations: [], warnings: [] },
  drift: { ...counts, canListMembers: false, members: null },
  ...{ leftOut: [], absent: { pending: [], gone: [] }, stopped: [], accessEnds: [], withheld: [] },
  ...{ otherChanges: 0, undecided: [], undecidedOverride: undefined },
  owner: { stack: "people", project: "orgseat", rosterIds: [], otherTypes: [] },
  ...{ rosterId: undefined, rosterNote: undefined, facts: {} },
};

function runWith(results: readonly MemberResult[], failure?: Applied["failure"]) {
  const isFailed = results.some(({ status }) => status === "failed") || failure !== undefined;
  return {
    ...{ status: isFailed ? ("failed" as const) : ("succeeded" as const), preview },
    applied: {
      ...{ results, failure, warnings: [], cancelled: false, locked: false },
      ...{ swapped: false, isMarked: false },
    },
  };
}

test("only failed people are painted as failed", () => {
  const painted: string[] = [];
  resultToText(runWith([...resultsOf(1, "failed"), ...resultsOf(1, "succeeded")]), {
    paint: (text, tone) => {
      painted.push(`${tone}: ${text.split(" ")[0]}`);
      return text;
    },
  });
  expect(painted).toEqual(["failed: failed", "other: ok"]);
});

describe("the list of warnings", () => {
  const shared = {
    text: "token of the person expires in 3 days",
    people: ["a@acme.example", "b@acme.example"],
  };
  const own = { text: "token of c@acme.example expires in 9 days", people: ["c@acme.example"] };

  test("names the people who share one", () => {
    const text = previewToText({ ...preview, warnings: [shared, own] });
    expect(text).toContain(
      "\nWarnings:\n  token of the person expires in 3 days\n    a@acme.example, b@acme.example\n  token of c@acme.example expires in 9 days",
    );
  });

  test("ends after 20, unless verbose", () => {
    const many = Array.from({ length: 25 }, (_, index) => ({ text: `warning ${index}`, people: [] }));
    expect(previewToText({ ...preview, warnings: many })).toMatch(/ {2}warning 19\n {2}and 5 more$/);
    expect(previewToText({ ...preview, warnings: many }, { verbose: true })).toMatch(/warning 24$/);
  });

  test("repeats no warning of the preview after the run", () => {
    const run = runWith([]);
    const text = resultToText({
      ...run,
      preview: { ...preview, warnings: [shared] },
      applied: { ...run.applied, warnings: [shared, own] },
    });
    expect(text).not.toContain(shared.text);
    expect(text).toContain(own.text);
  });

  test("stands in the Markdown and the JSON", () => {
    const found = { ...preview, warnings: [shared, own] };
    expect(previewToMarkdown(found)).toMatch(
      /^\*\*Warnings\*\*\n\n- token of the person expires in 3 days \(`a@acme\.example`, `b@acme\.example`\)$/m,
    );
    expect(previewToJson(found).warnings).toEqual([shared, own]);
  });
});

test("a failed result ends with its code, which is dimmed on a terminal and in JSON has a field", () => {
  const failed = { text: "no seats available", code: "no-seats" } as const;
  const run = runWith(resultsOf(1, "failed", failed));
  expect(resultToText(run)).toContain("no seats available [no-seats]\n");
  const paint = painter({}, { isTTY: true, hasColors: () => true });
  expect(resultToText(run, { paint })).toContain("no seats available \u001b[2m[no-seats]\u001b[22m");
  expect(resultToJson(run).results).toMatchObject([failed]);
});
