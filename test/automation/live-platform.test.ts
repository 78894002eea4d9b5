// @module-tag full
/** The command in the dialect that lists members: adoption, drift and its repair, report and doctor. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import { drawnPeople, type NewPerson } from "../sdk/automation/people.ts";
import { checkCases } from "../setup/cases.ts";
import { onEachEngine } from "../setup/project.ts";
import { changeSome, LASTING } from "../setup/service-changes.ts";
import { type Row, type TestOrganization, testOrganization } from "./organization.ts";

const driftSchema = z.object({
  members: z.object({
    findings: z.array(z.object({ key: z.string(), who: z.string(), kind: z.string() })),
    unmanaged: z.array(z.object({ email: z.string(), role: z.string(), seat: z.boolean() })),
  }),
});
const previewSchema = z.object({ drift: driftSchema, hasChanges: z.boolean() });
const peopleSchema = z.object({
  people: z.array(z.object({ key: z.string(), userId: z.string().nullable() })),
});
const reportSchema = z.object({ drift: driftSchema.shape.members, notes: z.array(z.string()) });

/** Makes members with seat and token whom nobody manages. @returns their user ids */
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
  const adopt = await organization.orgseat(
    ...["adopt", "--organization", seed.organizationId, "--subscription", seed.subscriptionExpiresAt],
    ...["--on-removal", "remove", "--yes"],
  );
  expect(adopt, adopt.stdout + adopt.stderr).toMatchObject({ code: 0 });
  const requests = (await organization.sandbox.requests()).filter(({ call }) => call !== "token");
  expect(requests.filter(({ method }) => method !== "GET")).toEqual([]);
}

onEachEngine("the live platform", (engine) => {
  test("members are adopted without a write; what somebody changes is named and repaired", async () => {
    const acme = await testOrganization(engine, {}, undefined, "anaconda");
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
      const [token] = await api.listTokens(ada, operation);
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
    expect(up.stdout).toContain("Members in no stack (1)");
    const after = await acme.json(previewSchema, "preview", "--refresh");
    expect(after).toMatchObject({ hasChanges: false, code: 0 });
    expect(after.drift.members.findings).toEqual([]);
    const listed = await acme.behindOurBack((api, operation) => api.listTokens(ada, operation));
    expect(listed.filter(({ revoked }) => revoked !== true)).toHaveLength(1);
    acme.expectNoSecrets();
  });

  test("a service that answers 429 to every tenth request changes nothing but the time", async () => {
    const acme = await testOrganization(engine, { seats: 50 }, undefined, "anaconda");
    const names = Array.from({ length: 12 }, (_, index) => `p${index}`);
    await makeMembers(acme, names);
    const refused = { kind: "refuse", status: 429, headers: { "retry-after": "0" } } as const;
    const rules = Array.from({ length: 10 }, (_, index) => ({ after: index * 10, fault: refused }));
    await acme.sandbox.service.management.addFaults(...rules);

    await adopted(acme);

    const preview = await acme.orgseat("preview", "--refresh", "--exit-code");
    expect(preview, preview.stdout + preview.stderr).toMatchObject({ code: 0 });
    for (const name of names) expect(acme.read()).toContain(`,${name}@acme.example,,,,,adopt,`);
  });

  test("keeps the token of the state where a refresh gets an empty list of tokens", async () => {
    const acme = await testOrganization(engine, {}, undefined, "anaconda");
    acme.write([{ email: "ada@acme.example" }]);
    expect((await acme.orgseat("up", "--yes")).code).toBe(0);
    await acme.sandbox.requests();
    const { management } = acme.sandbox.service;
    const body = '{"items":[]}';
    await management.addFaults({
      match: { call: 18 },
      times: "always",
      fault: { kind: "raw", status: 200, headers: {}, body },
    });
    const refreshed = await acme.orgseat("up", "--refresh", "--yes");
    expect(refreshed.code, refreshed.stdout + refreshed.stderr).not.toBe(0);
    expect(refreshed.stdout + refreshed.stderr).toContain("ada@acme.example");
    await management.clearFaults();
    expect(await acme.orgseat("preview", "--refresh", "--exit-code")).toMatchObject({ code: 0 });
    const requests = await acme.sandbox.requests();
    expect(requests.filter(({ method, call }) => method !== "GET" && call !== "token")).toEqual([]);
  });

  test("drift: what somebody changes at random is named, and what is declared is repaired", async () => {
    await checkCases(
      { name: `automation: drift by the command on the ${engine.name}`, level: "E", cases: 20, siblings: 2 },
      fc.gen(),
      async (draw) => {
        const acme = await testOrganization(engine, { seats: 20 }, undefined, "anaconda");
        const people = [
          ...drawnPeople(draw, draw(fc.integer, { min: 2, max: 5 }), "p"),
          { key: "idle", email: "idle@acme.example", seat: false, token: false, protected: false },
        ];
        acme.write(people.map(rowOf));
        const first = await acme.orgseat("up", "--yes");
        expect(first, first.stdout + first.stderr).toMatchObject({ code: 0 });
        const expected = await changeSome(acme, draw, people, await userIds(acme));
        const [stranger] = await makeMembers(acme, ["stranger"]);

        const { drift } = await acme.json(previewSchema, "preview", "--refresh");

        expect(kindsIn(drift)).toEqual(expected);
        expect(drift.members.unmanaged.map(({ email }) => email).toSorted()).toEqual([
          "admin@acme.example",
          "stranger@acme.example",
        ]);
        const up = await acme.orgseat("up", "--refresh", "--yes");
        expect(up, up.stdout + up.stderr).toMatchObject({ code: 0 });
        const after = await acme.json(previewSchema, "preview", "--refresh");
        expect(after).toMatchObject({ hasChanges: false, code: 0 });
        expect(kindsIn(after.drift)).toEqual(
          expected.filter((found) => LASTING.has(found.split(" ")[1] ?? "")),
        );
        const users = await acme.behindOurBack((api, operation) => api.listUsers(operation));
        expect(users.find(({ id }) => id === stranger)).toMatchObject({ email: "stranger@acme.example" });
        acme.expectNoSecrets();
        await acme.close();
      },
    );
  });
});

function rowOf({ key, email, purpose, seat, token }: NewPerson): Row {
  const answer = (yes: boolean): string => (yes ? "yes" : "no");
  return {
    ...{ key, seat: answer(seat), token: answer(token) },
    ...(email !== undefined && { email }),
    ...(purpose !== undefined && { purpose }),
  };
}

/** By key, the user ids in the report. */
async function userIds(organization: TestOrganization): Promise<Map<string, string>> {
  const { people } = await organization.json(peopleSchema, "report");
  return new Map(people.flatMap(({ key, userId }) => (userId === null ? [] : [[key, userId]])));
}

function kindsIn({ members }: z.output<typeof driftSchema>): string[] {
  return members.findings.map(({ key, kind }) => `${key} ${kind}`).toSorted();
}
