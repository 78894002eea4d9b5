/** The text of a run with many people. */
import { expect, test } from "vitest";
import type { MemberResult } from "../../../sdk/automation/member-results.ts";
import type { Preview } from "../../../sdk/automation/preview.ts";
import { codeOfRun, resultToText } from "../../../sdk/command/results.ts";
import { members, plan } from "../automation/plan/steps.ts";

function resultsOf(count: number, status: MemberResult["status"], more: Partial<MemberResult> = {}) {
  return Array.from({ length: count }, (_, index): MemberResult => {
    const key = `${status}-${index}`;
    return {
      ...{ who: `${key}@acme.example`, key, stack: "people", status, actions: ["join", "assignSeat"] },
      ...{ alreadyGone: [], place: undefined, text: undefined, code: undefined },
      ...more,
    };
  });
}

const preview: Preview = {
  ...{ plan: plan(members(1, "same")), violations: [], failures: [], diagnostics: [], targets: undefined },
  ...{
    drift: { verified: 0, unverifiable: 3, canListMembers: false, members: null },
    leftOut: [],
    accessEnds: [],
    otherChanges: 0,
    moving: [],
    undelivered: [],
    creations: [],
  },
  ...{ rosterId: undefined, owners: [], rosterNote: undefined },
};

function runWith(results: readonly MemberResult[], failures: Preview["failures"] = []) {
  const isFailed = results.some(({ status }) => status === "failed") || failures.length > 0;
  return {
    ...{ status: isFailed ? ("failed" as const) : ("succeeded" as const), preview },
    applied: {
      ...{ results, failures, warnings: [], cancelled: false, locked: false },
      ...{ swapped: false, markedWith: new Set<string>() },
    },
  };
}

test("the text of a run begins with the counts, and lists 20 people of each status", () => {
  const failed = resultsOf(2, "failed", { text: "no seats available", place: "people.csv, line 7" });
  const text = resultToText(runWith([...failed, ...resultsOf(298, "succeeded")]));
  expect(text).toMatch(
    /^298 succeeded, 2 failed, 0 skipped\n\nfailed {3}failed-0@acme\.example \(people\.csv, line 7\) {2}add, /,
  );
  expect(text).toContain("\n         no seats available\n");
  expect(text.match(/^ok /gm)).toHaveLength(20);
  expect(text).toContain("\n         and 278 more\n");
  expect(text).toMatch(/\n\nFix the errors above and run `orgseat up` again; it resumes where it stopped\.$/);
});

test("verbose lists all people of a run", () => {
  const text = resultToText(runWith(resultsOf(300, "succeeded")), { verbose: true });
  expect(text.match(/^ok {7}succeeded-\d+@acme\.example +added, seat assigned$/gm)).toHaveLength(300);
  expect(text).toMatch(/^300 succeeded, 0 failed, 0 skipped\n/);
});

test("a stack that failed is named with its reason", () => {
  const failures = [{ stack: "people-02", text: "the passphrase is wrong", people: ["ada@acme.example"] }];
  const result = runWith(resultsOf(1, "succeeded"), failures);
  expect(resultToText(result)).toContain(
    "\nstack people-02 failed: the passphrase is wrong\n  Skipped: ada@acme.example\n",
  );
  expect(codeOfRun(result)).toBe(1);
});

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
