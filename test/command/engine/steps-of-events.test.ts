/** What the engine tells becomes steps, how far each got, and what was said. */
import type { EngineEvent, OpType } from "@pulumi/pulumi/automation/index.js";
import { describe, expect, test } from "vitest";
import type { StackOutcome } from "../../../command/engine/engine.ts";
import { StepCollector } from "../../../command/engine/runner/step-collector.ts";
import { replacedKey } from "../../../command/plan/steps/steps.ts";

const MEMBER = "urn:pulumi:people::orgseat::orgseat:index:RosterMember::ada";
const TYPE = "pulumi-nodejs:orgseat:RosterToken";
const URN = `urn:pulumi:people::orgseat::orgseat:index:RosterMember$${TYPE}::ada-token`;

function metadata(op: OpType, type = TYPE, id = "u1", urn = URN, parent: string = MEMBER) {
  const state = {
    type,
    urn,
    id,
    parent,
    provider: "",
    inputs: { a: 1 },
    outputs: { b: 2 },
  };
  const old = op === "create" ? {} : { old: state };
  return {
    metadata: { op, urn, type, provider: "", ...old, ...(op === "delete" ? {} : { new: state }) },
  };
}

const event = (given: Partial<EngineEvent>): EngineEvent => ({ sequence: 0, timestamp: 0, ...given });
const begins = (op: OpType, type?: string, id?: string) =>
  event({ resourcePreEvent: metadata(op, type, id) });
const ends = (op: OpType, id?: string) =>
  event({ resOutputsEvent: { ...metadata(op, TYPE, id), planning: false } });
const fails = (op: OpType, id?: string) =>
  event({ resOpFailedEvent: { ...metadata(op, TYPE, id), status: 0, steps: 0 } });

function outcomeOf(...events: readonly EngineEvent[]): StackOutcome {
  const collector = new StepCollector("people");
  for (const one of events) collector.onEvent(one);
  return collector.outcome(undefined);
}

describe("steps of the engine's events", () => {
  test("name the member, its component, the object of before and what shall be", () => {
    expect(outcomeOf(begins("update")).steps).toEqual([
      {
        ...{ stack: "people", urn: URN, type: "UserToken", name: "ada-token", member: "ada", parent: MEMBER },
        ...{
          action: "update",
          id: "u1",
          olds: { b: 2 },
          news: { a: 1 },
          deleteFirst: false,
          isReplaced: false,
          isProtected: { before: false, after: false },
        },
      },
    ]);
  });
  test("show no object for what is made, and nothing that shall be for what goes", () => {
    expect(outcomeOf(begins("create")).steps).toMatchObject([
      { action: "create", id: undefined, olds: undefined },
    ]);
    expect(outcomeOf(begins("delete")).steps).toMatchObject([
      { action: "delete", id: "u1", news: undefined },
    ]);
  });
  test("make one replacement of its three parts, with their order", () => {
    const newFirst = outcomeOf(begins("create-replacement"), begins("replace"), begins("delete-replaced"));
    expect(newFirst.steps).toMatchObject([{ action: "replace", deleteFirst: false }]);
    const oldFirst = outcomeOf(begins("delete-replaced"), begins("replace"), begins("create-replacement"));
    expect(oldFirst.steps).toMatchObject([{ action: "replace", deleteFirst: true }]);
  });
  test("include the old object that an earlier run left to be deleted", () => {
    const left = outcomeOf(begins("same", TYPE, "u2"), begins("delete-replaced"));
    expect(left.steps).toMatchObject([
      { action: "same", id: "u2", isReplaced: false },
      { action: "delete", id: "u1", isReplaced: true, urn: URN },
    ]);
  });
  test("include it beside an old object that this run deletes, and beside one that is not replaced", () => {
    const left = begins("delete-replaced", TYPE, "u0");
    const replacement = [begins("create-replacement"), begins("replace"), begins("delete-replaced")];
    expect(outcomeOf(...replacement, left).steps).toMatchObject([
      { action: "replace", id: "u1", isReplaced: false },
      { action: "delete", id: "u0", isReplaced: true },
    ]);
    expect(outcomeOf(left, begins("delete")).steps).toMatchObject([
      { action: "delete", id: "u1", isReplaced: false },
      { action: "delete", id: "u0", isReplaced: true },
    ]);
  });
  test("make a creation of a replacement of which an earlier run has deleted the old one", () => {
    expect(outcomeOf(begins("replace"), begins("create-replacement")).steps).toMatchObject([
      { action: "create", id: undefined, olds: undefined, news: { a: 1 } },
    ]);
  });
  test("leave out what orgseat does not manage", () => {
    const urn = "urn:pulumi:people::x::random:index:Id::id";
    const loose = event({ resourcePreEvent: metadata("delete", "random:index:Id", "u1", urn, "") });
    const found = outcomeOf(begins("create", "pulumi:pulumi:Stack"), loose);
    expect(found).toMatchObject({ steps: [], otherTypes: ["random:index:Id"] });
  });
  test("include what another provider makes inside of a member, at any depth, without its values", () => {
    const component = `${MEMBER.replace("::ada", "$my:index:Box")}::box`;
    const urn = `${component.replace("::box", "$random:index:Id")}::id`;
    const of = (type: string, own: string, parent: string): EngineEvent =>
      event({ resourcePreEvent: metadata("delete", type, "i1", own, parent) });
    const found = outcomeOf(of("random:index:Id", urn, component), of("my:index:Box", component, MEMBER));
    const step = { type: "Delivered", member: "ada", action: "delete", olds: undefined, news: undefined };
    expect(found).toMatchObject({
      steps: [
        { ...step, urn },
        { ...step, urn: component },
      ],
      otherTypes: [],
    });
  });
});

describe("how far a step got", () => {
  const stateOf = (...events: readonly EngineEvent[]) => outcomeOf(...events).states.get(URN);
  test("begun, done or failed", () => {
    expect(stateOf(begins("create"))).toBe("started");
    expect(stateOf(begins("create"), ends("create"))).toBe("succeeded");
    expect(stateOf(begins("create"), fails("create"))).toBe("failed");
    expect(stateOf(begins("same"), ends("same"))).toBeUndefined();
  });
  test("a replacement is done when both of its parts are, in any order", () => {
    const oldFirst = [begins("delete-replaced"), ends("delete-replaced"), begins("replace"), ends("replace")];
    expect(stateOf(...oldFirst)).toBe("started");
    expect(stateOf(...oldFirst, begins("create-replacement"), ends("create-replacement"))).toBe("succeeded");
    expect(stateOf(...oldFirst, begins("create-replacement"), fails("create-replacement"))).toBe("failed");
    const newFirst = [begins("create-replacement"), ends("create-replacement"), begins("replace")];
    expect(stateOf(...newFirst, ends("replace"), ends("delete-replaced", "u0"))).toBe("started");
    expect(stateOf(...newFirst, begins("delete-replaced"), ends("delete-replaced"))).toBe("succeeded");
    expect(stateOf(...newFirst, begins("delete-replaced"), fails("delete-replaced"))).toBe("failed");
  });
  test("a replacement fails if its new object comes first and is refused, after which no event names the rest", () => {
    const refused = outcomeOf(begins("create-replacement"), fails("create-replacement"));
    expect(refused.steps).toMatchObject([{ action: "replace", id: "u1", deleteFirst: false }]);
    expect([...refused.states]).toEqual([
      [replacedKey(URN, "u1"), "started"],
      [URN, "failed"],
    ]);
  });
  test("a replacement of which an earlier run has deleted the old one is done with the new one", () => {
    const begun = [begins("replace"), ends("replace"), begins("create-replacement")];
    expect(stateOf(...begun)).toBe("started");
    expect(stateOf(...begun, ends("create-replacement"))).toBe("succeeded");
  });
  test("an old one that an earlier run left has a state of its own", () => {
    const left = [begins("same", TYPE, "u2"), ends("same", "u2"), begins("delete-replaced")];
    const statesAfter = (...events: readonly EngineEvent[]) => [...outcomeOf(...left, ...events).states];
    const key = replacedKey(URN, "u1");
    expect(statesAfter()).toEqual([[key, "started"]]);
    expect(statesAfter(ends("delete-replaced"))).toEqual([[key, "succeeded"]]);
    expect(statesAfter(fails("delete-replaced"))).toEqual([[key, "failed"]]);
  });
});

describe("what was said", () => {
  const says = (severity: string, message: string) =>
    // The real CLI has more severities than the SDK's type.
    event({ diagnosticEvent: { severity, message, color: "never", urn: URN } as never });
  test("becomes plain text, with the resource it is about", () => {
    const { diagnostics } = outcomeOf(says("warning", "<{%fg 3%}>mind this<{%reset%}>\n"));
    expect(diagnostics).toEqual([{ stack: "people", severity: "warning", urn: URN, text: "mind this" }]);
  });
  test("omits debug messages, which spell out secrets, and what is empty", () => {
    expect(outcomeOf(says("debug", "hush"), says("info#err", "<{%reset%}>\n")).diagnostics).toEqual([]);
  });
  const resource = "pulumi-nodejs:orgseat:RosterToken resource";
  test.each([
    ["of a resource", `${resource} 'ada-token' has a problem: no date`, "ada-token: no date"],
    [
      "of an input that the reason names",
      `${resource} 'o'hara-token': property expiresAt value {<nil>} has a problem: set expiresAt`,
      "o'hara-token: set expiresAt",
    ],
    [
      "of an input whose value and reason have several lines",
      `${resource} 'ada-user': property onDelete value {map[a:{1}\n b:{2}]} has a problem: remove\nor keep`,
      "ada-user: onDelete: remove\nor keep",
    ],
    ["of something else", "the network has a problem: it is down", "the network has a problem: it is down"],
  ])("shows a finding of a check without Pulumi's wrapper: %s", (_, message, text) => {
    const { diagnostics } = outcomeOf(says("error", message));
    expect(diagnostics).toMatchObject([{ severity: "error", text }]);
  });
  test("moves the code of an error out of its text, wherever Pulumi puts that text", () => {
    const message =
      "1 error occurred:\n\t* creating urn:pulumi:dev::p::t::ada-seat: cannot assign seat: no seats (HTTP 402). Buy one [no-seats]\n";
    const { diagnostics } = outcomeOf(says("error", message));
    expect(diagnostics).toMatchObject([{ code: "no-seats", text: expect.not.stringContaining("[") }]);
  });
  test("leaves the end of a message of another provider, which only looks like a code", () => {
    const urn = "urn:pulumi:people::orgseat::orgseat:index:RosterMember$random:index:RandomId::ada-id";
    const message = "no such id [not-found]";
    const { diagnostics } = outcomeOf(
      event({ diagnosticEvent: { severity: "error", message, color: "never", urn } }),
    );
    expect(diagnostics).toMatchObject([{ code: undefined, text: message }]);
  });
  test("leaves what only looks like a code in the text", () => {
    const { diagnostics } = outcomeOf(says("error", "see the list [some-words]"));
    expect(diagnostics).toMatchObject([{ code: undefined, text: "see the list [some-words]" }]);
  });
});
