import { describe, expect, it } from "vitest";
import { issuedTokenSchema } from "../../../provider/api/schemas/schemas.ts";
import { codeOf, DAY_MS, fieldsOf, type Sandbox, START, SUBSCRIPTION_END, startSandbox } from "./harness.ts";

async function issue(sandbox: Sandbox, expires_at = "2026-06-30") {
  const user_id = await sandbox.addUser();
  const answer = await sandbox.send("issueToken", { user_id }, { body: { expires_at } });
  return { user_id, ...issuedTokenSchema.parse(answer.body) };
}

async function stored(sandbox: Sandbox) {
  return (await sandbox.management.snapshot()).tokens[0];
}

describe("issuing a token", () => {
  it("transition: token POST, D6, D39: answers 200 with the value and its end, even for a user without a seat", async () => {
    const sandbox = await startSandbox();
    const user_id = await sandbox.addUser();
    const body = { expires_at: "2026-06-30T12:00:00Z" };
    expect((await sandbox.send("issueToken", { user_id: "nobody" }, { body })).status).toBe(404);
    const answer = await sandbox.send("issueToken", { user_id }, { body });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ token: expect.any(String), expires_at: "2026-06-30T12:00:00Z" });
  });

  it.each([
    ["2026-06-30", "2026-06-30T23:59:59Z"],
    ["2026-06-30T12:00:00+02:00", "2026-06-30T10:00:00Z"],
    ["2026-06-30T12:00:00.987Z", "2026-06-30T12:00:00Z"],
  ])("D37: understands %s", async (asked, kept) => {
    const sandbox = await startSandbox();
    expect((await issue(sandbox, asked)).expires_at).toBe(kept);
    expect((await stored(sandbox))?.expiresAt).toBe(kept);
  });

  it("D40: caps the date at the subscription's end", async () => {
    const sandbox = await startSandbox();
    expect((await issue(sandbox, "2030-01-01")).expires_at).toBe(SUBSCRIPTION_END);
  });

  it("fields: token, D12: answers expires_at null where the management side says so, and keeps the date", async () => {
    const sandbox = await startSandbox();
    await sandbox.management.setSwitches({ issuedExpiry: "null" });
    expect((await issue(sandbox)).expires_at).toBeNull();
    expect((await stored(sandbox))?.expiresAt).toBe("2026-06-30T23:59:59Z");
  });

  it("transition: token POST, D13: refuses a second token with 409, even beside an expired one", async () => {
    const sandbox = await startSandbox();
    const { user_id } = await issue(sandbox, "2026-01-16");
    const again = () => sandbox.send("issueToken", { user_id }, { body: { expires_at: "2026-06-30" } });
    const refused = await again();
    expect([refused.status, codeOf(refused)]).toEqual([409, "TOKEN_EXISTS"]);
    await sandbox.management.advance(2 * DAY_MS);
    await sandbox.signInAccount();
    expect((await again()).status).toBe(409);
    await sandbox.send("revokeToken", { user_id });
    expect((await again()).status).toBe(200);
  });

  it.each([
    [{}],
    [{ expires_at: null }],
    [{ expires_at: "2026-02-30" }],
    [{ expires_at: "soon" }],
    [{ expires_at: "2026-01-14" }],
  ])("call 7, rule 7, D43: %j is refused with 422 that names the field", async (body) => {
    const sandbox = await startSandbox();
    const refused = await sandbox.send("issueToken", { user_id: await sandbox.addUser() }, { body });
    expect([refused.status, fieldsOf(refused)]).toEqual([422, ["body.expires_at"]]);
  });

  it("D38: answers 402 after the subscription's end", async () => {
    const sandbox = await startSandbox();
    const user_id = await sandbox.addUser();
    await sandbox.management.changeSubscription(sandbox.organizationId, { expiresAt: "2026-01-14" });
    expect(
      (await sandbox.send("issueToken", { user_id }, { body: { expires_at: "2026-06-30" } })).status,
    ).toBe(402);
  });
});

describe("renewing a token", () => {
  it("transition: subscription renewed, D36: does not move a token automatically", async () => {
    const sandbox = await startSandbox();
    await issue(sandbox);
    const before = await stored(sandbox);
    await sandbox.management.changeSubscription(sandbox.organizationId, { expiresAt: "2027-12-31" });
    expect(await stored(sandbox)).toEqual(before);
  });

  it("transition: token PATCH: extends to the renewed subscription's end and keeps the value", async () => {
    const sandbox = await startSandbox();
    const { user_id, token } = await issue(sandbox);
    const before = await stored(sandbox);
    await sandbox.management.changeSubscription(sandbox.organizationId, { expiresAt: "2027-12-31" });
    const answer = await sandbox.send("renewToken", { user_id });
    expect([answer.status, answer.body]).toEqual([200, { expires_at: "2027-12-31T23:59:59Z" }]);
    expect(await stored(sandbox)).toEqual({ ...before, expiresAt: "2027-12-31T23:59:59Z" });
    expect(await sandbox.management.probe(token)).toEqual({
      live: true,
      userId: user_id,
      expiresAt: "2027-12-31T23:59:59Z",
    });
  });

  it("never shortens", async () => {
    const sandbox = await startSandbox();
    const { user_id } = await issue(sandbox);
    await sandbox.management.changeSubscription(sandbox.organizationId, { expiresAt: "2026-03-31" });
    expect((await sandbox.send("renewToken", { user_id })).body).toEqual({
      expires_at: "2026-06-30T23:59:59Z",
    });
  });

  it("D41: answers 200 without a renewed subscription and moves nothing, before and after the one move", async () => {
    const sandbox = await startSandbox();
    const { user_id } = await issue(sandbox);
    const renew = async () => (await sandbox.send("renewToken", { user_id })).body;
    expect(await renew()).toEqual({ expires_at: "2026-06-30T23:59:59Z" });
    await sandbox.management.changeSubscription(sandbox.organizationId, { expiresAt: "2027-12-31" });
    for (const _ of [1, 2]) expect(await renew()).toEqual({ expires_at: "2027-12-31T23:59:59Z" });
  });

  it("D41: needs no renewed subscription if the management side says so", async () => {
    const sandbox = await startSandbox();
    await sandbox.management.setSwitches({ renewalNeeds: "nothing" });
    const { user_id } = await issue(sandbox);
    expect((await sandbox.send("renewToken", { user_id })).body).toEqual({ expires_at: SUBSCRIPTION_END });
  });

  it("D41: renews an expired token", async () => {
    const sandbox = await startSandbox();
    const { user_id, token } = await issue(sandbox);
    await sandbox.management.setClock({ fixedAt: "2027-01-01" });
    await sandbox.signInAccount();
    expect((await sandbox.management.probe(token)).live).toBe(false);
    await sandbox.management.changeSubscription(sandbox.organizationId, { expiresAt: "2027-12-31" });
    expect((await sandbox.send("renewToken", { user_id })).status).toBe(200);
    expect((await sandbox.management.probe(token)).live).toBe(true);
  });

  it("D41: answers 404 with an error body without a token", async () => {
    const sandbox = await startSandbox();
    const refused = await sandbox.send("renewToken", { user_id: await sandbox.addUser() });
    expect([refused.status, codeOf(refused)]).toEqual([404, "TOKEN_NOT_FOUND"]);
  });

  it.each([
    ["null", { expires_at: null }],
    ["no-body", undefined],
  ] as const)(
    "call 8, note A, D9: answers %s where the management side says so",
    async (renewedExpiry, body) => {
      const sandbox = await startSandbox();
      await sandbox.management.setSwitches({ renewedExpiry });
      const { user_id } = await issue(sandbox);
      const answer = await sandbox.send("renewToken", { user_id });
      expect([answer.status, answer.body]).toEqual([200, body]);
    },
  );
});

describe("revoking a token", () => {
  it("transition: token DELETE, D6, D15: answers 204, and 404 if the token is gone", async () => {
    const sandbox = await startSandbox();
    const { user_id, token } = await issue(sandbox);
    expect((await sandbox.send("revokeToken", { user_id })).status).toBe(204);
    const refused = await sandbox.send("revokeToken", { user_id });
    expect([refused.status, codeOf(refused)]).toEqual([404, "TOKEN_NOT_FOUND"]);
    expect(await sandbox.management.probe(token)).toEqual({ live: false, userId: null, expiresAt: null });
  });

  it("rejects an expired token from the second of its end", async () => {
    const sandbox = await startSandbox();
    const { token } = await issue(sandbox, new Date(START + 60_000).toISOString());
    await sandbox.management.advance(59_999);
    expect((await sandbox.management.probe(token)).live).toBe(true);
    await sandbox.management.advance(1);
    expect((await sandbox.management.probe(token)).live).toBe(false);
  });
});
