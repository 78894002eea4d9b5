/** The names that the month's report has of people who left. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { addOffboarded } from "../../command/roster/offboarded.ts";
import type { Organization } from "../../command/stacks/organization.ts";
import { reportOf } from "../../command/verbs/report-all.ts";
import { upAll } from "../../command/verbs/up.ts";
import { directFixture, type Fixture, type Opening } from "./fixture.ts";
import type { NewPerson } from "./people.ts";

const ada: NewPerson = {
  ...{ key: "ada", email: "ada@acme.example" },
  ...{ seat: true, token: true, protected: false },
};
const linux: NewPerson = { ...ada, key: "ci-linux", email: undefined, purpose: "Linux builds" };
const grace: NewPerson = { ...ada, key: "grace", email: "grace@acme.example" };

async function apply(fixture: Fixture, people: readonly NewPerson[], opening: Opening = {}) {
  const { organizationId } = fixture;
  const organization = await fixture.open({ organizationId, stacks: 1, people }, opening);
  const { status, applied } = await upAll(organization, {});
  expect(status, JSON.stringify(applied?.failures)).toBe("succeeded");
  return { organization, warnings: (applied?.warnings ?? []).map(({ text }) => text) };
}

async function leftIn(organization: Organization): Promise<string[] | undefined> {
  const { month } = await reportOf(organization, { month: new Date().toISOString().slice(0, 7) });
  return month?.left?.map(({ who }) => who).toSorted();
}

describe("the month's report", () => {
  test("names leavers of the offboarded list, shows the user ids of others, and the audit log names nobody", async () => {
    const fixture = await directFixture(10);
    const { organizationId } = fixture;
    const ids = await fixture.bring({ organizationId, stacks: 1, people: [ada, linux, grace] });
    const { organization } = await apply(fixture, [grace]);
    expect(await leftIn(organization)).toEqual([ids.get("ada"), ids.get("ci-linux")].toSorted());

    const leaver = { key: "ada", email: ada.email, userId: ids.get("ada"), leftAt: "2026-11-03T10:00:00Z" };
    await addOffboarded(organization.offboardedFile, [leaver]);
    const later = await fixture.reopen();
    expect(await leftIn(later)).toEqual([ids.get("ci-linux"), "ada@acme.example"].toSorted());
    expect(readFileSync(organization.auditFile, "utf8")).not.toMatch(/@|Linux/);
  });
});
