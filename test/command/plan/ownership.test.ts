/** Which id a roster gets; plans.txt has whose stack it is. */
import { expect, test } from "vitest";
import {
  headerLine,
  rosterIdFor,
  rosterNoteFor,
  type StackOwner,
} from "../../../command/plan/guards/ownership.ts";

const OWN = "00000000-0000-4000-8000-000000000001";
const OTHER = "00000000-0000-4000-8000-000000000002";

/** @param rosterIds of the markers in the state */
const owner = (...rosterIds: string[]): StackOwner => {
  return { stack: "people", project: "orgseat", rosterIds, otherTypes: [] };
};

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
