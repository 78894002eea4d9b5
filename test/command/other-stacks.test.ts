/** Which stacks of a project are the organization's own, and which are none of its business. */
import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { openOrganization } from "../../command/stacks/organization.ts";
import { shardOf } from "../../command/stacks/shards.ts";
import { entriesOf } from "../../command/stacks/stack-state.ts";
import { upAll } from "../../command/verbs/up.ts";
import { temporaryFolder } from "../setup/temporary.ts";
import {
  engineWith,
  keysOf,
  ORGANIZATION,
  placesOf,
  rosterOf,
  stateOf,
  withMarker,
} from "./stored-engine.ts";

test("stacks of the same project that only look alike are left alone", async () => {
  const file = `${temporaryFolder()}/people.json`;
  const engine = engineWith(keysOf(3), 1);
  for (const name of ["people-00", "people-123", "people-2026"])
    engine.states.set(name, stateOf(name, ["m9"]));
  writeFileSync(file, rosterOf(keysOf(3), 1));
  expect((await openOrganization({ roster: file }, { engine })).staleStacks).toEqual([]);
  engine.states.set("people-02", stateOf("people-02", ["m2", "m9"]));
  expect((await openOrganization({ roster: file }, { engine })).staleStacks).toEqual(["people-02"]);
});

test("a stack with the name of a shard is left alone where it has another roster's marker, or nobody of this roster", async () => {
  const file = `${temporaryFolder()}/people.json`;
  const engine = engineWith(keysOf(3), 1);
  const staleWith = async (keys: readonly string[], marker: string | undefined, id: string | undefined) => {
    engine.states.set("people-02", withMarker(stateOf("people-02", keys), marker));
    writeFileSync(file, JSON.stringify({ ...JSON.parse(rosterOf(keysOf(3), 1)), roster: id }));
    return (await openOrganization({ roster: file }, { engine })).staleStacks;
  };
  const [own, other] = [0, 1].map((digit) => `00000000-0000-4000-8000-00000000000${digit}`);
  expect(await staleWith(["m9"], undefined, undefined)).toEqual([]);
  expect(await staleWith(["m9"], undefined, own)).toEqual([]);
  expect(await staleWith(["m2"], other, own)).toEqual([]);
  expect(await staleWith(["m9"], own, own)).toEqual(["people-02"]);
  expect(await staleWith(["m2"], undefined, own)).toEqual(["people-02"]);
  expect(await staleWith(["m2"], own, undefined)).toEqual(["people-02"]);
});

test("a stack that has something else too gives its people away and stays", async () => {
  const file = `${temporaryFolder()}/people.json`;
  const keys = keysOf(3);
  const engine = engineWith(keys, 2);
  const bucket = {
    urn: "urn:pulumi:people-02::acme::aws:s3:Bucket::logs",
    type: "aws:s3:Bucket",
    id: "logs",
  };
  const state = stateOf("people-02", [...keys.filter((key) => shardOf(key, 2) === 1), "m7"]);
  state.deployment.resources = [...entriesOf(state), bucket];
  engine.states.set("people-02", state);
  writeFileSync(file, rosterOf([...keys, "m7"], 1));
  await upAll(await openOrganization({ roster: file }, { engine }), {});
  expect([...placesOf(engine).values()]).toEqual([...keys, "m7"].map(() => ["people"]));
  const left = engine.states.get("people-02");
  expect(left && entriesOf(left)).toContainEqual(bucket);
});

test("nobody is moved out of a stack of another organization", async () => {
  const file = `${temporaryFolder()}/people.json`;
  const engine = engineWith(keysOf(3), 3);
  const organization = "00000000-0000-4000-8000-0000000000ff";
  writeFileSync(file, rosterOf(keysOf(3), 1).replace(ORGANIZATION, organization));
  const before = structuredClone([...engine.states]);
  await expect(upAll(await openOrganization({ roster: file }, { engine }), {})).rejects.toThrow(
    /^cannot move people: stack people-0\d manages organization 1b4e28ba-/,
  );
  expect([...engine.states].filter(([name]) => name !== "people")).toEqual(before);
});

test("ORGSEAT_AUDIT_LOG says where each write is noted, if the caller does not", async () => {
  const folder = temporaryFolder();
  const file = `${folder}/people.json`;
  const engine = engineWith([], 1);
  writeFileSync(file, rosterOf([], 1));
  const fileOf = async (audit: string | undefined, ORGSEAT_AUDIT_LOG: string): Promise<string> =>
    (await openOrganization({ roster: file, audit, environment: { ORGSEAT_AUDIT_LOG } }, { engine }))
      .auditFile;
  expect(await fileOf(undefined, "/var/log/orgseat.jsonl")).toBe("/var/log/orgseat.jsonl");
  expect(await fileOf("/var/log/mine.jsonl", "/var/log/orgseat.jsonl")).toBe("/var/log/mine.jsonl");
  expect(await fileOf(undefined, "")).toBe(`${folder}/.orgseat/audit.jsonl`);
});

test("the number of stacks: a roster that does not say it keeps those that exist, and chooses for a new organization", async () => {
  const file = `${temporaryFolder()}/people.json`;
  const stacksOf = async (people: number, states: Readonly<Record<string, readonly string[]>>) => {
    const engine = engineWith([], 1);
    engine.states.clear();
    for (const [name, keys] of Object.entries(states)) engine.states.set(name, stateOf(name, keys));
    writeFileSync(file, JSON.stringify({ ...JSON.parse(rosterOf(keysOf(people), 1)), stacks: undefined }));
    return (await openOrganization({ roster: file }, { engine })).stacks;
  };
  expect(await stacksOf(200, {})).toEqual(["people"]);
  expect(await stacksOf(201, {})).toEqual(["people-01", "people-02"]);
  expect(await stacksOf(201, { people: ["m1"] })).toEqual(["people"]);
  // Somebody has made it for the configuration.
  expect(await stacksOf(201, { people: [] })).toEqual(["people-01", "people-02"]);
  const three = { "people-01": ["m0"], "people-02": ["m1"], "people-03": [] };
  expect(await stacksOf(5, three)).toEqual(Object.keys(three));
  expect(await stacksOf(1000, { people: [], ...three })).toEqual(Object.keys(three));
  expect(await stacksOf(1000, { people: ["m1"], ...three })).toEqual(["people"]);
});
