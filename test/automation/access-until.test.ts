// @module-tag ci
/** A contractor from the first day to the last: the command and the functions, on each engine. */
import { describe, expect, test } from "vitest";
import { openOrganization } from "../../sdk/automation/stacks/organization.ts";
import { renewTokens } from "../../sdk/automation/verbs/tokens.ts";
import { upAll } from "../../sdk/automation/verbs/up.ts";
import { deliveringOrganization, storeWrites } from "./delivering.ts";
import { type Row, testOrganization } from "./organization.ts";

const DAY = 86_400_000;
const ada = "ada@acme.example";
const others: readonly Row[] = [
  { email: "grace@acme.example" },
  { key: "builds", purpose: "Nightly builds" },
];

/** The day so many days from now, as a roster has it. */
function day(days: number): string {
  return new Date(Date.now() + days * DAY).toISOString().slice(0, 10);
}

describe("access that ends", () => {
  test("a contractor joins, is warned about, extended, removed by renew, and comes back with a later date", async () => {
    const acme = await testOrganization();
    const write = (until: string): void => acme.write([{ email: ada, access_until: until }, ...others]);
    const userId = async () =>
      (await acme.sandbox.service.management.snapshot()).users.find((user) => user.email === ada)?.userId;
    const at = (days: number) => openOrganization(acme.options(), { now: () => Date.now() + days * DAY });

    write(day(10));
    const joined = await acme.orgseat("up", "--yes");
    expect(joined, joined.stderr).toMatchObject({ code: 0 });
    expect(joined.stdout).toContain(`Access ends within 14 days (access_until) (1): ${ada} (${day(10)})`);
    const first = await userId();
    await acme.writes();

    const [before, extended, after] = [day(10), day(20), day(60)];
    expect((await renewTokens(await at(9), {})).preview.plan.hasChanges).toBe(false);
    write(extended);
    const moved = await upAll(await at(12), {});
    expect(moved).toMatchObject({ status: "succeeded", preview: { plan: { hasChanges: true } } });
    expect(await acme.writes()).toEqual([]);
    expect(before < extended).toBe(true);

    const renewed = await renewTokens(await at(22), {});
    expect(renewed).toMatchObject({ status: "succeeded", applied: { failures: [], warnings: [] } });
    expect(renewed.preview.plan.losingAccess).toMatchObject([
      { label: ada, reasons: [`access ended on ${extended} (access_until)`] },
    ]);
    expect(await acme.writes()).toEqual([9, 10, 11]);
    expect(Object.keys(await acme.members())).not.toContain(ada);
    const idle = await upAll(await at(22), {});
    expect(idle).toMatchObject({
      preview: { plan: { hasChanges: false }, accessEnds: [{ status: "ended" }] },
    });

    write(after);
    expect(await acme.orgseat("up", "--yes")).toMatchObject({ code: 0 });
    expect(await acme.writes()).toEqual([5, 6, 7]);
    expect(await userId()).not.toBe(first);

    write(day(-2));
    expect(await acme.orgseat("renew", "--yes"), "no applied plan has shown this end").toMatchObject({
      code: 0,
    });
    expect(await acme.writes()).toEqual([]);
    const ended = await acme.orgseat("up", "--yes");
    expect(ended, ended.stderr).toMatchObject({ code: 0 });
    expect(ended.stdout).toContain(`access ended on ${day(-2)} (access_until)`);
    expect(await acme.writes()).toEqual([9, 10, 11]);
    expect(await acme.orgseat("preview", "--exit-code")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`Not added, because access has ended (access_until) (1): ${ada}`),
    });
    acme.expectNoSecrets();
  });

  test("renew deletes what a module delivered to a person whose access has ended, and nothing else", async () => {
    const people: readonly Row[] = [
      { key: "ada", email: ada },
      { key: "bob", email: "bob@acme.example" },
    ];
    const acme = await deliveringOrganization(people);
    expect(await acme.orgseat("up", "--yes")).toMatchObject({ code: 0 });
    storeWrites(acme);
    await acme.writes();
    const [first = {}, ...staying] = people;
    acme.write([{ ...first, access_until: day(1) }, ...staying], { deliver: "./stores/deliver.ts" });
    expect(await acme.orgseat("up", "--yes")).toMatchObject({ code: 0 });
    expect(storeWrites(acme)).toEqual([]);
    const later = await openOrganization(acme.options(), { now: () => Date.now() + 3 * DAY });
    expect(await renewTokens(later, {})).toMatchObject({ status: "succeeded" });
    expect(storeWrites(acme)).toEqual(["delete ada-secret ada-secret-1 value=*"]);
    expect(await acme.writes()).toEqual([9, 10, 11]);
    expect((await upAll(later, {})).preview.plan.hasChanges).toBe(false);
  });
});
