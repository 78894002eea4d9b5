/** What became of people, over all passes of a run. */
import { describe, expect, test } from "vitest";
import type { Said, StackOutcome, StepState } from "../../../sdk/automation/engine/engine.ts";
import { type Step, trackOf, trackOfReplaced } from "../../../sdk/automation/plan/steps.ts";
import { Ledger } from "../../../sdk/automation/verdicts.ts";
import { step } from "./plan/steps.ts";

const renamed = step("bob", "OrgUser", "replace");
const { urn, id } = renamed;
const same = step("bob", "OrgUser", "same", { id: "id-of-robert" });
const left = step("bob", "OrgUser", "delete", { isReplaced: true });
const track = trackOfReplaced(urn, id);

type Pass = readonly [steps: readonly Step[], states: readonly [string, StepState][], ...errors: string[]];

function ledgerOf(...passes: readonly Pass[]): Ledger {
  const ledger = new Ledger();
  for (const [steps, states, ...errors] of passes) {
    const messages = errors.map((text): Said => ({ stack: "people", severity: "error", urn, text }));
    const outcome: StackOutcome = {
      stack: "people",
      steps,
      states: new Map(states),
      messages,
      failure: undefined,
    };
    ledger.add(outcome, undefined);
  }
  return ledger;
}

describe("the verdict of a replacement", () => {
  const first: Pass = [
    [renamed],
    [
      [urn, "failed"],
      [track, "failed"],
    ],
    "call 11 was refused",
  ];
  test("is done when a later pass has removed the old one, and failed while that fails", () => {
    expect(ledgerOf(first).verdictOf([renamed])).toEqual({ verdict: "failed", text: "call 11 was refused" });
    const again: Pass = [[same, left], [[track, "failed"]], "call 11 was refused again"];
    expect(ledgerOf(first, again).verdictOf([renamed])).toEqual({
      ...{ verdict: "failed", text: "call 11 was refused again" },
    });
    expect(ledgerOf(first, again, [[same, left], [[track, "done"]]]).verdictOf([renamed])).toEqual({
      ...{ verdict: "done", text: undefined },
    });
  });
  test("is not done where a later pass ends before the old one's turn", () => {
    expect(
      ledgerOf(
        [
          [renamed],
          [
            [track, "begun"],
            [urn, "begun"],
          ],
        ],
        [[same], []],
      ).verdictOf([renamed]),
    ).toEqual({
      ...{ verdict: "not done", text: undefined },
    });
  });
});

describe("the verdict of an old one that an earlier run left", () => {
  test("is its own, whatever became of its successor", () => {
    const ledger = ledgerOf([[same, left], [[trackOf(left), "failed"]], "call 11 was refused"]);
    expect(ledger.verdictOf([left])).toEqual({ verdict: "failed", text: "call 11 was refused" });
    expect(ledgerOf([[same], []]).verdictOf([left])).toEqual({ verdict: "not done", text: undefined });
  });
  test("has the words with its own user id, where the successor fails too", () => {
    const robert = step("bob", "OrgUser", "delete", { id: "id-of-robert" });
    const states: Pass[1] = [
      [urn, "failed"],
      [track, "failed"],
    ];
    const ledger = ledgerOf([
      [robert, left],
      states,
      `users/${id} was refused`,
      "users/id-of-robert was refused",
    ]);
    expect(ledger.verdictOf([left]).text).toBe(`users/${id} was refused`);
    expect(ledger.verdictOf([robert]).text).toBe("users/id-of-robert was refused");
  });
});
