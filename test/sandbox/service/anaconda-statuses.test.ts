/** The organization area of the platform `anaconda` over bare HTTP: each call with each of its statuses. */
import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { type Answer, exchange } from "../../setup/exchange.ts";
import { DocumentedCalls } from "./anaconda-document.ts";
import {
  codeOf,
  fieldsOf,
  type Sandbox,
  SUBSCRIPTION_END,
  startSandbox,
  temporaryFolder,
} from "./harness.ts";

const NOBODY = "00000000-0000-4000-8000-000000000000";
const DATE = "2026-06-30T12:00:00Z";
let acme: Sandbox;
let documented: DocumentedCalls;
const send: DocumentedCalls["send"] = (...call) => documented.send(...call);

beforeEach(async () => {
  acme = await startSandbox({ platform: "anaconda" });
  documented = await DocumentedCalls.open(acme);
});

/** Status and code, or the fields of a 422. */
function refusalOf(answer: Answer): unknown[] {
  return [answer.status, ...(answer.status === 422 ? fieldsOf(answer) : [codeOf(answer)])];
}

const tokensSchema = z.object({ items: z.array(z.object({ id: z.string(), expires_at: z.string() })) });
const usersSchema = z.object({ items: z.array(z.object({ id: z.string(), role: z.string() })) });

async function issue(user_id: string, body: object = {}): Promise<Answer> {
  return send("issueToken", { user_id }, { body: { expires_at: DATE, send_token_email: false, ...body } });
}

async function tokens(user_id: string): Promise<z.output<typeof tokensSchema>["items"]> {
  return tokensSchema.parse((await send("listTokens", { user_id })).body).items;
}

async function adminId(): Promise<string> {
  const { items } = usersSchema.parse((await send("listUsers")).body);
  return items.find(({ role }) => role === "admin")?.id ?? "";
}

async function endSubscription(): Promise<void> {
  await acme.management.changeSubscription(acme.organizationId, { expiresAt: "2026-01-14" });
}

describe("any call", () => {
  test.each([
    ["no credential", { token: "" }, [401, "UNAUTHORIZED"]],
    ["a parameter of another type", { query: "?include_groups=perhaps" }, [422, "query.include_groups"]],
  ])("refuses %s", async (_, options, refusal) => {
    expect(refusalOf(await send("listUsers", {}, options))).toEqual(refusal);
  });

  test.each([
    ["the header of another organization", { "x-org-name": NOBODY }, "header.x-org-name"],
    ["no organization", { "x-org-name": undefined }, "header.x-org-name"],
    ["another version", { "x-api-version": "v2" }, "header.x-api-version"],
    ["no version", { "x-api-version": undefined }, "header.x-api-version"],
  ])("refuses %s only if the management side says so", async (_, headers, place) => {
    expect((await send("listUsers", {}, { headers })).status).toBe(200);
    await acme.management.setSwitches({ platformHeaders: "required" });
    expect(refusalOf(await send("listUsers", {}, { headers }))).toEqual([422, place]);
  });

  test("answers 403 to the credential of another call", async () => {
    expect((await send("listUsers", {}, { token: acme.adminToken })).status).toBe(403);
    expect((await send("listServiceAccounts", {}, { token: acme.accountToken })).status).toBe(403);
  });

  test("answers 404 for an unknown organization if it has that status, otherwise 422", async () => {
    const org_id = NOBODY;
    expect(refusalOf(await send("listUsers", { org_id }))).toEqual([422, "path.org_id"]);
    expect(refusalOf(await send("createServiceAccount", { org_id }, { body: { name: "ci" } }))).toEqual([
      422,
      "path.org_id",
    ]);
    const refused = await send("deleteServiceAccount", { org_id, client_id: NOBODY });
    expect(refusalOf(refused)).toEqual([404, "ORGANIZATION_NOT_FOUND"]);
  });

  test("answers 405 to another method", async () => {
    expect((await exchange(acme.url("listUsers"), { method: "PUT" })).status).toBe(405);
  });

  test("answers 413 to a large body", async () => {
    const first_name = "a".repeat(1_100_000);
    expect((await send("createUser", {}, { body: { first_name } })).status).toBe(413);
  });

  test.each([
    ["an unknown parameter", "?page=2&include_groups=true"],
    ["a repeated parameter", "?include_groups=true&include_groups=false"],
  ])("answers %s: the description refuses none", async (_, query) => {
    const answer = await send("listUsers", {}, { query });
    expect(answer.status).toBe(200);
    expect(answer.text).toContain('"groups":[]');
  });

  test("reads a body as JSON whatever its media type is called", async () => {
    for (const type of ["text/plain", "application/vnd.acme+json", ""]) {
      const answer = await send("createUser", {}, { body: {}, headers: { "content-type": type } });
      expect(answer.status, type).toBe(200);
    }
  });

  test("ignores a body that its description lacks", async () => {
    expect((await send("assignSeat", { user_id: await acme.addUser() }, { body: ["?"] })).status).toBe(201);
  });
});

describe("service accounts", () => {
  test("show their secret at creation, not in the list, and go once", async () => {
    const created = await send("createServiceAccount", {}, { body: { name: "build-bot" } });
    expect(created.body).toMatchObject({ name: "build-bot", client_secret: expect.any(String) });
    const listed = await send("listServiceAccounts");
    expect(listed.text).not.toContain("client_secret");
    const client_id = acme.account.clientId;
    expect((await send("deleteServiceAccount", { client_id })).status).toBe(204);
    const refused = await send("deleteServiceAccount", { client_id });
    expect(refusalOf(refused)).toEqual([404, "SERVICE_ACCOUNT_NOT_FOUND"]);
  });

  test("answer 422 to an invalid name", async () => {
    const refused = await send("createServiceAccount", {}, { body: { name: "Not This" } });
    expect(refusalOf(refused)).toEqual([422, "body.name"]);
  });
});

describe("onboard users", () => {
  test("answers the seats as texts", async () => {
    const answer = await send("onboardUsers", {}, { body: { user_emails: ["Ada@acme.example"] } });
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        users_in_onboarding_process: ["ada@acme.example"],
        users_unavailable_for_onboarding: [],
        total_organization_seats: "2",
        available_organization_seats: "1",
      },
    ]);
  });

  test("names an invalid email by a path of texts", async () => {
    const refused = await send("onboardUsers", {}, { body: { user_emails: ["ada@acme.example", "?"] } });
    expect(refused.body).toMatchObject({ detail: [{ loc: ["body", "user_emails", "1"] }] });
  });

  test("answers 422 once the subscription has ended", async () => {
    await endSubscription();
    const refused = await send("onboardUsers", {}, { body: { user_emails: [] } });
    expect(refusalOf(refused)).toEqual([422, "path.org_id"]);
  });
});

describe("users", () => {
  test("come with what the request names, and nothing else in the response", async () => {
    const email = "ada@acme.example";
    const answer = await send("createUser", {}, { body: { email, first_name: "Ada", last_name: null } });
    expect(answer.body).toEqual({ id: expect.any(String), email, first_name: "Ada" });
    const managed = await send("createUser", {}, { body: { email: null } });
    expect(managed.body).toEqual({ id: expect.any(String) });
  });

  test("answer 422 to a member's email in any letter case, and to an ended subscription", async () => {
    await send("createUser", {}, { body: { email: "ada@acme.example" } });
    for (const email of ["ADA@acme.example", "admin@acme.example"])
      expect(refusalOf(await send("createUser", {}, { body: { email } }))).toEqual([422, "body.email"]);
    await endSubscription();
    expect(refusalOf(await send("createUser", {}, { body: {} }))).toEqual([422, "path.org_id"]);
  });

  test("come in the list with their seats: people, machine users, and the admin", async () => {
    const ada = await acme.addUser({ email: "ada@acme.example" });
    const bot = await acme.addUser({ first_name: "bot" });
    await send("assignSeat", { user_id: ada });
    const items = [
      { id: ada, email: "ada@acme.example", role: "member", subscriptions: ["commercial"] },
      { id: bot, email: `${bot}@managed.acme.example`, first_name: "bot", subscriptions: [] },
      { email: "admin@acme.example", role: "admin", subscriptions: [] },
    ];
    expect((await send("listUsers")).body).toMatchObject({ items });
  });

  test.each([
    ["empty", 0],
    ["half", 2],
    ["other-organization", 3],
  ] as const)("a list obeys the switch %s: %i users", async (userList, count) => {
    const ids = [await acme.addUser(), await acme.addUser()];
    await acme.management.setSwitches({ userList });
    const { items } = usersSchema.parse((await send("listUsers")).body);
    expect(items).toHaveLength(count);
    expect(items.filter(({ id }) => ids.includes(id)).length).toBeLessThan(2);
  });

  test("show changes of the management side in the lists", async () => {
    const ada = await acme.addUser({ email: "ada@acme.example" });
    await issue(ada);
    const [token] = await tokens(ada);
    await acme.management.changeToken(token?.id ?? "", { expiresAt: SUBSCRIPTION_END, revoked: true });
    expect(await tokens(ada)).toMatchObject([{ expires_at: SUBSCRIPTION_END }]);
    await acme.management.changeUser(ada, { firstName: "Ada", role: "billing_manager" });
    const changed = { items: [{ first_name: "Ada", role: "billing_manager" }, { role: "admin" }] };
    expect((await send("listUsers")).body).toMatchObject(changed);
    await acme.management.removeUser(ada);
    expect((await send("listUsers")).body).toMatchObject({ items: [{ role: "admin" }] });
  });

  test("show the groups of each user in a list with groups", async () => {
    const { body } = await send("listUsers", {}, { query: "?include_groups=true" });
    expect(body).toMatchObject({ items: [{ role: "admin", groups: [] }] });
    expect((await send("listUsers", {}, { query: "?include_groups=false" })).text).not.toContain("groups");
  });

  test("keep the letter case of their emails in lists", async () => {
    const id = await acme.addUser({ email: "ada@acme.example" });
    await acme.management.changeUser(id, { email: "Ada@Acme.example" });
    const { body } = await send("listUsers");
    expect(body).toMatchObject({ items: [{ id, email: "Ada@Acme.example" }, {}] });
    const again = await send("createUser", {}, { body: { email: "ada@acme.example" } });
    expect(refusalOf(again)).toEqual([422, "body.email"]);
  });

  test("go once, and not with a seat or a token", async () => {
    const user_id = await acme.addUser();
    await send("assignSeat", { user_id });
    expect(refusalOf(await send("removeUser", { user_id }))).toEqual([409, "SEAT_EXISTS"]);
    await issue(user_id);
    expect((await send("removeSeat", { user_id })).status).toBe(204);
    expect(refusalOf(await send("removeUser", { user_id }))).toEqual([409, "TOKEN_EXISTS"]);
    const [token] = await tokens(user_id);
    await send("revokeToken", { user_id, token_id: token?.id ?? "" });
    expect((await send("removeUser", { user_id })).status).toBe(204);
    expect(refusalOf(await send("removeUser", { user_id }))).toEqual([404, "USER_NOT_FOUND"]);
  });

  test("include admins, who can have seats and tokens; the last one stays", async () => {
    const user_id = await adminId();
    expect((await send("assignSeat", { user_id })).status).toBe(201);
    expect((await issue(user_id)).status).toBe(200);
    const [token] = await tokens(user_id);
    await send("revokeToken", { user_id, token_id: token?.id ?? "" });
    await send("removeSeat", { user_id });
    expect(refusalOf(await send("removeUser", { user_id }))).toEqual([409, "LAST_ADMIN"]);
    const other = await acme.addUser({ email: "grace@acme.example" });
    await acme.management.changeUser(other, { role: "admin" });
    expect((await send("removeUser", { user_id })).status).toBe(204);
    expect((await send("listServiceAccounts")).status).toBe(401);
  });
});

describe("seats", () => {
  test("go to a user once, while one is free", async () => {
    const [ada, grace, eve] = [await acme.addUser(), await acme.addUser(), await acme.addUser()];
    expect((await send("assignSeat", { user_id: ada })).status).toBe(201);
    expect(refusalOf(await send("assignSeat", { user_id: ada }))).toEqual([409, "SEAT_ALREADY_ASSIGNED"]);
    await send("assignSeat", { user_id: grace });
    expect(refusalOf(await send("assignSeat", { user_id: eve }))).toEqual([402, "NO_SEATS_AVAILABLE"]);
    expect(refusalOf(await send("assignSeat", { user_id: NOBODY }))).toEqual([404, "USER_NOT_FOUND"]);
    const refused = await send("assignSeat", { user_id: eve }, { query: "?send_seat_assigned_email=1.5" });
    expect(refusalOf(refused)).toEqual([422, "query.send_seat_assigned_email"]);
    await endSubscription();
    expect(refusalOf(await send("assignSeat", { user_id: eve }))).toEqual([402, "SUBSCRIPTION_EXPIRED"]);
  });

  test("come back once, even with a token", async () => {
    const user_id = await acme.addUser();
    await send("assignSeat", { user_id });
    await issue(user_id);
    expect((await send("removeSeat", { user_id })).status).toBe(204);
    expect(refusalOf(await send("removeSeat", { user_id }))).toEqual([404, "SEAT_NOT_FOUND"]);
    expect(refusalOf(await send("removeSeat", { user_id: NOBODY }))).toEqual([404, "USER_NOT_FOUND"]);
  });

  test("send an email unless the request declines it, and never to a machine user", async () => {
    const ada = await acme.addUser({ email: "ada@acme.example" });
    const bot = await acme.addUser({ first_name: "bot" });
    const eve = await acme.addUser({ email: "eve@acme.example" });
    await acme.management.changeSubscription(acme.organizationId, { seats: 3 });
    await send("assignSeat", { user_id: eve }, { query: "?send_seat_assigned_email=false" });
    await issue(eve, { send_token_email: false });
    for (const user_id of [ada, bot]) await send("assignSeat", { user_id });
    for (const user_id of [ada, bot]) await issue(user_id, { send_token_email: undefined });
    const sent = (await acme.management.outbox()).map(({ recipient, kind }) => [recipient, kind]);
    expect(sent).toEqual([
      ["ada@acme.example", "seat"],
      ["ada@acme.example", "token"],
    ]);
  });
});

describe("tokens", () => {
  test.each([
    [{ expires_at: undefined }, "body.expires_at"],
    [{ expires_at: null }, "body.expires_at"],
    [{ expires_at: "2026-01-14T00:00:00Z" }, "body.expires_at"],
    [{ expiration_tolerance_months: -1 }, "body.expiration_tolerance_months"],
    [{ expiration_tolerance_months: 1.5 }, "body.expiration_tolerance_months"],
    [{ send_token_email: "no" }, "body.send_token_email"],
  ])("answer 422 if issued by %j", async (body, field) => {
    expect(refusalOf(await issue(await acme.addUser(), body))).toEqual([422, field]);
  });

  test.each([
    ["2026-06-30T12:00:00Z", 0, "2026-06-30T12:00:00Z"],
    ["2026-06-30T12:00:00+02:00", 0, "2026-06-30T10:00:00Z"],
    ["2030-06-30T12:00:00Z", 0, SUBSCRIPTION_END],
    ["2026-03-31T12:00:00Z", 3, "2026-06-30T12:00:00Z"],
    ["2026-11-30T12:00:00Z", 3, "2027-02-28T12:00:00Z"],
    ["2030-06-30T12:00:00Z", 12, "2027-12-31T23:59:59Z"],
    ["2026-06-30T12:00:00Z", 1_000_000_000_000, "9999-12-31T23:59:59Z"],
  ])("issued until %s with %i months of tolerance expire at %s", async (expires_at, months, expiry) => {
    const user_id = await acme.addUser();
    const answer = await issue(user_id, { expires_at, expiration_tolerance_months: months });
    expect([answer.status, answer.body]).toEqual([200, { token: expect.any(String), expires_at: expiry }]);
    expect(await tokens(user_id)).toMatchObject([{ expires_at: expiry }]);
  });

  test("show a null expiry if the management side says so", async () => {
    await acme.management.setSwitches({ issuedExpiry: "null" });
    expect((await issue(await acme.addUser())).body).toMatchObject({ expires_at: null });
  });

  test("keep their value in a renewal, which has no body and resets the tolerance", async () => {
    const user_id = await acme.addUser();
    const { token } = z
      .object({ token: z.string() })
      .parse((await issue(user_id, { expiration_tolerance_months: 2 })).body);
    const answer = await send("renewToken", { user_id }, { body: { is_renewal: true, expires_at: DATE } });
    expect([answer.status, answer.text]).toEqual([200, ""]);
    expect(await tokens(user_id)).toMatchObject([{ expires_at: SUBSCRIPTION_END }]);
    expect(await acme.management.probe(token)).toMatchObject({ live: true, expiresAt: SUBSCRIPTION_END });
  });

  test("move to the date of a renewal, even an earlier one, if they are the newest", async () => {
    const user_id = await acme.addUser();
    await issue(user_id);
    await issue(user_id);
    const expires_at = "2026-03-31T23:59:59Z";
    await send("renewToken", { user_id }, { body: { is_renewal: false, expires_at } });
    expect(await tokens(user_id)).toMatchObject([{ expires_at: DATE }, { expires_at }]);
  });

  test("stay as they are in a renewal if they are revoked", async () => {
    const user_id = await acme.addUser();
    await issue(user_id);
    await issue(user_id);
    const [first, second] = await tokens(user_id);
    await send("revokeToken", { user_id, token_id: second?.id ?? "" });
    await send("renewToken", { user_id }, { body: { is_renewal: true } });
    expect(await tokens(user_id)).toEqual([
      { ...first, expires_at: SUBSCRIPTION_END },
      expect.objectContaining({ id: second?.id, expires_at: DATE }),
    ]);
  });

  test.each([
    [{}, "body.expires_at"],
    [{ is_renewal: false, expires_at: null }, "body.expires_at"],
    [{ expires_at: "2026-01-14T00:00:00Z" }, "body.expires_at"],
    [{ is_renewal: "yes" }, "body.is_renewal"],
    [undefined, "body"],
  ])("answer 422 if renewed by %j", async (body, field) => {
    const user_id = await acme.addUser();
    await issue(user_id);
    expect(refusalOf(await send("renewToken", { user_id }, { body }))).toEqual([422, field]);
  });

  test("form an empty list for a user without any, who has nothing to renew", async () => {
    const user_id = await acme.addUser();
    expect(await tokens(user_id)).toEqual([]);
    const refused = await send("renewToken", { user_id }, { body: { is_renewal: true } });
    expect(refusalOf(refused)).toEqual([422, "path.user_id"]);
  });

  test("answer 422 for an unknown user, and 404 to their revocation", async () => {
    const user_id = NOBODY;
    expect(refusalOf(await issue(user_id))).toEqual([422, "path.user_id"]);
    expect(refusalOf(await send("listTokens", { user_id }))).toEqual([422, "path.user_id"]);
    const refused = await send("revokeToken", { user_id, token_id: NOBODY });
    expect(refusalOf(refused)).toEqual([404, "USER_NOT_FOUND"]);
  });

  test("take one revocation, by the id of the user's own", async () => {
    const [ada, grace] = [await acme.addUser(), await acme.addUser()];
    await issue(ada);
    await issue(ada);
    const [first, second] = await tokens(ada);
    const token_id = first?.id ?? "";
    expect(refusalOf(await send("revokeToken", { user_id: grace, token_id }))).toEqual([
      404,
      "TOKEN_NOT_FOUND",
    ]);
    expect((await send("revokeToken", { user_id: ada, token_id })).status).toBe(204);
    expect((await send("listTokens", { user_id: ada })).body).toMatchObject({
      items: [
        { id: token_id, revoked: true },
        { id: second?.id, revoked: false },
      ],
    });
    expect(refusalOf(await send("revokeToken", { user_id: ada, token_id }))).toEqual([
      404,
      "TOKEN_NOT_FOUND",
    ]);
  });

  test("answer 422 to issue and renewal once the subscription has ended", async () => {
    const user_id = await acme.addUser();
    await issue(user_id);
    await endSubscription();
    expect(refusalOf(await issue(user_id))).toEqual([422, "path.org_id"]);
    const refused = await send("renewToken", { user_id }, { body: { is_renewal: true } });
    expect(refused.status).toBe(422);
  });
});

describe("the basic platform on the same folder", () => {
  test("shows the same people, and one token of each, the newest that is not revoked", async () => {
    const dataFolder = temporaryFolder();
    const first = await startSandbox({ platform: "anaconda", dataFolder });
    const user_id = await first.addUser({ email: "ada@acme.example" });
    const body = { expires_at: DATE };
    for (const _ of [1, 2, 3]) await first.send("issueToken", { user_id }, { body });
    const listed = tokensSchema.parse((await first.send("listTokens", { user_id })).body).items;
    await first.send("revokeToken", { user_id, token_id: listed[2]?.id ?? "" });
    await first.service.close();
    const second = await startSandbox({ dataFolder });
    expect((await second.send("issueToken", { user_id }, { body })).status).toBe(409);
    await second.management.changeSubscription(second.organizationId, { expiresAt: "2027-12-31" });
    const renewed = await second.send("renewToken", { user_id });
    expect(renewed.body).toEqual({ expires_at: "2027-12-31T23:59:59Z" });
    const { users, tokens } = await second.management.snapshot();
    expect(users).toMatchObject([{ userId: user_id, email: "ada@acme.example" }]);
    expect(tokens.map(({ expiresAt, revoked }) => [expiresAt, revoked])).toEqual([
      [DATE, false],
      ["2027-12-31T23:59:59Z", false],
      [DATE, true],
    ]);
    expect((await second.send("revokeToken", { user_id })).status).toBe(204);
    expect((await second.send("revokeToken", { user_id })).status).toBe(404);
    expect((await second.send("removeUser", { user_id })).status).toBe(204);
  });
});

describe("faults and the log", () => {
  test("make every tenth request a 429 if set", async () => {
    await acme.management.addFaults({ every: 10, fault: { kind: "throttle", perSecond: 0 } });
    const statuses: number[] = [];
    for (let count = 0; count < 21; count += 1) statuses.push((await send("listUsers")).status);
    expect(statuses.flatMap((status, index) => (status === 429 ? [index + 1] : []))).toEqual([10, 20]);
  });
});
