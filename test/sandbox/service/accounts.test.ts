import { expect, it } from "vitest";
import { fieldsOf, startSandbox } from "./harness.ts";
import { talks } from "./talk.ts";

it("limit 1, D8: service accounts are listed completely, more than a hundred of them, and can share a name", async () => {
  const sandbox = await startSandbox();
  const names = Array.from({ length: 120 }, () => "0");
  for (const name of names) {
    expect((await sandbox.send("createServiceAccount", {}, { body: { name } })).status).toBe(200);
  }
  const { body } = await sandbox.send("listServiceAccounts");
  expect(body).toMatchObject({ items: ["ci", ...names].map((name) => ({ name })) });
});

it("naming rule, D8, D43: service accounts refuse a name that breaks the rule with 422, and create nothing", async () => {
  const sandbox = await startSandbox();
  for (const name of ["", "a".repeat(65), "Upper", "with space", "dot.ted", "ä", "line\n", 7, null]) {
    const refused = await sandbox.send("createServiceAccount", {}, { body: { name } });
    expect([name, refused.status, fieldsOf(refused)]).toEqual([name, 422, ["body.name"]]);
  }
  expect((await sandbox.management.snapshot()).serviceAccounts).toHaveLength(1);
});

talks(`
call 3, D15: answers 404 with an error body to the deletion of an account that is gone
  deleteServiceAccount { client_id: gone } -> 404 SERVICE_ACCOUNT_NOT_FOUND
`);
