/** What the engine tells becomes steps, how far each got, and what was said. */
import type { EngineEvent, OpType } from "@pulumi/pulumi/automation/index.js";
import { describe, expect, test } from "vitest";
import { Told } from "../../../../sdk/automation/engine/steps-of-events.ts";

const MEMBER = "urn:pulumi:people::orgseat::orgseat:index:OrgMember::ada";
const TYPE = "pulumi-nodejs:orgseat:UserToken";
const URN = `urn:pulumi:people::orgseat::orgseat:index:OrgMember$${TYPE}::ada-token`;

function metadata(op: OpType, type = TYPE) {
  const state = {
    type,
    urn: URN,
    id: "u1",
    parent: MEMBER,
    provider: "",
    inputs: { a: 1 },
    outputs: { b: 2 },
  };
  const old = op === "create" ? {} : { old: state };
  return {
    metadata: { op, urn: URN, type, provider: "", ...old, ...(op === "delete" ? {} : { new: state }) },
  };
}

const event = (given: Partial<EngineEvent>): EngineEvent => ({ sequence: 0, timestamp: 0, ...given });
const begins = (op: OpType, type?: string) => event({ resourcePreEvent: metadata(op, type) });
const ends = (op: OpType) => event({ resOutputsEvent: { ...metadata(op), planning: false } });
const fails = (op: OpType) => event({ resOpFailedEvent: { ...metadata(op), status: 0, steps: 0 } });

function told(...events: readonly EngineEvent[]): Told {
  const all = new Told("people");
  for (const one of events) all.hear(one);
  return all;
}

describe("steps of the engine's events", () => {
  test("have the member, its component, the object of before and what shall be", () => {
    expect(told(begins("update")).steps()).toEqual([
      {
        ...{ stack: "people", urn: URN, type: "UserToken", name: "ada-token", member: "ada", parent: MEMBER },
        ...{
          action: "update",
          id: "u1",
          olds: { b: 2 },
          news: { a: 1 },
          deleteFirst: false,
          isProtected: { before: false, after: false },
        },
      },
    ]);
  });
  test("have no object for what is made, and nothing that shall be for what goes", () => {
    expect(told(begins("create")).steps()).toMatchObject([
      { action: "create", id: undefined, olds: undefined },
    ]);
    expect(told(begins("delete")).steps()).toMatchObject([{ action: "delete", id: "u1", news: undefined }]);
  });
  test("make one replacement of its three parts, and tell which goes first", () => {
    const newFirst = told(begins("create-replacement"), begins("replace"), begins("delete-replaced"));
    expect(newFirst.steps()).toMatchObject([{ action: "replace", deleteFirst: false }]);
    const oldFirst = told(begins("delete-replaced"), begins("replace"), begins("create-replacement"));
    expect(oldFirst.steps()).toMatchObject([{ action: "replace", deleteFirst: true }]);
  });
  test("tell of an old one that an earlier run left to be deleted", () => {
    const left = told(begins("same"), begins("delete-replaced"));
    expect(left.steps().map(({ action }) => action)).toEqual(["same", "delete"]);
  });
  test("leave out what orgseat does not manage", () => {
    expect(
      told(begins("create", "pulumi:pulumi:Stack"), begins("create", "random:index:Id")).steps(),
    ).toEqual([]);
  });
});

describe("how far a step got", () => {
  const stateOf = (...events: readonly EngineEvent[]) => told(...events).states.get(URN);
  test("begun, done or failed", () => {
    expect(stateOf(begins("create"))).toBe("begun");
    expect(stateOf(begins("create"), ends("create"))).toBe("done");
    expect(stateOf(begins("create"), fails("create"))).toBe("failed");
    expect(stateOf(begins("same"), ends("same"))).toBeUndefined();
  });
  test("a replacement is done when both of its parts are, in any order", () => {
    const oldFirst = [begins("delete-replaced"), ends("delete-replaced"), begins("replace"), ends("replace")];
    expect(stateOf(...oldFirst)).toBe("begun");
    expect(stateOf(...oldFirst, begins("create-replacement"), ends("create-replacement"))).toBe("done");
    expect(stateOf(...oldFirst, begins("create-replacement"), fails("create-replacement"))).toBe("failed");
  });
});

describe("what was said", () => {
  const says = (severity: string, message: string) =>
    // The real CLI has more severities than the SDK's type.
    event({ diagnosticEvent: { severity, message, color: "never", urn: URN } as never });
  test("is plain text, with the resource it is about", () => {
    const { messages } = told(says("warning", "<{%fg 3%}>mind this<{%reset%}>\n"));
    expect(messages).toEqual([{ stack: "people", severity: "warning", urn: URN, text: "mind this" }]);
  });
  test("has no debug messages, which spell out secrets, nor what is empty", () => {
    expect(told(says("debug", "hush"), says("info#err", "<{%reset%}>\n")).messages).toEqual([]);
  });
});
