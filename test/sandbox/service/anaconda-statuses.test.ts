/** The organization area of the platform `anaconda` over bare HTTP: each call with each of its statuses. */
import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { DocumentedCalls } from "./anaconda-document.ts";
import {
  type Answer,
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

describe("any call", () => {
  test("refuses a parameter of another type", async () => {
    const listed = await send("listUsers", {}, { query: "?include_groups=perhaps" });
    expect(refusalOf(listed)).toEqual([422, "query.include_groups"]);
    const query = "?send_seat_assigned_email=1.5";
    const assigned = await send("assignSeat", { user_id: await acme.addUser() }, { query });
    expect(refusalOf(assigned)).toEqual([422, "query.send_seat_assigned_email"]);
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
});

describe("onboard users", () => {
  test("names an invalid email by a path of texts", async () => {
    const refused = await send("onboardUsers", {}, { body: { user_emails: ["ada@acme.example", "?"] } });
    expect(refused.body).toMatchObject({ detail: [{ loc: ["body", "user_emails", "1"] }] });
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
    [{ expiration_tolerance_months: -1 }, "body.expiration_tolerance_months"],
    [{ expiration_tolerance_months: 1.5 }, "body.expiration_tolerance_months"],
    [{ send_token_email: "no" }, "body.send_token_email"],
  ])("answer 422 if issued by %j", async (body, field) => {
    expect(refusalOf(await issue(await acme.addUser(), body))).toEqual([422, field]);
  });

  test.each([
    ["2026-06-30T12:00:00+02:00", 0, "2026-06-30T10:00:00Z"],
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

  test("lose their tolerance in a renewal", async () => {
    const user_id = await acme.addUser();
    await issue(user_id, { expires_at: SUBSCRIPTION_END, expiration_tolerance_months: 2 });
    await send("renewToken", { user_id }, { body: { is_renewal: true, expires_at: DATE } });
    expect(await tokens(user_id)).toMatchObject([{ expires_at: SUBSCRIPTION_END }]);
  });

  test.each([
    [{}, "body.expires_at"],
    [{ is_renewal: false, expires_at: null }, "body.expires_at"],
    [{ is_renewal: "yes" }, "body.is_renewal"],
    [undefined, "body"],
  ])("answer 422 if renewed by %j", async (body, field) => {
    const user_id = await acme.addUser();
    await issue(user_id);
    expect(refusalOf(await send("renewToken", { user_id }, { body }))).toEqual([422, field]);
  });

  test("answer 422 to the list of an unknown user", async () => {
    expect(refusalOf(await send("listTokens", { user_id: NOBODY }))).toEqual([422, "path.user_id"]);
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
    await acme.management.addFaults({ every: 10, times: "always", fault: { kind: "refuse", status: 429 } });
    const statuses: number[] = [];
    for (let count = 0; count < 21; count += 1) statuses.push((await send("listUsers")).status);
    expect(statuses.flatMap((status, index) => (status === 429 ? [index + 1] : []))).toEqual([10, 20]);
  });
});
