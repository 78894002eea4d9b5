/** What became of people, over all passes of a run. */

import { describe, expect, test } from "vitest";
import { Rounds } from "../../command/apply/rounds.ts";
import { type CombinedResult, StepResults } from "../../command/apply/step-results.ts";
import type { Diagnostic, StackOutcome, StepState } from "../../command/engine/engine.ts";
import { entriesOf } from "../../command/plan/entries.ts";
import { methodKey, replacedKey, type Step } from "../../command/plan/steps/steps.ts";
import { AmbiguousCreation } from "../../provider/resources/failures.ts";
import { Refusals } from "../../provider/roster-parts/refusals.ts";
import {
  failedReportEntryOf,
  type ReportEntry,
  type ReportedFailure,
} from "../../provider/runtime/run-report.ts";
import { step } from "./plan/steps.ts";

const renamed = step("bob", "OrgUser", "replace");
const { urn, id } = renamed;
const same = step("bob", "OrgUser", "same", { id: "id-of-robert" });
const left = step("bob", "OrgUser", "delete", { isReplaced: true });
const key = replacedKey(urn, id);

/** An error is a message of the engine about the URN, or what the provider reported. */
type Pass = readonly [
  steps: readonly Step[],
  states: readonly (readonly [string, StepState])[],
  ...errors: (string | ReportEntry)[],
];

function resultsOf(...passes: readonly Pass[]): StepResults {
  return withPasses(new StepResults(), passes);
}

function withPasses(results: StepResults, passes: readonly Pass[]): StepResults {
  for (const [steps, states, ...errors] of passes) {
    const entries = errors.filter((error) => typeof error !== "string");
    const texts = errors.flatMap((error) =>
      typeof error === "string" ? error : (error.failure?.text ?? []),
    );
    const outcome: StackOutcome = {
      ...{ stack: "people", steps, states: new Map(states), markers: [], undelivered: [], otherTypes: [] },
      diagnostics: texts.map((text): Diagnostic => ({ stack: "people", severity: "error", urn, text })),
      failure: undefined,
    };
    results.add(outcome, undefined, entries);
  }
  return results;
}

const failure = (text: string, more: Partial<ReportedFailure> = {}): ReportedFailure => ({
  ...{ text, reason: text, isEffectUnknown: false, isKept: false, isRepetition: false },
  ...more,
});

/** What a failed removal is reported as, of a replacement whose new one was made. */
const refused = (text: string, of = id): ReportEntry => ({
  ...{ type: "OrgUser", operation: "delete", id: of, result: "failed", writes: [] },
  failure: failure(text, { code: "refused", status: 403 }),
});
const made: ReportEntry = {
  ...{ type: "OrgUser", operation: "create", id: "id-of-robert", result: "done", writes: [] },
  email: "bob@acme.example",
};

function told(results: StepResults, steps: readonly Step[]): [CombinedResult["status"], string | undefined] {
  const { status, failure } = results.resultOf(steps);
  return [status, failure?.text];
}

test("counts the removal that a pass makes by itself and the preview showed as part of a replacement", () => {
  const token = step("bob", "UserToken", "delete");
  const revoked: ReportEntry = {
    ...{ type: "UserToken", operation: "delete", id: token.id, result: "done" },
    writes: [{ name: "revoke token", id: token.id, outcome: "done" }],
  };
  const results = resultsOf([[token], [[token.urn, "succeeded"]], revoked]);
  const planned = { ...token, isReplaced: true };
  expect(told(results, [planned])).toEqual(["succeeded", undefined]);
  const [entry] = entriesOf(planned, "bob@acme.example", 0);
  expect(entry && results.entryResult(entry, planned)).toBe("done");
});

test("sent no creation of a replacement that ended before, at the removal of a dependent", () => {
  const seat = { ...step("bob", "SeatAssignment", "replace"), deleteFirst: true };
  const results = resultsOf([[seat], [[seat.urn, "failed"]], "cannot delete the token of bob"]);
  expect(results.isLost(seat)).toBe(false);
  const said = entriesOf(seat, "bob@acme.example", 0).map((entry) => results.entryResult(entry, seat));
  expect(said).toEqual(["not sent", "not sent"]);
});

test("sent nothing of what another run did", () => {
  const added = step("bob", "OrgUser", "create");
  const results = resultsOf([[{ ...added, action: "same", id: "u1" }], []]);
  const [entry] = entriesOf(added, "bob@acme.example", 0);
  expect(told(results, [added])).toEqual(["succeeded", undefined]);
  expect(entry && results.entryResult(entry, added)).toBe("not sent");
});

test("later passes know a user as soon as the provider has made one", () => {
  expect(resultsOf([[renamed], [[urn, "started"]]]).hasCreated(renamed)).toBe(false);
  expect(resultsOf([[renamed], [[urn, "started"]], made]).hasCreated(renamed)).toBe(true);
});

describe("the result of a replacement", () => {
  const first: Pass = [
    [renamed],
    [
      [urn, "failed"],
      [key, "failed"],
    ],
    made,
    refused("call 11 was refused"),
  ];
  test("counts as done when a later pass has removed the old one, and failed while that fails", () => {
    expect(told(resultsOf(first), [renamed])).toEqual(["failed", "call 11 was refused"]);
    const again: Pass = [[same, left], [[key, "failed"]], refused("call 11 was refused again")];
    expect(told(resultsOf(first, again), [renamed])).toEqual(["failed", "call 11 was refused again"]);
    const last: Pass = [[same, left], [[key, "succeeded"]]];
    expect(told(resultsOf(first, again, last), [renamed])).toEqual(["succeeded", undefined]);
  });
  test("counts as failed where a later pass ends before the old one's turn", () => {
    const begun: Pass = [
      [renamed],
      [
        [key, "started"],
        [urn, "started"],
      ],
    ];
    expect(told(resultsOf(begun, [[same], []]), [renamed])).toEqual([
      "failed",
      expect.stringMatching(/^the run ended before it finished this/),
    ]);
  });
});

describe("the result of a replacement whose old object another run has removed", () => {
  const create = step("bob", "OrgUser", "create");
  test.each([
    ["made again", [create]],
    ["there already", [same]],
  ])("says that the old one was already gone, where the new one is %s", (_case, steps) => {
    const { status, alreadyGone } = resultsOf([steps, [[urn, "succeeded"]], made]).resultOf([renamed]);
    expect({ status, alreadyGone }).toEqual({ status: "succeeded", alreadyGone: ["replaceMember"] });
  });
  test("says so where another run has made another new one, whose removal is refused", () => {
    const next = step("bob", "OrgUser", "replace", { id: "id-of-rob" });
    const keys = [urn, replacedKey(urn, "id-of-rob")] as const;
    const first: Pass = [[next], keys.map((one) => [one, "failed"]), made, refused("not shown", "id-of-rob")];
    const again: Pass = [[same], [[urn, "succeeded"]]];
    expect(resultsOf(first, again).resultOf([renamed])).toMatchObject({
      ...{ status: "succeeded", alreadyGone: ["replaceMember"] },
    });
  });
  test("says nothing of the old one while the new one fails, or the run meets the old one in a later pass", () => {
    const failed = resultsOf([[create], [[urn, "failed"]], "call 5 was refused"]);
    expect(failed.resultOf([renamed])).toMatchObject({ status: "failed", alreadyGone: [] });
    const met: Pass = [[renamed], [[urn, "failed"]], made];
    const again: Pass = [[same], [[urn, "succeeded"]]];
    expect(resultsOf(met, again).resultOf([renamed]).alreadyGone).toEqual([]);
  });
});

describe("the result of an old object that an earlier run left", () => {
  test("stands alone, whatever became of its successor", () => {
    const results = resultsOf([[same, left], [[methodKey(left), "failed"]], refused("call 11 was refused")]);
    expect(told(results, [left])).toEqual(["failed", "call 11 was refused"]);
  });
  test("says already gone if a run that ended well does not meet it: another run has removed it", () => {
    expect(told(resultsOf([[same], []]), [left])).toEqual(["already-gone", undefined]);
  });
  test("carries the error of its own user id, where the successor fails too and neither text has an id", () => {
    const robert = step("bob", "OrgUser", "delete", { id: "id-of-robert" });
    const results = resultsOf([
      [robert, left],
      [
        [urn, "failed"],
        [key, "failed"],
      ],
      refused("the first was refused"),
      refused("the second was refused", "id-of-robert"),
    ]);
    expect(told(results, [left])).toEqual(["failed", "the first was refused"]);
    expect(told(results, [robert])).toEqual(["failed", "the second was refused"]);
  });
  test("carries the engine's error about its URN, where the provider reported nothing", () => {
    const results = resultsOf([[same, left], [[methodKey(left), "failed"]], "the plugin has died"]);
    expect(told(results, [left])).toEqual(["failed", "the plugin has died"]);
  });
});

describe("the result of a creation", () => {
  const [ada, bob] = [step("ada", "OrgUser", "create"), step("bob", "OrgUser", "create")];
  const failed = (email: string, text: string, more: Partial<ReportedFailure>): ReportEntry => ({
    ...{ type: "OrgUser", operation: "create", email, result: "failed", writes: [] },
    failure: failure(text, more),
  });
  const pass = (who: Step, entry: ReportEntry): Pass => [[who], [[who.urn, "failed"]], entry];
  const lost = failed("ada@acme.example", "no answer came", { code: "no-answer", isEffectUnknown: true });
  const there = failed("ada@acme.example", "is there already", { code: "refused", status: 409 });

  test("keeps the first reason where that was a lost answer, which explains the refusal after it", () => {
    const results = resultsOf(pass(ada, lost), pass(ada, there));
    expect(told(results, [ada])).toEqual(["failed", "no answer came"]);
    expect(results.isLost(ada)).toBe(true);
    expect(told(resultsOf(pass(ada, there), pass(ada, lost)), [ada])).toEqual(["failed", "no answer came"]);
  });
  test("leads to another try after a 5xx, by which the service said that it failed, and no second reason hides the first", () => {
    const entry = failed("ada@acme.example", "500", { code: "service-failed", isEffectUnknown: true });
    const results = resultsOf(pass(ada, entry), pass(ada, there));
    expect([results.isLost(ada), results.isDoubtful(ada)]).toEqual([false, true]);
    expect(told(results, [ada])).toEqual(["failed", "500"]);
  });
  test("ends the attempts for a token whose lost response may have issued one of several", () => {
    const token = step("ada", "UserToken", "create");
    const props = { userId: "u1" };
    const operation = "create" as const;
    const method = { type: "UserToken", operation, props, writes: [] };
    const text = "cannot tell which token of ada is the one whose response was lost";
    const ambiguous = failedReportEntryOf(method, new AmbiguousCreation(text), { text, isRepetition: false });
    const results = resultsOf([[token], [[methodKey(token), "failed"]], { ...ambiguous, userId: token.id }]);
    const rounds = new Rounds(token.stack, [token], results, {
      partly: false,
      perhapsRevoked: new Set(),
      addressMoves: [],
      refusals: new Refusals(),
    });
    expect(results.isLost(token)).toBe(true);
    expect(rounds.next()).toBeUndefined();
  });

  test("counts as lost if nothing was reported: the provider may have died after it was sent", () => {
    const results = resultsOf([[bob], [[bob.urn, "failed"]], "error reading from server: EOF"]);
    expect(results.isLost(bob)).toBe(true);
    expect(told(results, [bob])).toEqual(["failed", "error reading from server: EOF"]);
  });
  test("counts as skipped if it failed only for the error of another person", () => {
    const text = "the first error says why";
    const results = resultsOf([
      [ada, bob],
      [
        [ada.urn, "failed"],
        [bob.urn, "failed"],
      ],
      failed("ada@acme.example", "wrong password", { code: "unauthorized" }),
      failed("bob@acme.example", text, { code: "unauthorized", isRepetition: true }),
    ]);
    expect(told(results, [ada])).toEqual(["failed", "wrong password"]);
    expect(told(results, [bob])).toEqual(["skipped", undefined]);
  });
});

describe("the result of a removal that found nothing", () => {
  const parts = (["UserToken", "SeatAssignment", "OrgUser"] as const).map((type) =>
    step("ada", type, "delete"),
  );
  const [token, , user] = parts;
  const removed = (type: Step["type"], result: ReportEntry["result"]): ReportEntry => ({
    ...{ type, operation: "delete", id: "id-of-ada", result, writes: [] },
  });
  const pass = (...gone: Step["type"][]): Pass => [
    parts,
    parts.map((part) => [part.urn, "succeeded"] as const),
    ...parts.map(({ type }) => removed(type, gone.includes(type) ? "gone" : "done")),
  ];

  test("says already gone where the membership was gone", () => {
    const all = resultsOf(pass("UserToken", "SeatAssignment", "OrgUser")).resultOf(parts);
    expect(all).toEqual({
      ...{ status: "already-gone", failure: undefined, alreadyGone: ["revokeToken", "returnSeat", "leave"] },
    });
    expect(resultsOf(pass("OrgUser")).resultOf(parts).status).toBe("already-gone");
  });
  test("counts as done where a token alone was gone, and says which", () => {
    const { status, alreadyGone } = resultsOf(pass("UserToken")).resultOf(parts);
    expect({ status, alreadyGone }).toEqual({ status: "succeeded", alreadyGone: ["revokeToken"] });
  });
  test("says already gone where a token was all that was to go", () => {
    expect(token && resultsOf(pass("UserToken")).resultOf([token]).status).toBe("already-gone");
  });
  test("counts as done for a token that the command has revoked before the run", () => {
    const results = withPasses(new StepResults(new Set(["id-of-ada"])), [pass("UserToken")]);
    expect(results.resultOf(parts)).toEqual({ status: "succeeded", failure: undefined, alreadyGone: [] });
  });
  test("counts as done where an earlier pass of the command may have removed it", () => {
    if (user === undefined) throw new Error("a member has a user");
    const lost = failure("no answer came", { code: "no-answer", isEffectUnknown: true });
    const before: Pass = [[user], [[user.urn, "failed"]], { ...removed("OrgUser", "failed"), failure: lost }];
    expect(resultsOf(before, pass("OrgUser")).resultOf(parts)).toMatchObject({
      status: "succeeded",
      alreadyGone: [],
    });
  });
});
