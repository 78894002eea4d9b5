import { describe, expect, it } from "vitest";
import { codeOf, fieldsOf, startSandbox } from "./harness.ts";

describe("service accounts", () => {
  it("call 1, rule 8, D6, D7: are made with 200, listed without their secret as items, and deleted with 204", async () => {
    const sandbox = await startSandbox();
    const made = await sandbox.send("createServiceAccount", {}, { body: { name: "build-server_2" } });
    expect(made.status).toBe(200);
    expect(made.body).toEqual({
      name: "build-server_2",
      client_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      org_id: sandbox.organizationId,
      client_secret: expect.any(String),
    });
    const listed = await sandbox.send("listServiceAccounts");
    expect(listed.status).toBe(200);
    expect(listed.body).toEqual({
      items: ["ci", "build-server_2"].map((name) => ({
        name,
        client_id: expect.any(String),
        org_id: sandbox.organizationId,
      })),
    });
    const deleted = await sandbox.send("deleteServiceAccount", { client_id: sandbox.account.clientId });
    expect([deleted.status, deleted.text]).toEqual([204, ""]);
  });

  it("limit 1, D8: two accounts may share a name", async () => {
    const sandbox = await startSandbox();
    for (const _ of [1, 2]) {
      expect((await sandbox.send("createServiceAccount", {}, { body: { name: "twin" } })).status).toBe(200);
    }
    const { serviceAccounts } = await sandbox.management.snapshot();
    expect(serviceAccounts.map(({ name }) => name)).toEqual(["ci", "twin", "twin"]);
  });

  it.each([["", "a".repeat(65), "Upper", "with space", "dot.ted", "ä", 7, null]])(
    "naming rule, D8, D43: the name %j is refused with 422",
    async (...badNames) => {
      const sandbox = await startSandbox();
      for (const name of badNames) {
        const refused = await sandbox.send("createServiceAccount", {}, { body: { name } });
        expect([name, refused.status, fieldsOf(refused)]).toEqual([name, 422, ["body.name"]]);
      }
    },
  );

  it("call 3, D15: deleting an account that is gone is 404 with an error body", async () => {
    const sandbox = await startSandbox();
    const refused = await sandbox.send("deleteServiceAccount", { client_id: "gone" });
    expect([refused.status, codeOf(refused)]).toEqual([404, "SERVICE_ACCOUNT_NOT_FOUND"]);
  });
});
