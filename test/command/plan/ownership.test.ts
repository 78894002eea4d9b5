/** Whose stack it is, as markers and people tell. */
import { describe, expect, test } from "vitest";
import { violationsOf } from "../../../command/plan/guards/guards.ts";
import {
  headerLine,
  type Ownership,
  rosterIdFor,
  rosterNoteFor,
  type StackOwner,
} from "../../../command/plan/guards/ownership.ts";
import type { Plan } from "../../../command/plan/plan.ts";
import { guardContext, plan, row } from "./planned.ts";

const [OWN, OTHER] = [1, 2].map((digit) => `00000000-0000-4000-8000-00000000000${digit}`) as [string, string];

/** @param rosterIds of the markers in the state */
const owner = (...rosterIds: string[]): StackOwner => {
  return { stack: "people", project: "orgseat", rosterIds, otherTypes: [] };
};

const ownershipOf = (more: Partial<Ownership>): Ownership => ({
  ...{ file: "people.csv", headerId: OWN, listed: [], owner: owner(OWN) },
  ...{ newStack: false, namedOneByOne: false, ...more },
});

function guardsOf(found: Plan, more: Partial<Ownership>, override?: string): string[] {
  const limits = { ...guardContext, ownership: ownershipOf(more), override };
  return violationsOf(found, limits).map(({ guard }) => guard);
}

const [grace, ada, edsger] = [row("grace"), row("ada"), row("edsger")];
const stays = await plan({ had: [edsger] });
const joins = await plan({ has: [grace] });
const leaves = await plan({ had: [ada], has: [] });
const leavesBeside = await plan({ had: [edsger, ada], has: [edsger] });
const joinsBeside = await plan({ had: [edsger], has: [edsger, grace] });
const changed = await plan({ had: [edsger], has: [row("edsger", { email: "e.d@acme.example" })] });

describe("a stack with the marker", () => {
  test("belongs to its roster; another roster is refused whatever the plan does", () => {
    expect(guardsOf(leavesBeside, {})).toEqual([]);
    for (const found of [stays, joins, leavesBeside])
      expect(guardsOf(found, { owner: owner(OTHER) })).toEqual(["another-roster"]);
  });
  test("takes nothing away from anybody where the file has no id, but for those who are named", () => {
    const without = { headerId: undefined, owner: owner(OTHER), listed: [edsger] };
    expect(guardsOf(joinsBeside, without)).toEqual([]);
    expect(guardsOf(leavesBeside, without)).toEqual(["missing-roster-id"]);
    expect(guardsOf(changed, without)).toEqual(["missing-roster-id"]);
    expect(guardsOf(leavesBeside, { ...without, namedOneByOne: true })).toEqual([]);
  });
  test("stops a file without an id if the stack has two", () => {
    expect(guardsOf(stays, { headerId: undefined, owner: owner(OWN, OTHER) })).toEqual(["another-roster"]);
  });
});

describe("a stack without a marker", async () => {
  const unmarked = { owner: owner() };
  const leave = await plan({ had: [ada, row("bob")], has: [] });

  test("belongs to the roster if the list has one of its people, by key, email or user id", () => {
    for (const listed of [ada, row("x", { email: "ada@acme.example" }), row("x", { userId: "ID-of-ada" })]) {
      expect(guardsOf(leave, { ...unmarked, listed: [listed] })).toEqual([]);
    }
    expect(guardsOf(leave, { ...unmarked, listed: [grace] })).toEqual(["unrelated-roster"]);
  });
  test("stops a roster with an id that meets it for the first time, unless a new stack is meant", () => {
    expect(guardsOf(joins, unmarked)).toEqual(["new-stack"]);
    expect(guardsOf(joins, { ...unmarked, newStack: true })).toEqual([]);
    expect(guardsOf(joins, { ...unmarked, headerId: undefined })).toEqual([]);
  });
  test("belongs to another program if it has resources of another kind", () => {
    const foreign = { ...owner(), otherTypes: ["aws:s3/bucket:Bucket"] };
    expect(guardsOf(joins, { owner: foreign })).toEqual(["other-resources"]);
  });
});

test("a plan in which nobody of the state stays and others join is refused, unless exactly these people are meant", async () => {
  const found = await plan({ had: [ada], has: [grace] });
  expect(guardsOf(found, { listed: [grace] })).toEqual(["unrelated-roster"]);
  const beside = await plan({ had: [ada, edsger], has: [grace, edsger] });
  expect(guardsOf(beside, { listed: [grace, edsger] })).toEqual([]);
  expect(guardsOf(leaves, {})).toEqual([]);
  const ownership = ownershipOf({ listed: [grace] });
  const [stop] = violationsOf(found, { ...guardContext, ownership });
  expect(guardsOf(found, { listed: [grace] }, stop?.override)).toEqual([]);
});

test("the id of a roster is that of its file, else that of its stack, else a new one", () => {
  const NEW = "00000000-0000-4000-8000-000000000009";
  expect(rosterIdFor(OWN, OWN, owner())).toBe(OWN);
  expect(rosterIdFor(undefined, NEW, owner())).toBe(NEW);
  expect(rosterIdFor(undefined, NEW, owner(OTHER))).toBe(OTHER);
  expect(rosterIdFor(undefined, NEW, owner(OTHER, OWN))).toBeUndefined();
  expect(rosterNoteFor({ file: "people.csv" }, OTHER, owner(OTHER))).toContain(`(# roster: ${OTHER})`);
  expect(rosterNoteFor({ file: "people.csv" }, NEW, owner())).toBeUndefined();
  expect(rosterNoteFor({ file: "people.csv", id: OTHER }, OTHER, owner(OTHER))).toBeUndefined();
});

test("the line of the header has the form of the file", () => {
  expect(headerLine("people.csv", OWN)).toBe(`# roster: ${OWN}`);
  expect(headerLine("people.yaml", OWN)).toBe(`roster: ${OWN}`);
  expect(headerLine("people.json", OWN)).toBe(`"roster": "${OWN}",`);
});
