/** A changed marker of a roster as a step of the plan. */
import { expect, test } from "vitest";
import { rosterSteps } from "../../../command/plan/steps/rules.ts";
import type { RosterMarker } from "../../../command/roster/roster.ts";

const inState: RosterMarker = { urn: "urn:a", rosterId: "a", action: "delete", isDone: false, before: {} };
const declared: RosterMarker = { urn: "urn:b", rosterId: "b", action: "create", isDone: false };

test("a roster without an id changes the marker of its stack, whose id it takes", () => {
  expect(rosterSteps("people", [inState, { ...declared, after: {} }])).toEqual([]);
  expect(rosterSteps("people", [inState, { ...declared, after: { deliver: "f00d" } }])).toMatchObject([
    { urn: "urn:a", name: "a", action: "update", news: { deliver: "f00d" } },
  ]);
});

test("a new stack with a module shows it", () => {
  expect(rosterSteps("people", [declared])).toEqual([]);
  expect(rosterSteps("people", [{ ...declared, after: { deliver: "f00d" } }])).toMatchObject([
    { urn: "urn:b", action: "create", news: { deliver: "f00d" } },
  ]);
});
