import { describe, expect, it } from "vitest";
import { codeOf, fieldsOf, startSandbox } from "./harness.ts";

describe("service accounts", () => {
  it("limit 1, D8: are listed completely, more than a hundred of them, and can share a name", async () => {
    const sandbox = await startSandbox();
    const names = Array.from({ length: 120 }, () => "0");
    for (const name of names) {
      expect((await sandbox.send("createServiceAccount", {}, { body: { name } })).status).toBe(200);
    }
    const { body } = await sandbox.send("listServiceAccounts");
    expect(body).toMatchObject({ items: ["ci", ...names].map((name) => ({ name })) });
  });

  it("naming rule, D8, D43: refuse a name that breaks the rule with 422, and create nothing", async () => {
    const sandbox = await startSandbox();
    for (const name of ["", "a".repeat(65), "Upper", "with space", "dot.ted", "ä", "line\n", 7, null]) {
      const refused = await sandbox.send("createServiceAccount", {}, { body: { name } });
      expect([name, refused.status, fieldsOf(refused)]).toEqual([name, 422, ["body.name"]]);
    }
    expect((await sandbox.management.snapshot()).serviceAccounts).toHaveLength(1);
  });

  it("call 3, D15: answer 404 with an error body to the deletion of an account that is gone", async () => {
    const sandbox = await startSandbox();
    const refused = await sandbox.send("deleteServiceAccount", { client_id: "gone" });
    expect([refused.status, codeOf(refused)]).toEqual([404, "SERVICE_ACCOUNT_NOT_FOUND"]);
  });
});
