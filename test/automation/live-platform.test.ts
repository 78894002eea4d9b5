// @module-tag full
/** The command in the platform that lists members: adoption, drift and its repair, report and doctor. */
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { requireList } from "../../provider/resources/members/member-list.ts";
import { type TestOrganization, testOrganization } from "./organization.ts";

const driftSchema = z.object({
  members: z.object({
    findings: z.array(z.object({ key: z.string(), who: z.string(), kind: z.string() })),
    unmanaged: z.array(z.object({ email: z.string(), role: z.string(), seat: z.boolean() })),
  }),
});
const previewSchema = z.object({ drift: driftSchema, hasChanges: z.boolean() });
const reportSchema = z.object({ drift: driftSchema.shape.members, notes: z.array(z.string()) });

/** Makes members with seat and token whom no one manages. @returns their user ids */
function makeMembers(organization: TestOrganization, names: readonly string[]): Promise<string[]> {
  const { subscriptionExpiresAt } = organization.sandbox.service.seed;
  return organization.behindOurBack((api, operation) =>
    Promise.all(
      names.map(async (name) => {
        const { id } = await api.createUser({ email: `${name}@acme.example` }, operation);
        await api.assignSeat(id, operation);
        await api.issueToken(id, subscriptionExpiresAt, operation);
        return id;
      }),
    ),
  );
}

async function adopted(organization: TestOrganization): Promise<void> {
  const { seed } = organization.sandbox.service;
  await organization.sandbox.requests();
  await organization.succeed(
    ...["adopt", "--organization", seed.organizationId, "--subscription", seed.subscriptionExpiresAt],
    ...["--on-delete", "delete", "--yes"],
  );
  const requests = (await organization.sandbox.requests()).filter(({ call }) => call !== "token");
  expect(requests.filter(({ method }) => method !== "GET")).toEqual([]);
}

describe("the live platform", () => {
  test("members are adopted without a write; what somebody changes is named and repaired", async () => {
    const acme = await testOrganization({}, undefined, "anaconda");
    const [ada = "", grace = "", edsger = ""] = await makeMembers(acme, ["ada", "grace", "edsger"]);

    await adopted(acme);

    expect(acme.read()).toContain("key,email,first_name,last_name,team,seat,token,user_id,protected\n");
    expect(acme.read()).toContain(`,ada@acme.example,,,,,adopt,${ada},\n`);
    expect(acme.read()).toMatch(/^,admin@acme\.example,.*,yes$/m);
    const clean = await acme.orgseat("preview", "--refresh", "--exit-code");
    expect(clean, clean.stdout + clean.stderr).toMatchObject({ code: 0 });
    expect(clean.stdout).toContain("Drift: none, ");
    const token = await acme.orgseat("token", "ada@acme.example", "--out", "ada.token");
    expect(token.code).toBe(1);
    expect(token.stderr).toContain("cannot print the token of ada@acme.example: it was adopted");
    const doctor = await acme.orgseat("doctor");
    expect(doctor.stdout).toContain("lists 4 users: 3 with a seat, 1 administrator or billing manager");
    expect(doctor.stdout).toContain("every user has a row in people.csv");

    await acme.behindOurBack(async (api, operation) => {
      const [token] = requireList(await api.listTokens(ada, operation));
      await api.revokeToken(ada, operation, token?.id);
      await api.removeSeat(grace, operation);
    });
    await acme.sandbox.service.management.changeUser(edsger, { role: "billing_manager" });
    await makeMembers(acme, ["stranger"]);
    const { drift, hasChanges } = await acme.json(previewSchema, "preview", "--refresh");
    expect(hasChanges).toBe(true);
    expect(drift.members).toEqual({
      findings: [
        { key: "ada@acme.example", who: "ada@acme.example", kind: "tokenRevoked" },
        { key: "edsger@acme.example", who: "edsger@acme.example", kind: "roleChanged" },
        { key: "grace@acme.example", who: "grace@acme.example", kind: "seatRemoved" },
      ],
      unmanaged: [{ email: "stranger@acme.example", role: "member", seat: true }],
    });
    const report = await acme.json(reportSchema, "report", "--tokens");
    expect(report.drift).toEqual(drift.members);

    const up = await acme.orgseat("up", "--refresh", "--yes");

    expect(up, up.stdout + up.stderr).toMatchObject({ code: 0 });
    expect(up.stdout).toContain("Members not in the stack (1)");
    const after = await acme.json(previewSchema, "preview", "--refresh");
    expect(after).toMatchObject({ hasChanges: false, code: 0 });
    expect(after.drift.members.findings).toEqual([]);
    const listed = requireList(await acme.behindOurBack((api, operation) => api.listTokens(ada, operation)));
    expect(listed.filter(({ revoked }) => revoked !== true)).toHaveLength(1);
    acme.expectNoSecrets();
  });
});
