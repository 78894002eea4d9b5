/** The sandbox service held against the rules of the organization area: refusals, moves, limits, authentication. */
import { describe, expect, test } from "vitest";
import {
  type Answer,
  fieldOf,
  listedCall,
  openSandbox,
  refusalOf,
  type Sandbox,
  SUBSCRIPTION_END,
  textOf,
} from "./sandbox-harness.ts";

const LATER = "2027-12-31T23:59:59Z";
const ORGANIZATION_CALLS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];
const nobody = { user_id: "nobody", client_id: "nobody" };

async function onboard(sandbox: Sandbox, ...user_emails: string[]): Promise<Answer> {
  return sandbox.ask(4, { body: { user_emails } });
}

/** For a call that takes a body one that lacks everything. */
function emptyBodyOf(number: number): object | undefined {
  return listedCall(number).body && {};
}

async function snapshot(sandbox: Sandbox) {
  return sandbox.management.snapshot();
}

describe("service accounts", () => {
  test.each([
    ["build-bot_1", 200],
    ["0", 200],
    ["Build-bot", 422],
    ["build bot", 422],
    ["build.bot", 422],
    ["büro", 422],
    ["build\n", 422],
    ["", 422],
  ])("naming rule: the name %j is answered with %i", async (name, status) => {
    const sandbox = await openSandbox();
    const answer = await sandbox.ask(1, { body: { name } });
    if (status === 200) return expect(answer.status).toBe(200);
    expect(refusalOf(answer)).toEqual([422, "body.name"]);
    expect((await snapshot(sandbox)).serviceAccounts).toHaveLength(1);
  });

  test("call 1: a name is required", async () => {
    const sandbox = await openSandbox();
    expect(refusalOf(await sandbox.ask(1, { body: {} }))).toEqual([422, "body.name"]);
    expect(refusalOf(await sandbox.ask(1))).toEqual([422, "body"]);
  });

  test("call 1, rule 8: the secret is in the answer that made it and in no other", async () => {
    const sandbox = await openSandbox();
    const made = await sandbox.ask(1, { body: { name: "bot" } });
    const secret = textOf(made.body, "client_secret");
    const listed = await sandbox.ask(2);
    expect(listed.text).toContain(textOf(made.body, "client_id"));
    expect(listed.text).not.toContain(secret);
    expect(listed.text).not.toContain("client_secret");
  });

  test("call 2, rule 1: all accounts are listed as items, and of this organization alone", async () => {
    const sandbox = await openSandbox();
    await sandbox.ask(1, { body: { name: "second" } });
    await sandbox.management.addOrganization({
      organizationId: "11111111-1111-4111-8111-111111111111",
      username: "boss@other.example",
      password: "other password",
      seats: 1,
      subscriptionExpiresAt: SUBSCRIPTION_END,
      serviceAccount: {
        name: "foreign",
        clientId: "22222222-2222-4222-8222-222222222222",
        clientSecret: "foreign secret",
      },
    });
    const { body } = await sandbox.ask(2);
    expect([fieldOf(body, "items.0.name"), fieldOf(body, "items.1.name"), fieldOf(body, "items.2")]).toEqual([
      "tests",
      "second",
      undefined,
    ]);
  });

  test("call 3: an account that is gone is 404", async () => {
    const sandbox = await openSandbox();
    const variables = { client_id: sandbox.account.client_id };
    expect((await sandbox.ask(3, { variables })).status).toBe(204);
    expect((await sandbox.ask(3, { variables })).status).toBe(404);
  });

  test("limit 1: hundreds are made and listed whole", async () => {
    const sandbox = await openSandbox();
    for (let count = 0; count < 300; count++) {
      expect((await sandbox.ask(1, { body: { name: `bot-${count}` } })).status).toBe(200);
    }
    expect(fieldOf((await sandbox.ask(2)).body, "items")).toHaveLength(301);
  });
});

describe("onboarding", () => {
  test("call 4: the list of emails is required, and each is one", async () => {
    const sandbox = await openSandbox();
    expect(refusalOf(await sandbox.ask(4, { body: {} }))).toEqual([422, "body.user_emails"]);
    expect(refusalOf(await onboard(sandbox, "a@acme.example", "nobody"))).toEqual([
      422,
      "body.user_emails.1",
    ]);
    expect((await snapshot(sandbox)).users).toEqual([]);
  });

  test("call 4, rule 2: an email with an account is not onboarded, and the others of the list are", async () => {
    const sandbox = await openSandbox();
    await sandbox.management.addAccount("own@acme.example");
    const { status, body } = await onboard(sandbox, "own@acme.example", "new@acme.example");
    expect([status, fieldOf(body, "users_in_onboarding_process")]).toEqual([200, ["new@acme.example"]]);
    expect((await snapshot(sandbox)).users.map(({ email }) => email)).toEqual(["new@acme.example"]);
  });

  test("call 4, rule 3, limit 3: seats go in the order of the list, the rest is listed, and the counts say so", async () => {
    const sandbox = await openSandbox({ seats: 2 });
    const { status, body } = await onboard(sandbox, "a@acme.example", "b@acme.example", "c@acme.example");
    expect(status).toBe(200);
    expect(body).toEqual({
      users_in_onboarding_process: ["a@acme.example", "b@acme.example"],
      users_unavailable_for_onboarding: ["c@acme.example"],
      total_organization_seats: 2,
      available_organization_seats: 0,
    });
    expect((await snapshot(sandbox)).organizations[0]).toMatchObject({ seats: 2, seatsHeld: 2 });
  });

  test("call 4, rule 4: a later problem is not in the answer, and the person does not appear", async () => {
    const sandbox = await openSandbox();
    await sandbox.management.failOnboarding("lost@acme.example");
    const { body } = await onboard(sandbox, "lost@acme.example");
    expect(fieldOf(body, "users_in_onboarding_process")).toEqual(["lost@acme.example"]);
    expect((await snapshot(sandbox)).users).toEqual([]);
  });

  test("call 4, rule 5: the admin gets one mail, each new user a welcome and one with the token", async () => {
    const sandbox = await openSandbox();
    await onboard(sandbox, "ada@acme.example");
    const mails = await sandbox.management.outbox();
    expect(mails.map(({ recipient, kind }) => [recipient, kind]).sort()).toEqual([
      ["ada@acme.example", "token"],
      ["ada@acme.example", "welcome"],
      [sandbox.service.seed.username, "users-added"],
    ]);
    const token =
      mails
        .find(({ kind }) => kind === "token")
        ?.text.split(" ")
        .at(-1) ?? "";
    expect(await sandbox.management.probe(token)).toMatchObject({ live: true });
  });

  test("transition: membership POST users_auto_registration: makes a member with a seat and a token", async () => {
    const sandbox = await openSandbox();
    await onboard(sandbox, "ada@acme.example");
    const { users, tokens } = await snapshot(sandbox);
    expect(users).toMatchObject([{ email: "ada@acme.example", seat: true, managed: false }]);
    expect(tokens.map(({ userId }) => userId)).toEqual(users.map(({ userId }) => userId));
  });
});

describe("users", () => {
  test("call 5, rule 6: without an email one is managed, and names that are not given come back null", async () => {
    const sandbox = await openSandbox();
    const named = await sandbox.ask(5, { body: { first_name: "builds", last_name: "of main" } });
    expect(named.body).toMatchObject({ email: null, first_name: "builds", last_name: "of main" });
    const bare = await sandbox.ask(5, { body: {} });
    expect(bare.body).toMatchObject({ email: null, first_name: null, last_name: null });
    expect((await snapshot(sandbox)).users.map(({ managed }) => managed)).toEqual([true, true]);
  });

  test("transition: membership POST users: a person is added once, and is not managed", async () => {
    const sandbox = await openSandbox();
    const body = { email: "ada@acme.example" };
    expect((await sandbox.ask(5, { body })).status).toBe(200);
    expect((await snapshot(sandbox)).users).toMatchObject([{ ...body, managed: false, seat: false }]);
    expect((await sandbox.ask(5, { body })).status).toBe(409);
  });

  test("limit 2: hundreds of managed users, more than seats, are made", async () => {
    const sandbox = await openSandbox({ seats: 1 });
    for (let count = 0; count < 300; count++)
      await sandbox.addUser({ first_name: "one", last_name: "of many" });
    expect((await snapshot(sandbox)).users).toHaveLength(300);
  });

  test("transition: seat POST: a member gets a seat, a repeat is 201 and takes no second, a stranger is 404", async () => {
    const sandbox = await openSandbox({ seats: 1 });
    const variables = await sandbox.addUser();
    for (const _ of [1, 2]) expect((await sandbox.ask(6, { variables })).status).toBe(201);
    expect((await snapshot(sandbox)).organizations[0]).toMatchObject({ seatsHeld: 1 });
    expect((await sandbox.ask(6, { variables: nobody })).status).toBe(404);
    expect((await sandbox.ask(6, { variables: await sandbox.addUser() })).status).toBe(402);
  });

  test("transition: seat DELETE: gives the seat back, for somebody else", async () => {
    const sandbox = await openSandbox({ seats: 1 });
    const variables = await sandbox.addUser();
    await sandbox.ask(6, { variables });
    expect((await sandbox.ask(10, { variables })).status).toBe(204);
    expect((await sandbox.ask(10, { variables })).status).toBe(404);
    expect((await sandbox.ask(6, { variables: await sandbox.addUser() })).status).toBe(201);
  });

  test("transition: membership DELETE: the user is gone", async () => {
    const sandbox = await openSandbox();
    const variables = await sandbox.addUser();
    expect((await sandbox.ask(11, { variables })).status).toBe(204);
    expect((await snapshot(sandbox)).users).toEqual([]);
    expect((await sandbox.ask(11, { variables })).status).toBe(404);
  });

  test("rule 9: the order of removal is token, seat, user, and no other is taken", async () => {
    const sandbox = await openSandbox();
    const variables = await sandbox.addUser();
    await sandbox.ask(6, { variables });
    await sandbox.issue(variables);
    const statuses = async (...numbers: number[]) => {
      const found: number[] = [];
      for (const number of numbers) found.push((await sandbox.ask(number, { variables })).status);
      return found;
    };
    expect(await statuses(11, 10, 9, 11, 10, 11)).toEqual([409, 409, 204, 409, 204, 204]);
    expect(await snapshot(sandbox)).toMatchObject({ users: [], tokens: [] });
  });
});

describe("tokens", () => {
  test("transition: token POST: a user who exists gets a live token, others are 404, a second is 409", async () => {
    const sandbox = await openSandbox();
    const variables = await sandbox.addUser();
    const body = { expires_at: "2026-06-30T12:00:00Z" };
    const issued = await sandbox.ask(7, { variables, body });
    expect(fieldOf(issued.body, "expires_at")).toBe("2026-06-30T12:00:00Z");
    expect(await sandbox.management.probe(textOf(issued.body, "token"))).toMatchObject({
      live: true,
      userId: variables.user_id,
    });
    expect((await sandbox.ask(7, { variables: nobody, body })).status).toBe(404);
    expect((await sandbox.ask(7, { variables, body })).status).toBe(409);
  });

  test("call 7, rule 7: expires_at is required, and a date", async () => {
    const sandbox = await openSandbox();
    const variables = await sandbox.addUser();
    for (const body of [{}, { expires_at: null }, { expires_at: "soon" }]) {
      expect(refusalOf(await sandbox.ask(7, { variables, body }))).toEqual([422, "body.expires_at"]);
    }
  });

  test("transition: token PATCH: after a renewal the token runs to the new end, and its value stays", async () => {
    const sandbox = await openSandbox();
    const variables = await sandbox.addUser();
    const token = await sandbox.issue(variables);
    await sandbox.management.changeSubscription(sandbox.organizationId, { expiresAt: LATER });
    expect((await sandbox.ask(8, { variables })).body).toEqual({ expires_at: LATER });
    expect(await sandbox.management.probe(token)).toMatchObject({ live: true, expiresAt: LATER });
    expect((await sandbox.ask(8, { variables: await sandbox.addUser() })).status).toBe(404);
  });

  test("transition: subscription renewed: alone it moves no token", async () => {
    const sandbox = await openSandbox();
    const token = await sandbox.issue(await sandbox.addUser());
    await sandbox.management.changeSubscription(sandbox.organizationId, { expiresAt: LATER });
    expect(await sandbox.management.probe(token)).toMatchObject({ expiresAt: SUBSCRIPTION_END });
  });

  test("transition: token DELETE: the value opens nothing any more", async () => {
    const sandbox = await openSandbox();
    const variables = await sandbox.addUser();
    const token = await sandbox.issue(variables);
    expect((await sandbox.ask(9, { variables })).status).toBe(204);
    expect(await sandbox.management.probe(token)).toMatchObject({ live: false });
    expect((await sandbox.ask(9, { variables })).status).toBe(404);
  });
});

describe("who may call", () => {
  const allowed = async (sandbox: Sandbox, numbers: readonly number[], authorization: string) => {
    const taken: number[] = [];
    for (const number of numbers) {
      const body = emptyBodyOf(number);
      const { status } = await sandbox.ask(number, { variables: nobody, body, authorization });
      if (status !== 401 && status !== 403) taken.push(number);
    }
    return taken;
  };

  test("authentication: organization area 1: name and password of an admin give a token, wrong ones do not", async () => {
    const sandbox = await openSandbox();
    const { username, password } = sandbox.service.seed;
    const given = await sandbox.askToken({ grant_type: "password", username, password });
    expect(given.status).toBe(200);
    const authorization = `Bearer ${textOf(given.body, "access_token")}`;
    expect((await sandbox.ask(2, { authorization })).status).toBe(200);
    for (const form of [
      { username, password: `${password}x` },
      { username: "nobody", password },
    ]) {
      const refused = await sandbox.askToken({ grant_type: "password", ...form });
      expect([refused.status, fieldOf(refused.body, "error")]).toEqual([400, "invalid_grant"]);
    }
  });

  test("authentication: organization area 2: the User_Token makes calls 1 to 3 and no other", async () => {
    const sandbox = await openSandbox();
    expect(await allowed(sandbox, ORGANIZATION_CALLS, sandbox.shown.User_Token)).toEqual([1, 2, 3]);
  });

  test("authentication: organization area 3: an account's id and secret give the token for calls 4 to 11", async () => {
    const sandbox = await openSandbox();
    const form = { grant_type: "client_credentials", ...sandbox.account };
    const authorization = `Bearer ${textOf((await sandbox.askToken(form)).body, "access_token")}`;
    expect(await allowed(sandbox, ORGANIZATION_CALLS, authorization)).toEqual([4, 5, 6, 7, 8, 9, 10, 11]);
    const refused = await sandbox.askToken({ ...form, client_secret: "wrong" });
    expect([refused.status, fieldOf(refused.body, "error")]).toEqual([401, "invalid_client"]);
  });

  test("authentication: organization area 4: who is no admin any more is 403", async () => {
    const sandbox = await openSandbox();
    await sandbox.management.changeAdmin(sandbox.service.seed.username, { admin: false });
    expect(refusalOf(await sandbox.ask(2))).toEqual([403, "NOT_AN_ADMIN"]);
  });

  test.each([4, 5, 6, 7])(
    "authentication: organization area 4: call %i needs a live subscription, else it is 402",
    async (number) => {
      const sandbox = await openSandbox();
      const variables = await sandbox.addUser();
      await sandbox.management.changeSubscription(sandbox.organizationId, { expiresAt: "2026-01-14" });
      const bodies = { 4: { user_emails: ["a@b.example"] }, 5: {}, 6: undefined, 7: { expires_at: LATER } };
      const body = Object.entries(bodies).find(([key]) => key === String(number))?.[1];
      expect((await sandbox.ask(number, { variables, body })).status).toBe(402);
    },
  );

  test("authentication: organization area 5: the token endpoint takes a form and says how long a token lives", async () => {
    const sandbox = await openSandbox();
    const { username, password } = sandbox.service.seed;
    const { body } = await sandbox.askToken({ grant_type: "password", username, password });
    expect(body).toEqual({ access_token: expect.any(String), token_type: "Bearer", expires_in: 900 });
    await sandbox.management.advance(899_000);
    expect((await sandbox.ask(2)).status).toBe(200);
    await sandbox.management.advance(1_000);
    expect(refusalOf(await sandbox.ask(2))).toEqual([401, "UNAUTHORIZED"]);
  });

  test("error body: message: every refusal of the area has one", async () => {
    const sandbox = await openSandbox();
    for (const number of ORGANIZATION_CALLS) {
      const variables = { ...nobody, org_id: "nobody" };
      const { body } = await sandbox.ask(number, { variables, body: emptyBodyOf(number) });
      expect([number, fieldOf(body, "error.message")]).toEqual([number, expect.stringMatching(/\w/)]);
    }
  });
});
