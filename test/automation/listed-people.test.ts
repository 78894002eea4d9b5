// @module-tag ci
/** People whom the service lists: what it says about them stops a run before the first write. */
import { describe, expect, test } from "vitest";
import { type Row, testOrganization } from "./organization.ts";

const ada: Row = { email: "ada@acme.example" };
const grace: Row = { email: "grace@acme.example" };

describe("an administrator", () => {
  test("loses nothing: preview, up, and offboard refuse the removal", async () => {
    const acme = await testOrganization({}, undefined, "anaconda");
    acme.write([ada, grace]);
    await acme.succeed("up", "--yes");
    const { management } = acme.sandbox.service;
    const admin = (await management.snapshot()).users.find(({ email }) => email === ada.email);
    await management.changeUser(admin?.userId ?? "", { role: "admin" });
    acme.write([grace]);
    const before = acme.audit();

    const preview = await acme.orgseat("preview");
    expect(preview.stdout).toContain(
      "1 person would be removed but is an administrator or billing manager: restore the row",
    );
    expect(preview.stdout).toContain("ada@acme.example: admin");
    expect(preview.code).toBe(3);
    expect(await acme.orgseat("up", "--yes")).toMatchObject({ code: 3 });
    const offboard = await acme.orgseat("offboard", "ada@acme.example", "--yes");
    expect(offboard).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("cannot offboard ada@acme.example (admin)"),
    });

    Object.assign(acme.environment, { ORGSEAT_CLIENT_ID: "", ORGSEAT_CLIENT_SECRET: "" });
    expect(await acme.orgseat("preview"), "needs no credentials").toMatchObject({ code: 0 });
    delete acme.environment.ORGSEAT_CLIENT_ID;
    delete acme.environment.ORGSEAT_CLIENT_SECRET;

    expect(acme.audit()).toEqual(before);
    expect((await acme.members())["ada@acme.example"]).toEqual({ seat: true, token: expect.any(String) });
    acme.write([{ ...ada, seat: "no" }, grace]);
    await acme.succeed("up", "--yes");
    const names = acme
      .audit()
      .slice(before.length)
      .map(({ name }) => name);
    expect(names).toEqual(["revoke token", "remove seat"]);
  });
});
