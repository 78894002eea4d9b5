/** The names that the month's report has of people who left. */
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { describe, expect, test } from "vitest";
import type { Organization } from "../../../sdk/automation/stacks/organization.ts";
import { adoptPeople } from "../../../sdk/automation/verbs/adopt.ts";
import { reportOf } from "../../../sdk/automation/verbs/report-all.ts";
import { upAll } from "../../../sdk/automation/verbs/up.ts";
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

const fileOf = ({ namesFile = "" }: Organization): string => namesFile;

describe("the month's report", () => {
  test("names leavers by email or purpose, from a file that only its owner can read, and the audit log names nobody", async () => {
    const fixture = await directFixture(10);
    const ids = await fixture.bring({
      organizationId: fixture.organizationId,
      stacks: 1,
      people: [ada, linux, grace],
    });
    const { organization } = await apply(fixture, [grace]);

    expect(await leftIn(organization)).toEqual(["Linux builds", "ada@acme.example"]);
    const file = fileOf(organization);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const lines = readFileSync(file, "utf8").trim().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toEqual(
      expect.arrayContaining([
        { userId: ids.get("ada"), key: "ada", email: "ada@acme.example" },
        { userId: ids.get("ci-linux"), key: "ci-linux", purpose: "Linux builds" },
      ]),
    );
    expect(readFileSync(organization.auditFile, "utf8")).not.toMatch(/@|Linux/);
  });

  test("names a leaver whose key has another email now, and one who was adopted", async () => {
    const fixture = await directFixture(10);
    const organization = await fixture.open({
      organizationId: fixture.organizationId,
      stacks: 1,
      people: [],
    });
    const userId = await fixture.makeMember({ ...grace, token: false });
    const people = [{ ...grace, token: false, userId, place: "a file" }];
    expect((await adoptPeople(organization, { people, onDelete: "delete" })).status).toBe("succeeded");
    expect(readFileSync(fileOf(organization), "utf8")).toContain(
      JSON.stringify({ userId, key: "grace", email: "grace@acme.example" }),
    );

    await apply(fixture, [ada, { ...grace, token: false, userId }]);
    const { organization: later } = await apply(fixture, [
      { ...ada, email: "ada.new@acme.example" },
      { ...grace, token: false, userId },
    ]);
    expect(await leftIn(later)).toEqual(["ada@acme.example"]);
  });

  test("notes each name once, skips edited lines, and shows user ids once the file is gone", async () => {
    const fixture = await directFixture(10);
    const ids = await fixture.bring({
      organizationId: fixture.organizationId,
      stacks: 1,
      people: [ada, grace],
    });
    const { organization } = await apply(fixture, [ada, { ...grace, token: false }]);
    const file = fileOf(organization);
    const before = readFileSync(file, "utf8");
    appendFileSync(file, "not JSON\n{}\n");
    await apply(fixture, [ada, grace]);
    expect(readFileSync(file, "utf8")).toBe(`${before}not JSON\n{}\n`);

    const { organization: later } = await apply(fixture, [grace]);
    expect(await leftIn(later)).toEqual(["ada@acme.example"]);
    rmSync(file);
    expect(await leftIn(later)).toEqual([ids.get("ada")]);
  });

  test("shows user ids if ORGSEAT_NAMES_FILE is off, and then no name is written", async () => {
    const fixture = await directFixture(10);
    const ids = await fixture.bring({
      organizationId: fixture.organizationId,
      stacks: 1,
      people: [ada, grace],
    });
    const { organization } = await apply(fixture, [grace], { environment: { ORGSEAT_NAMES_FILE: "off" } });
    expect(organization.namesFile).toBeUndefined();
    expect(await leftIn(organization)).toEqual([ids.get("ada")]);
    const { namesFile = "" } = await fixture.open({
      organizationId: fixture.organizationId,
      stacks: 1,
      people: [],
    });
    expect(existsSync(namesFile)).toBe(false);
  });

  test("warns if names cannot be noted, and the run goes on", async () => {
    const fixture = await directFixture(10);
    const ids = await fixture.bring({
      organizationId: fixture.organizationId,
      stacks: 1,
      people: [ada, grace],
    });
    const open = () => fixture.open({ organizationId: fixture.organizationId, stacks: 1, people: [grace] });
    const file = fileOf(await open());
    mkdirSync(dirname(file), { recursive: true });
    mkdirSync(file);
    const { organization, warnings } = await apply(fixture, [grace]);
    expect(warnings.join("\n")).toContain(`Make ${file} writable, or set ORGSEAT_NAMES_FILE`);
    expect(await leftIn(organization)).toEqual([ids.get("ada")]);
    rmSync(file, { recursive: true });
    writeFileSync(file, "");
    expect(await leftIn(organization)).toEqual([ids.get("ada")]);
  });
});
