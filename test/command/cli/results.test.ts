/** The text of a run with many people. */

import { describe, expect, test } from "vitest";
import { painter } from "../../../command/cli/color.ts";
import { describeResult } from "../../../command/cli/result-lines.ts";
import { previewToText, resultToText } from "../../../command/cli/results.ts";
import {
  codeOfRun,
  previewToJson,
  previewToMarkdown,
  resultToJson,
} from "../../../command/cli/results-json.ts";
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

test("the text of a run begins with the counts, and lists 20 people of each status", () => {
  const failed = resultsOf(2, "failed", { text: "no seats available", place: "people.csv, line 7" });
  const text = resultToText(runWith([...failed, ...resultsOf(298, "succeeded")]));
  expect(text).toMatch(
    /^298 succeeded, 2 failed, 0 skipped\n\nfailed {3}failed-0@acme\.example \(people\.csv, line 7\) {2}add, /,
  );
  expect(text).toContain("  add, assign seat\n         no seats available\n");
  expect(text.match(/^ok /gm)).toHaveLength(20);
  expect(text).toContain("\n         and 278 more\n");
  expect(text).toMatch(/\n\nFix the errors above and run `orgseat up` again; it resumes where it stopped\.$/);
});

test.each(["renew", "destroy"])(
  "the text of a %s with failures names this verb, not another one",
  (resume) => {
    const text = resultToText(runWith(resultsOf(1, "failed", { text: "no" })), { resume });
    expect(text).toContain(`run \`orgseat ${resume}\` again`);
    expect(text).not.toContain("orgseat up");
  },
);

test("verbose lists all people of a run", () => {
  const text = resultToText(runWith(resultsOf(300, "succeeded")), { verbose: true });
  expect(text.match(/^ok {7}succeeded-\d+@acme\.example +added, seat assigned$/gm)).toHaveLength(300);
  expect(text).toMatch(/^300 succeeded, 0 failed, 0 skipped\n/);
});

test("a stack that failed is named with its reason", () => {
  const result = runWith(resultsOf(1, "succeeded"), {
    ...{ stack: "people", code: "pulumi-failed", text: "the passphrase is wrong", people: [] },
  });
  expect(resultToText(result)).toContain("\nstack people failed: the passphrase is wrong [pulumi-failed]\n");
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

test("says in the line of a person what was done, refused, and not sent", () => {
  const entries = [
    { type: "OrgMember", operation: "revoke token", id: "u1", result: "done" },
    { type: "OrgMember", operation: "remove seat", id: "u1", result: "done" },
    { type: "OrgMember", operation: "remove user", id: "u1", result: "failed" },
  ] as const;
  const [failed] = resultsOf(1, "failed", { entries, text: "cannot remove user: not allowed (HTTP 403)" });
  if (failed === undefined) throw new Error("no result");
  expect(describeResult(failed)).toBe(
    "failed   failed-0@acme.example  token revoked, seat removed; cannot remove user: not allowed (HTTP 403)",
  );
});

test("the JSON of a run contains the digest of the plan", () => {
  expect(resultToJson(runWith([]))).toMatchObject({ digest: document.digest });
});

describe("a reason that many people share", () => {
  const failed = Array.from({ length: 25 }, (_, index) => {
    const who = `p${index}@acme.example`;
    const userId = `8570e35d-8f54-4171-8b5b-5a0453a2a4${index + 10}`;
    const text = `cannot assign seat (HTTP 402, POST /api/v1/users/${userId}/seats). No seats available for ${who} (user ${userId})`;
    return resultsOf(1, "failed", { who, key: who, text });
  }).flat();
  const CAUSE =
    "cannot assign seat (HTTP 402, POST /api/v1/users/<user id>/seats). No seats available for the person";

  test("appears once, below their names", () => {
    const text = resultToText(runWith(failed));
    expect(text).toMatch(/^failed {3}p0@acme\.example +add, assign seat$/m);
    expect(text.match(/^failed {3}/gm)).toHaveLength(20);
    expect(text).toContain(`\n         and 5 more\n         ${CAUSE}\n`);
    expect(text.split("cannot assign seat")).toHaveLength(2);
  });

  test("hides no other reason", () => {
    const other = resultsOf(1, "failed", { text: "cannot add user: not allowed (HTTP 403)" });
    expect(resultToText(runWith([...failed, ...other]))).toMatch(
      /^failed {3}failed-0@acme\.example +add, assign seat; cannot add user: not allowed \(HTTP 403\)$/m,
    );
  });
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
