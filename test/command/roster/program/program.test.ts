/** The Pulumi program of a roster, as Pulumi's own mocks see it. */
import * as pulumi from "@pulumi/pulumi";
import { beforeEach, describe, expect, test } from "vitest";
import { type RosterProgramOptions, rosterProgram } from "../../../../command/roster/program/program.ts";
import { parseRoster } from "../../../../command/roster/read.ts";
import type { Roster } from "../../../../command/roster/roster.ts";
import { shardOf } from "../../../../command/stacks/shards.ts";
import { type Fields, ORGANIZATION, textOf } from "../sample.ts";

const registered = new Map<string, Record<string, unknown>>();

beforeEach(async () => {
  registered.clear();
  await pulumi.runtime.setMocks({
    call: () => ({}),
    newResource: ({ name, inputs }) => {
      const { __provider: _text, ...rest } = inputs;
      registered.set(name, rest);
      return { id: `id-of-${name}`, state: inputs };
    },
  });
});

/** @returns the inputs of every resource of the program, by name; of a component none */
async function resourcesOf(roster: Roster, options?: RosterProgramOptions): Promise<Record<string, unknown>> {
  await pulumi.runtime.runInPulumiStack(rosterProgram(roster, options));
  await pulumi.runtime.disconnect();
  return Object.fromEntries([...registered].filter(([name]) => /-(user|seat|token)$/.test(name)));
}

const rosterOf = (people: readonly Fields[], header: Fields = {}): Roster =>
  parseRoster(textOf("yaml", people, { organization: ORGANIZATION, ...header }), "people.yaml");

const inOrganization = { organizationId: ORGANIZATION };

describe("the program of a roster", () => {
  test("adopts the token of a person, and passes emails, tolerance and the rule of rotation on", async () => {
    const fields = { user_id: "7a1f", token: "adopt", send_email: "yes", expiration_tolerance_months: 2 };
    const ada = { key: "ada", email: "ada@acme.example", rotate_every: "90d", ...fields };
    const found = await resourcesOf(rosterOf([ada], { subscription: "2027-12-31" }));
    expect(found["ada-seat"]).toMatchObject({ adopt: true, sendEmail: true });
    expect(found["ada-token"]).toMatchObject({
      ...{ adopt: true, sendEmail: true, expirationToleranceMonths: 2, rotateEvery: "90d" },
    });
    expect(found["ada-token"]).not.toHaveProperty("replaceExisting");
  });

  test("names the resources by the key and leaves team and protection out: of a person with everything, a machine user, and a person without a seat", async () => {
    const roster = rosterOf(
      [
        {
          key: "ada",
          email: "Ada@acme.example",
          first_name: "Ada",
          last_name: "Lovelace",
          team: "engines",
          expires: "2027-03-31",
          window: "30d",
          rotation: 2,
          protected: "yes",
        },
        { key: "ci", purpose: "Nightly builds", token: "no" },
        { email: "eve@acme.example", seat: "no" },
      ],
      { subscription: "2027-12-31" },
    );
    expect(await resourcesOf(roster)).toEqual({
      "ada-user": { ...inOrganization, email: "ada@acme.example", firstName: "Ada", lastName: "Lovelace" },
      "ada-seat": { ...inOrganization, userId: "id-of-ada-user" },
      "ada-token": {
        ...inOrganization,
        userId: "id-of-ada-user",
        subscriptionExpiresAt: "2027-12-31T23:59:59Z",
        expiresAt: "2027-03-31T23:59:59Z",
        renewBefore: "30d",
        rotation: "2",
      },
      "ci-user": { ...inOrganization, purpose: "Nightly builds" },
      "ci-seat": { ...inOrganization, userId: "id-of-ci-user" },
      "eve@acme.example-user": { ...inOrganization, email: "eve@acme.example" },
    });
  });

  test("takes user and seat over for a user id, replaces the token, and removes them with the row", async () => {
    const roster = rosterOf([{ key: "ada", email: "ada@acme.example", user_id: "u-1" }]);
    expect(await resourcesOf(roster)).toEqual({
      "ada-user": { ...inOrganization, email: "ada@acme.example", adopt: "u-1", onDelete: "delete" },
      "ada-seat": { ...inOrganization, userId: "id-of-ada-user", adopt: true, onDelete: "delete" },
      "ada-token": { ...inOrganization, userId: "id-of-ada-user", replaceExisting: true },
    });
  });

  test.each([
    ["taken over", { user_id: "u-1" }],
    ["added", {}],
  ])("keeps user and seat where removal means release, of a person who was %s", async (_, fields) => {
    const people = [{ key: "ada", email: "ada@acme.example", ...fields }];
    const resources = await resourcesOf(rosterOf(people, { onDelete: "retain" }));
    expect(resources["ada-user"]).toMatchObject({ onDelete: "retain" });
    expect(resources["ada-seat"]).toMatchObject({ onDelete: "retain" });
  });

  test("stays the same wherever the row stands and whatever its team and protection are", async () => {
    const grace = { key: "grace", email: "grace@acme.example" };
    const before = await resourcesOf(rosterOf([{ key: "ada", email: "ada@acme.example", team: "a" }, grace]));
    registered.clear();
    const after = await resourcesOf(
      rosterOf([grace, { protected: "x", key: "ada", email: "ADA@acme.example", team: "b" }]),
    );
    expect(after).toEqual(before);
    expect(Object.keys(before)).toHaveLength(6);
  });

  test("leaves out who is on the offboarded list, by key, email in any letter case, or user id", async () => {
    const roster = rosterOf([
      { key: "ada", email: "ada@acme.example", seat: "no" },
      { key: "bob", email: "bob@acme.example", seat: "no" },
      { key: "cyd", email: "cyd@acme.example", user_id: "U-3", seat: "no" },
      { key: "dan", email: "dan@acme.example", seat: "no" },
    ]);
    const offboarded = [{ key: "ada" }, { email: "BOB@acme.example" }, { key: "", userId: "u-3" }];
    expect(Object.keys(await resourcesOf(roster, { offboarded }))).toEqual(["dan-user"]);
  });

  test("refuses a person with neither email nor purpose, whom no file can hold", async () => {
    const roster = rosterOf([{ key: "ada", email: "ada@acme.example" }]);
    const people = roster.people.map((person) => ({ ...person, email: undefined }));
    await expect(rosterProgram({ ...roster, people })()).rejects.toThrow(
      "ada (people.yaml, line 3) has neither an email nor a purpose. Add one of them",
    );
  });
});

describe("the people of a shard", () => {
  const people = rosterOf(
    Array.from({ length: 400 }, (_, number) => ({ email: `person-${number}@acme.example` })),
  ).people;
  const shards = (of: typeof people, stacks: number) =>
    Array.from({ length: stacks }, (_, index) => of.filter(({ key }) => shardOf(key, stacks) === index));

  test("make up everybody, once, spread evenly", () => {
    const spread = shards(people, 4);
    expect(new Set(spread.flat())).toEqual(new Set(people));
    expect(spread.flat()).toHaveLength(400);
    for (const shard of spread) expect(shard.length).toBeGreaterThan(70);
  });

  test("stay where they are when others join and leave", () => {
    const some = people.filter((_, place) => place % 3 === 0).toReversed();
    const all = shards(people, 7);
    for (const [index, shard] of shards(some, 7).entries()) {
      expect(shard.filter((person) => !all[index]?.includes(person))).toEqual([]);
    }
  });

  test("follow the first six bytes of the key's SHA-256", () => {
    // printf ada | sha256sum: fdee430d40bd..., and 0xfdee430d40bd is 279199768985789
    expect([1, 2, 5, 64].map((stacks) => shardOf("ada", stacks))).toEqual(
      [1, 2, 5, 64].map((stacks) => 279199768985789 % stacks),
    );
  });
});
