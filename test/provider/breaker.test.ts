import { statSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { RemovalBreaker } from "../../provider/breaker.ts";
import { readRemovals, writeRemovals } from "../../provider/removals.ts";
import type { Removal } from "../../provider/resources/resource.ts";
import { temporaryFile } from "../setup/temporary.ts";

type Limits = ConstructorParameters<typeof RemovalBreaker>[0];

const people = (count: number) => Array.from({ length: count }, (_, index) => `u${index}`);
const breakerOf = (limits: Partial<Limits>) =>
  new RemovalBreaker({
    maxRemovals: 25,
    allowedRemovals: undefined,
    removalsFile: undefined,
    organizationId: "o1",
    ...limits,
  });
const seat = (organizationId: string, id: string): Removal => ({
  type: "SeatAssignment",
  id,
  organizationId,
  who: `user ${id}`,
});

describe("the removal breaker", () => {
  test("lets exactly its number of people lose something, however much each loses", () => {
    const breaker = breakerOf({ maxRemovals: 3 });
    for (const person of people(3)) for (let i = 0; i < 3; i++) breaker.admit(seat("o1", person));
    expect(() => breaker.admit(seat("o1", "u3"))).toThrow(
      /3 people have lost .* the limit is 3 \(orgseat:maxRemovals\)/,
    );
    expect(() => breaker.admit(seat("o1", "u0")), "who has lost something already").not.toThrow();
  });

  test("of none refuses the first", () => {
    const none = breakerOf({ maxRemovals: 0 });
    expect(() => none.admit(seat("o1", "u0"))).toThrow(/the limit is 0/);
  });

  test("does not count service accounts and model servers", () => {
    const none = breakerOf({ maxRemovals: 0 });
    none.admit({ type: "ServiceAccount", id: "c1", organizationId: "o1", who: "bot" });
    none.admit({ type: "ModelServer", id: "s1", who: "server s1" });
    expect(() => none.admit(seat("o1", "u0"))).toThrow(/the limit is 0/);
  });

  test("counts the people of all organizations together", () => {
    const breaker = breakerOf({ maxRemovals: 2 });
    breaker.admit(seat("o1", "u0"));
    breaker.admit(seat("o2", "u0"));
    expect(() => breaker.admit(seat("o3", "u0"))).toThrow(/the limit is 2/);
  });

  test("is overridden for the named organization only, up to the named number", () => {
    const breaker = breakerOf({ maxRemovals: 1, allowedRemovals: { organizationId: "o1", people: 2 } });
    for (const person of people(2)) breaker.admit(seat("o1", person));
    expect(() => breaker.admit(seat("o1", "u2"))).toThrow(/the limit is 2 \(ORGSEAT_ALLOW_REMOVALS\)/);
    breaker.admit(seat("o2", "u0"));
    expect(() => breaker.admit(seat("o2", "u1"))).toThrow(/the limit is 1 \(orgseat:maxRemovals\)/);
  });
});

describe("the removal breaker with the exact removals that a preview showed", () => {
  const listOf = (removals: Parameters<typeof writeRemovals>[1]["removals"], organizationId = "o1") => {
    const file = temporaryFile("removals.json");
    writeRemovals(file, { organizationId, removals });
    return file;
  };

  test("lets through what the list names, beyond any number, and nothing else", () => {
    const removals = people(40).map((id) => ({ type: "SeatAssignment", id }) as const);
    const breaker = breakerOf({ maxRemovals: 25, removalsFile: listOf(removals) });
    for (const person of people(40)) breaker.admit(seat("o1", person));
    expect(() => breaker.admit(seat("o1", "u40"))).toThrow(
      /the seat of user u40 stays\. The preview did not show this \(ORGSEAT_REMOVALS, .*removals\.json\)/,
    );
    for (const type of ["UserToken", "OrgUser", "ServiceAccount", "ModelServer"] as const)
      expect(() => breaker.admit({ ...seat("o1", "u0"), type }), type).toThrow(/did not show this/);
  });

  test("that names nothing refuses everything, whatever else allows it", () => {
    const limits = { allowedRemovals: { organizationId: "o1", people: 9 }, removalsFile: listOf([]) };
    expect(() => breakerOf(limits).admit(seat("o1", "u0"))).toThrow(/did not show this/);
  });

  test("of another organization never match", () => {
    const removalsFile = listOf([{ type: "SeatAssignment", id: "u0" }], "o2");
    const breaker = breakerOf({ removalsFile });
    expect(() => breaker.admit(seat("o1", "u0"))).toThrow(/is of the organization o2, and this is in o1/);
    expect(() => breaker.admit(seat("o2", "u0")), "a resource's own organization").not.toThrow();
  });

  test("hold for the model area by the configured organization, where there is one", () => {
    const server = { type: "ModelServer", id: "s1" } as const;
    const removalsFile = listOf([server], "o2");
    const admit = (organizationId: string | undefined) => () =>
      breakerOf({ removalsFile, organizationId }).admit({ ...server, who: "server s1" });
    expect(admit("o1")).toThrow(/is of the organization o2/);
    expect(admit("o2")).not.toThrow();
    expect(admit(undefined)).not.toThrow();
  });

  test.each([
    ["is missing", undefined, /ENOENT/],
    ["is no JSON", "{", /it is no JSON/],
    ["is empty", "", /it is no JSON/],
    [
      "is of another version",
      '{"version":2,"organizationId":"o1","removals":[]}',
      /version: another version/,
    ],
    ["names no organization", '{"version":1,"removals":[]}', /organizationId: missing/],
    [
      "names a type that there is not",
      '{"version":1,"organizationId":"o1","removals":[{"type":"Seat","id":"u0"}]}',
      /removals\[0\]\.type/,
    ],
  ])("in a file that %s refuse everything", (_, content, why) => {
    const removalsFile = temporaryFile("removals.json", content);
    const breaker = breakerOf({ removalsFile });
    expect(() => breaker.admit(seat("o1", "u0"))).toThrow(/the seat of user u0 stays\. .* cannot be read/);
    expect(() => breaker.admit(seat("o1", "u0"))).toThrow(why);
  });

  test("are written of mode 0600 over what was there, and are what is read", () => {
    const file = temporaryFile("removals.json", "of before");
    writeRemovals(file, { organizationId: "o1", removals: [{ type: "OrgUser", id: "u0" }] });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const list = readRemovals(file);
    expect("fault" in list || list.names({ type: "OrgUser", id: "u0" })).toBe(true);
    expect("fault" in list || list.names({ type: "OrgUser", id: "u1" })).toBe(false);
  });
});
