/** Whose stacks they are, as markers and people tell. */
import { describe, expect, test } from "vitest";
import { violationsOf } from "../../../command/plan/guards/guards.ts";
import {
  headerLine,
  type Ownership,
  rosterIdFor,
  rosterNoteFor,
  type StackOwner,
} from "../../../command/plan/guards/ownership.ts";
import type { Step } from "../../../command/plan/steps/steps.ts";
import type { RosterMarker, RosterPerson } from "../../../command/roster/roster.ts";
import { markerUrn } from "../../setup/markers.ts";
import { guardContext, member, plan } from "./steps.ts";

const [OWN, OTHER] = [1, 2].map((digit) => `00000000-0000-4000-8000-00000000000${digit}`) as [string, string];

const marker = (rosterId: string, action: RosterMarker["action"]): RosterMarker => {
  return { urn: markerUrn("people", "orgseat", rosterId), rosterId, action, isDone: false };
};
const owner = (...markers: RosterMarker[]): StackOwner => {
  return { stack: "people", markers, otherTypes: [], isComplete: true };
};
const person = (key: string): RosterPerson => {
  const place = "people.csv, line 2";
  return { key, email: `${key}@acme.example`, seat: true, token: true, protected: false, place };
};

const ownershipOf = (more: Partial<Ownership>): Ownership => ({
  ...{ file: "people.csv", headerId: OWN, listed: [], stacks: [owner(marker(OWN, "same"))] },
  ...{ isElsewhere: false, newStack: false, namedOneByOne: false, ...more },
});

function guardsOf(steps: readonly Step[], more: Partial<Ownership>, override?: string): string[] {
  const limits = { ...guardContext, ownership: ownershipOf(more), override };
  return violationsOf(plan(steps), limits).map(({ guard }) => guard);
}

const joins = member("grace", "create");
const leaves = member("ada", "delete");
const stays = member("edsger", "same");

describe("a stack with the marker", () => {
  test("belongs to its roster; another roster is refused whatever the plan does", () => {
    expect(guardsOf([...stays, ...leaves], {})).toEqual([]);
    const foreign = { stacks: [owner(marker(OWN, "create"), marker(OTHER, "delete"))] };
    for (const steps of [stays, joins, [...stays, ...leaves]])
      expect(guardsOf(steps, foreign)).toEqual(["another-roster"]);
  });
  test("takes nothing away from anybody where the file has no id, but for those who are named", () => {
    const stacks = [owner(marker(OWN, "create"), marker(OTHER, "delete"))];
    const listed = [person("edsger")];
    const without = { headerId: undefined, stacks, listed };
    expect(guardsOf([...stays, ...joins], without)).toEqual([]);
    expect(guardsOf([...stays, ...leaves], without)).toEqual(["missing-roster-id"]);
    expect(guardsOf(member("edsger", "replace"), without)).toEqual(["missing-roster-id"]);
    expect(guardsOf([...stays, ...leaves], { ...without, namedOneByOne: true })).toEqual([]);
  });
  test("stops a file without an id if the other stacks have another marker", () => {
    const stacks = [owner(marker(OWN, "delete")), { ...owner(marker(OTHER, "delete")), stack: "people-02" }];
    expect(guardsOf(stays, { headerId: undefined, stacks })).toEqual(["another-roster"]);
  });
});

describe("a stack without a marker", () => {
  const stacks = [owner(marker(OWN, "create"))];
  test("belongs to the roster if the list has one of its people, by key, email or user id", () => {
    const plain = [...leaves, ...member("bob", "delete")];
    for (const listed of [
      person("ada"),
      { ...person("x"), email: "ada@acme.example" },
      { ...person("x"), userId: "ID-of-ada" },
    ]) {
      expect(guardsOf(plain, { stacks, listed: [listed] })).toEqual([]);
    }
    expect(guardsOf(plain, { stacks, listed: [person("grace")] })).toEqual(["unrelated-roster"]);
  });
  test("stops a roster with an id that meets it for the first time, unless a new stack is meant or others are its own", () => {
    expect(guardsOf(joins, { stacks })).toEqual(["new-stack"]);
    expect(guardsOf(joins, { stacks, newStack: true })).toEqual([]);
    expect(guardsOf(joins, { stacks, isElsewhere: true })).toEqual([]);
    expect(guardsOf(joins, { stacks, headerId: undefined })).toEqual([]);
    expect(guardsOf(joins, { stacks: [...stacks, owner(marker(OWN, "same"))] })).toEqual([]);
    const unseen = { ...owner(), stack: "people-02", isComplete: false };
    expect(guardsOf(joins, { stacks: [...stacks, unseen] })).toEqual([]);
  });
  test("belongs to another program if it has resources of another kind", () => {
    const foreign = [{ ...owner(marker(OWN, "create")), otherTypes: ["aws:s3/bucket:Bucket"] }];
    expect(guardsOf([], { stacks: foreign })).toEqual(["other-resources"]);
  });
});

test("a plan in which nobody of the state stays and others join is refused, unless exactly these people are meant", () => {
  const steps = [...joins, ...leaves];
  expect(guardsOf(steps, { listed: [person("grace")] })).toEqual(["unrelated-roster"]);
  expect(guardsOf([...steps, ...stays], { listed: [person("grace"), person("edsger")] })).toEqual([]);
  expect(guardsOf(leaves, {})).toEqual([]);
  const ownership = ownershipOf({ listed: [person("grace")] });
  const [stop] = violationsOf(plan(steps), { ...guardContext, ownership });
  expect(guardsOf(steps, { listed: [person("grace")] }, stop?.override)).toEqual([]);
});

test("the id of a roster is that of its file, else that of its stacks, else a new one where all stacks were seen", () => {
  const NEW = "00000000-0000-4000-8000-000000000009";
  const empty = [owner(marker(NEW, "create"))];
  expect(rosterIdFor(OWN, OWN, empty)).toBe(OWN);
  expect(rosterIdFor(undefined, NEW, empty)).toBe(NEW);
  const marked = [owner(marker(NEW, "create"), marker(OTHER, "delete"))];
  expect(rosterIdFor(undefined, NEW, marked)).toBe(OTHER);
  expect(rosterIdFor(undefined, NEW, [...marked, owner(marker(OWN, "delete"))])).toBeUndefined();
  expect(rosterIdFor(undefined, NEW, [{ ...owner(), isComplete: false }])).toBeUndefined();
  expect(rosterIdFor(undefined, undefined, empty)).toBeUndefined();
  expect(rosterNoteFor({ file: "people.csv" }, OTHER, marked)).toContain(`(# roster: ${OTHER})`);
  expect(rosterNoteFor({ file: "people.csv" }, NEW, empty)).toBeUndefined();
  expect(rosterNoteFor({ file: "people.csv", id: OTHER }, OTHER, marked)).toBeUndefined();
});

test("the line of the header has the form of the file", () => {
  expect(headerLine("people.csv", OWN)).toBe(`# roster: ${OWN}`);
  expect(headerLine("people.yaml", OWN)).toBe(`roster: ${OWN}`);
  expect(headerLine("people.json", OWN)).toBe(`"roster": "${OWN}",`);
});
