// @module-tag ci
/** Organizations whose id is a name, as in the address of their console, and not a GUID. */
import { describe, expect, test } from "vitest";
import { requireList } from "../../provider/resources/members/member-list.ts";
import { callService, makeServiceAccount, sandbox } from "../setup/sandbox.ts";
import { testOrganization } from "./organization.ts";

const organizationId = "acme-data";
const ada = "ada@acme.example";

describe("an organization id that is a name", () => {
  test("works in init, add, preview, up, doctor, and adopt", async () => {
    const acme = await testOrganization({ organizationId }, undefined, "anaconda");
    const { subscriptionExpiresAt } = acme.sandbox.service.seed;
    const refused = await acme.orgseat("init", "--organization", "acme/data", "--yes");
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toBe(
      "orgseat: cannot set up this folder: --organization is not an organization id: it contains U+002F in column 5. Copy it from the address of the organization in the console. No files were written [invalid-flag]\n",
    );
    const init = await acme.succeed(
      ...["init", "--organization", organizationId, "--subscription", subscriptionExpiresAt, "--yes"],
    );
    expect(init).toContain("Wrote people.csv");
    expect(acme.read()).toMatch(/^# organization: acme-data\n/);
    await acme.succeed("add", ada);
    expect(await acme.succeed("preview")).toMatch(/^Organization acme-data, .*1 to add/s);
    await acme.succeed("up", "--yes");
    expect(await acme.members()).toMatchObject({ [ada]: { seat: true } });
    expect(await acme.succeed("doctor")).toContain("acme-data");

    await acme.behindOurBack((api, operation) => api.createUser({ email: "bob@acme.example" }, operation));
    await acme.succeed("adopt", "--on-delete", "delete", "--yes");
    expect(acme.read()).toContain("bob@acme.example");
    const paths = (await acme.sandbox.requests()).flatMap(({ call, path }) => (call === "token" ? [] : path));
    expect(paths.filter((path) => !path.includes("/organizations/acme-data/"))).toEqual([]);
  });

  test.each(["r&d+%2f..", "zürich数据"])("goes encoded into paths and headers: %s", async (id) => {
    const acme = await sandbox({ organizationId: id }, undefined, "anaconda");
    await acme.service.management.setSwitches({ platformHeaders: "required" });
    const account = await makeServiceAccount(acme);
    await callService(acme, { serviceAccount: account }, async (api, operation) => {
      const { id: userId } = await api.createUser({ email: ada }, operation);
      expect(requireList(await api.listUsers(operation)).users.map((user) => user.id)).toContain(userId);
    });
    const { organizations } = await acme.service.management.snapshot();
    expect(organizations.map((one) => one.organizationId)).toEqual([id]);
  });
});
