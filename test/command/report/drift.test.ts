/** The drift in a report, if the service lists its members. */
import { expect, test } from "vitest";
import { previewOf } from "../../../command/preview/preview.ts";
import { reportForms } from "../../../command/report/report.ts";
import { reportOf } from "../../../command/verbs/report-all.ts";
import { upAll } from "../../../command/verbs/up.ts";
import { requireList } from "../../../provider/resources/members/member-list.ts";
import { directFixture } from "../fixture.ts";

const ada = { key: "ada", email: "ada@acme.example", seat: true, token: true, protected: false };

async function changedOrganization() {
  const fixture = await directFixture(10, "anaconda");
  const { organizationId } = fixture;
  const { subscriptionExpiresAt } = fixture.sandbox.service.seed;
  const organization = await fixture.open({ organizationId, subscriptionExpiresAt, people: [ada] });
  expect((await upAll(organization, {})).status).toBe("succeeded");
  const userId = (await fixture.userIds(organization)).get("ada") ?? "";
  await fixture.behindOurBack(async (api, operation) => {
    const [token] = requireList(await api.listTokens(userId, operation));
    await api.revokeToken(userId, operation, token?.id);
    await api.removeSeat(userId, operation);
  });
  await fixture.sandbox.requests();
  return fixture;
}

test("report: drift is in all forms, from one list of users; tokens are compared if wanted", async () => {
  const fixture = await changedOrganization();
  const report = await reportOf(await fixture.reopen(), {});
  const reads = (await fixture.sandbox.requests()).filter(({ call }) => call !== "token");
  expect(reads).toHaveLength(1);
  expect(report.drift).toMatchObject({
    tokens: false,
    findings: [{ who: ada.email, kind: "seatRemoved" }],
    unmanaged: [{ email: "admin@acme.example", role: "admin", seat: false }],
  });
  expect(reportForms.text(report)).toMatch(/^ {2}ada@acme\.example +seat removed$/m);
  expect(reportForms.csv(report)).toMatch(/^ada,.*,seat removed$/m);
  expect(reportForms.html(report)).toContain("not in the stack: admin, no seat");
  const whole = await reportOf(await fixture.reopen(), { tokens: true });
  expect(whole.drift?.findings.map(({ kind }) => kind)).toEqual(["seatRemoved", "tokenRevoked"]);
});

test("report: without access to the service it says so, and reports from the state", async () => {
  const fixture = await changedOrganization();
  const environment = { ORGSEAT_CLIENT_SECRET: "not-the-secret" };
  const report = await reportOf(await fixture.reopen({ environment }), {});
  expect(report.drift).toBeNull();
  expect(report.notes.join("\n")).toMatch(/Drift not checked: cannot list the members: /);
  expect(report.people).toHaveLength(1);
});

/** The call that lists users. */
const LIST_USERS = 17;

test("the seats of everybody whom the service lists count: in the report and, with one request, in a plan that assigns a seat", async () => {
  const fixture = await directFixture(10, "anaconda");
  const { organizationId } = fixture;
  const [bob, cyd] = ["bob", "cyd"].map((key) => ({ ...ada, key, email: `${key}@acme.example` }));
  if (bob === undefined || cyd === undefined) throw new Error("nobody");
  const open = (seats: number, ...people: (typeof ada)[]) => fixture.open({ organizationId, seats, people });
  expect((await upAll(await open(3, ada), {})).status).toBe("succeeded");
  await fixture.makeMember({ ...ada, key: "eve", email: "eve@acme.example", token: false });
  expect((await reportOf(await open(2, ada), {})).seats).toMatchObject({ used: 2, available: 0 });
  const same = await previewOf(await open(2, ada), { refresh: true });
  expect([same.plan.seats.used, same.violations]).toEqual([2, []]);
  await fixture.sandbox.requests();

  const refused = await upAll(await open(2, ada, bob), {});
  expect(refused).toMatchObject({ status: "blocked", preview: { violations: [{ guard: "no-seats" }] } });
  expect(refused.preview.plan.seats).toMatchObject({ used: 2, wanted: 1 });
  expect((await fixture.sandbox.calls()).filter((call) => call !== "token")).toEqual([LIST_USERS]);

  expect(await upAll(await open(3, ada, bob), {})).toMatchObject({
    status: "succeeded",
    preview: { warnings: [], plan: { seats: { used: 2, wanted: 1, purchased: 3 } } },
  });
  await fixture.sandbox.requests();
  const idle = await previewOf(await open(3, ada, bob), {});
  expect([idle.plan.hasChanges, await fixture.sandbox.calls()]).toEqual([false, []]);
  // The roles of the person who leaves and the seats come from one list.
  const swap = await previewOf(await open(3, ada, cyd), {});
  expect(swap.plan.seats).toMatchObject({ used: 3, wanted: 1, freed: 1 });
  expect((await fixture.sandbox.calls()).filter((call) => call !== "token")).toEqual([LIST_USERS]);
});

test("a plan counts the seats of the state without the list of users, and says so", async () => {
  const fixture = await directFixture(10, "anaconda");
  const { organizationId } = fixture;
  await fixture.makeMember({ ...ada, key: "eve", email: "eve@acme.example", token: false });
  const seatless = { ...ada, seat: false, token: false };
  expect((await upAll(await fixture.open({ organizationId, people: [seatless] }), {})).status).toBe(
    "succeeded",
  );
  const organization = await fixture.open({ organizationId, seats: 1, people: [ada] });
  await fixture.sandbox.service.management.addFaults({
    match: { call: LIST_USERS },
    times: "always",
    fault: { kind: "refuse", status: 403 },
  });
  const { plan, violations, warnings } = await previewOf(organization, {});
  expect([plan.seats.used, violations]).toEqual([0, []]);
  expect(warnings.map(({ text }) => text)).toEqual([
    expect.stringMatching(
      /^the plan counts the seats of the state alone, because .*cannot list the members: /,
    ),
  ]);
});
