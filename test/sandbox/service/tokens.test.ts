import { describe, expect, it } from "vitest";
import { issuedTokenSchema } from "../../../provider/api/schemas/schemas.ts";
import { fieldsOf, type Sandbox, SUBSCRIPTION_END, startSandbox } from "./harness.ts";

async function issue(sandbox: Sandbox, expires_at = "2026-06-30") {
  const user_id = await sandbox.addUser();
  const answer = await sandbox.send("issueToken", { user_id }, { body: { expires_at } });
  return { user_id, ...issuedTokenSchema.parse(answer.body) };
}

async function stored(sandbox: Sandbox) {
  return (await sandbox.management.snapshot()).tokens[0];
}

describe("issuing a token", () => {
  it.each([
    ["2026-06-30", "2026-06-30T23:59:59Z"],
    ["2026-06-30T12:00:00+02:00", "2026-06-30T10:00:00Z"],
    ["2026-06-30T12:00:00.987Z", "2026-06-30T12:00:00Z"],
  ])("D37: understands %s", async (asked, kept) => {
    const sandbox = await startSandbox();
    expect((await issue(sandbox, asked)).expires_at).toBe(kept);
    expect((await stored(sandbox))?.expiresAt).toBe(kept);
  });

  it("fields: token, D12: answers expires_at null where the management side says so, and keeps the date", async () => {
    const sandbox = await startSandbox();
    await sandbox.management.setSwitches({ issuedExpiry: "null" });
    expect((await issue(sandbox)).expires_at).toBeNull();
    expect((await stored(sandbox))?.expiresAt).toBe("2026-06-30T23:59:59Z");
  });

  it.each([[{}], [{ expires_at: null }], [{ expires_at: "2026-02-30" }], [{ expires_at: "soon" }]])(
    "call 7, rule 7, D43: %j is refused with 422 that names the field",
    async (body) => {
      const sandbox = await startSandbox();
      const refused = await sandbox.send("issueToken", { user_id: await sandbox.addUser() }, { body });
      expect([refused.status, fieldsOf(refused)]).toEqual([422, ["body.expires_at"]]);
    },
  );
});

describe("renewing a token", () => {
  it("D41: needs no renewed subscription if the management side says so", async () => {
    const sandbox = await startSandbox();
    await sandbox.management.setSwitches({ renewalNeeds: "nothing" });
    const { user_id } = await issue(sandbox);
    expect((await sandbox.send("renewToken", { user_id })).body).toEqual({ expires_at: SUBSCRIPTION_END });
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
