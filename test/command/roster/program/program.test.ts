/** The members of a roster in a program, as Pulumi's own mocks see it. */
import * as pulumi from "@pulumi/pulumi";
import { beforeEach, describe, expect, test } from "vitest";
import { type RosterProgramOptions, rosterProgram } from "../../../../command/roster/program/program.ts";
import { parseRoster } from "../../../../command/roster/read.ts";
import type { Roster } from "../../../../command/roster/roster.ts";
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

/** @returns the inputs of every member of the program, by name */
async function membersOf(roster: Roster, options?: RosterProgramOptions): Promise<Record<string, unknown>> {
  await pulumi.runtime.runInPulumiStack(async () => {
    rosterProgram(roster, options);
  });
  await pulumi.runtime.disconnect();
  registered.delete("project-stack");
  return Object.fromEntries([...registered].filter(([, inputs]) => "organizationId" in inputs));
}

const rosterOf = (people: readonly Fields[], header: Fields = {}): Roster =>
  parseRoster(textOf("yaml", people, { organization: ORGANIZATION, ...header }), "people.yaml");

const inOrganization = { organizationId: ORGANIZATION };

describe("the program of a roster", () => {
  test("adopts the token of a person, and passes emails, tolerance and the rule of rotation on", async () => {
    const fields = { user_id: "7a1f", token: "adopt", send_email: "yes", expiration_tolerance_months: 2 };
    const ada = { key: "ada", email: "ada@acme.example", rotate_every: "90d", ...fields };
    const found = await membersOf(rosterOf([ada], { subscription: "2027-12-31" }));
    const token = { adopt: true, sendEmail: true, expirationToleranceMonths: 2, rotateEvery: "90d" };
    expect(found.ada).toMatchObject({ adopt: "7a1f", seat: { sendEmail: true }, token });
    expect(found.ada).not.toHaveProperty("token.replaceExisting");
  });

  test("names the members by the key and leaves the team out: of a person with everything, a machine user, and a person without a seat", async () => {
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
    const common = { ...inOrganization, subscriptionExpiresAt: "2027-12-31T23:59:59Z" };
    expect(await membersOf(roster)).toEqual({
      ada: {
        ...common,
        ...{ email: "ada@acme.example", firstName: "Ada", lastName: "Lovelace", protected: true, seat: {} },
        token: { expiresAt: "2027-03-31T23:59:59Z", renewBefore: "30d", rotation: "2" },
      },
      ci: { ...common, purpose: "Nightly builds", seat: {} },
      "eve@acme.example": { ...common, email: "eve@acme.example", seat: false },
    });
  });

  test("takes the member over for a user id, replaces the token, and removes them with the row", async () => {
    const roster = rosterOf([{ key: "ada", email: "ada@acme.example", user_id: "u-1" }]);
    expect(await membersOf(roster)).toEqual({
      ada: {
        ...{ ...inOrganization, email: "ada@acme.example", adopt: "u-1", onDelete: "delete" },
        ...{ seat: { onDelete: "delete" }, token: { replaceExisting: true } },
      },
    });
  });

  test.each([
    ["taken over", { user_id: "u-1" }],
    ["added", {}],
  ])("keeps user and seat where removal means release, of a person who was %s", async (_, fields) => {
    const people = [{ key: "ada", email: "ada@acme.example", ...fields }];
    const { ada } = await membersOf(rosterOf(people, { onDelete: "retain" }));
    expect(ada).toMatchObject({ onDelete: "retain", seat: { onDelete: "retain" } });
  });

  test("stays the same wherever the row stands and whatever its team is", async () => {
    const grace = { key: "grace", email: "grace@acme.example" };
    const before = await membersOf(rosterOf([{ key: "ada", email: "ada@acme.example", team: "a" }, grace]));
    registered.clear();
    const after = await membersOf(rosterOf([grace, { key: "ada", email: "ADA@acme.example", team: "b" }]));
    expect(after).toEqual(before);
    expect(Object.keys(before)).toHaveLength(2);
  });

  test("leaves out who is on the offboarded list, by key, email in any letter case, or user id", async () => {
    const roster = rosterOf([
      { key: "ada", email: "ada@acme.example", seat: "no" },
      { key: "bob", email: "bob@acme.example", seat: "no" },
      { key: "cyd", email: "cyd@acme.example", user_id: "U-3", seat: "no" },
      { key: "dan", email: "dan@acme.example", seat: "no" },
    ]);
    const offboarded = [{ key: "ada" }, { email: "BOB@acme.example" }, { key: "", userId: "u-3" }];
    expect(Object.keys(await membersOf(roster, { offboarded }))).toEqual(["dan"]);
  });

  test("passes the options of Pulumi on to every member", async () => {
    const roster = rosterOf([{ email: "ada@acme.example" }, { email: "eve@acme.example" }]);
    const resource = { protect: true };
    const found = await membersOf(roster, { resource });
    expect(Object.values(found)).toEqual([1, 2].map(() => expect.objectContaining({ protected: true })));
  });

  test("refuses a row of a directory without a user id: nobody is added", () => {
    const roster = rosterOf([{ key: "ada", email: "ada@acme.example" }], { membership: "directory" });
    expect(() => rosterProgram(roster)).toThrow(
      "ada@acme.example (people.yaml, line 4) has no user_id, and with `membership: directory` orgseat adds no one",
    );
  });
});
