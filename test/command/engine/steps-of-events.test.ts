/** What the engine tells becomes progress of members, failures, and messages. */
import type { EngineEvent, OpType } from "@pulumi/pulumi/automation/index.js";
import { describe, expect, test } from "vitest";
import type { Progress } from "../../../command/engine/engine.ts";
import { StepCollector } from "../../../command/engine/runner/step-collector.ts";
import { MEMBER_TYPE } from "../../../command/members/state-members.ts";

const URN = `urn:pulumi:people::orgseat::${MEMBER_TYPE}::ada`;

function metadata(op: OpType, type = MEMBER_TYPE, urn = URN) {
  return { metadata: { op, urn, type, provider: "" } };
}

const event = (given: Partial<EngineEvent>): EngineEvent => ({ sequence: 0, timestamp: 0, ...given });
const begins = (op: OpType, type?: string) => event({ resourcePreEvent: metadata(op, type) });
const ends = (op: OpType) => event({ resOutputsEvent: { ...metadata(op), planning: false } });
const fails = (op: OpType, type?: string) =>
  event({ resOpFailedEvent: { ...metadata(op, type), status: 0, steps: 0 } });

function heard(...events: readonly EngineEvent[]) {
  const collector = new StepCollector("people");
  const progress = events.flatMap((one): Progress["state"][] => {
    const found = collector.onEvent(one);
    return found === undefined ? [] : [found.state];
  });
  return { progress, ...collector.outcome(undefined) };
}
const outcomeOf = heard;

describe("the progress of a member", () => {
  test("begun, done or failed", () => {
    expect(heard(begins("create"), ends("create")).progress).toEqual(["started", "succeeded"]);
    expect(heard(begins("update"), fails("update"))).toMatchObject({
      ...{ progress: ["started", "failed"], failed: [URN] },
    });
  });
  test("leaves out a member that stays as it is, and what is no member", () => {
    expect(heard(begins("same"), ends("same")).progress).toEqual([]);
    expect(heard(begins("create", "pulumi:pulumi:Stack")).progress).toEqual([]);
    expect(heard(fails("create", "orgseat:index:Roster"))).toMatchObject({ progress: [], failed: [URN] });
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
  const resource = "pulumi-nodejs:orgseat:OrgMember resource";
  test.each([
    ["of a resource", `${resource} 'ada' has a problem: no date`, "ada: no date"],
    [
      "of an input that the reason names",
      `${resource} 'o'hara': property expiresAt value {<nil>} has a problem: set expiresAt`,
      "o'hara: set expiresAt",
    ],
    [
      "of an input whose value and reason have several lines",
      `${resource} 'ada': property onDelete value {map[a:{1}\n b:{2}]} has a problem: remove\nor keep`,
      "ada: onDelete: remove\nor keep",
    ],
    ["of something else", "the network has a problem: it is down", "the network has a problem: it is down"],
  ])("shows a finding of a check without Pulumi's wrapper: %s", (_, message, text) => {
    const { diagnostics } = outcomeOf(says("error", message));
    expect(diagnostics).toMatchObject([{ severity: "error", text }]);
  });
  test.each([
    "rpc error: code = Unavailable desc = error reading from server: EOF",
    "error reading from server: connection reset by peer",
    'connection error: desc = "transport: Error while dialing: dial tcp 127.0.0.1:4711: connect: connection refused"',
  ])("says in words that the provider is gone: %s", (message) => {
    expect(outcomeOf(says("error", message)).diagnostics).toMatchObject([
      { text: "the provider process ended unexpectedly: it was killed, or ran out of memory" },
    ]);
  });
  test("moves the code of an error out of its text, wherever Pulumi puts that text", () => {
    const message =
      "1 error occurred:\n\t* updating urn:pulumi:dev::p::t::ada: cannot assign seat: no seats (HTTP 402). Buy one [no-seats]\n";
    const { diagnostics } = outcomeOf(says("error", message));
    expect(diagnostics).toMatchObject([{ code: "no-seats", text: expect.not.stringContaining("[") }]);
  });
  test("leaves what only looks like a code in the text", () => {
    const { diagnostics } = outcomeOf(says("error", "see the list [some-words]"));
    expect(diagnostics).toMatchObject([{ code: undefined, text: "see the list [some-words]" }]);
  });
});
