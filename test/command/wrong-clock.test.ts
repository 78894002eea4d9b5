/** A roster on a machine whose clock is 100 days off: no access ends, no token is replaced, and the rest is done. */
import { describe, expect, test } from "vitest";
import { describeResult } from "../../command/cli/result-lines.ts";
import { offboardPeople } from "../../command/verbs/offboard.ts";
import { renewTokens } from "../../command/verbs/tokens.ts";
import { upAll } from "../../command/verbs/up.ts";
import { formatInstant } from "../../provider/util/instants.ts";
import { directFixture, type Wanted } from "./fixture.ts";
import { crowd, type NewPerson, person } from "./people.ts";

const DAY = 86_400_000;
const at = (days: number) => formatInstant(Date.now() + days * DAY);
const platforms = ["basic", "anaconda"] as const;

describe.each(platforms)("a wrong clock (%s)", (platform) => {
  async function machine(people: readonly NewPerson[]) {
    let skew = 0;
    const now = () => Date.now() + skew;
    const fixture = await directFixture(60, platform, now);
    const subscriptionExpiresAt = at(400);
    await fixture.bring(fixture.rosterOf(people, { subscriptionExpiresAt }));
    await fixture.sandbox.service.management.setSwitches({ dateHeader: "clock" });
    const before = await fixture.held();
    return {
      ...{ fixture, before },
      /** @param days that the machine is ahead */
      on: (days: number, wanted?: Wanted) => {
        skew = days * DAY;
        const people = typeof wanted === "object" && !("people" in wanted) ? wanted : undefined;
        const declared = people && fixture.rosterOf(people, { subscriptionExpiresAt });
        return fixture.open(declared ?? wanted, { now });
      },
    };
  }

  test("replaces 0 of 30 scheduled tokens, ends no access, adds a person, and says why", async () => {
    const everyone = [...crowd(30, { rotateEvery: "30d" }), person("guest", { accessUntil: at(50) })];
    const { fixture, before, on } = await machine(everyone);
    const result = await upAll(await on(100, [...everyone, person("new")]), {});
    expect(result.status).toBe("failed");
    expect((await fixture.calls()).filter((call) => call < 17)).toEqual([5, 6, 7]);
    const after = await fixture.held();
    for (const [userId, held] of before) expect(after.get(userId)).toEqual(held);
    const results = result.applied?.results ?? [];
    const failed = results.filter(({ status }) => status === "failed");
    expect(failed).toHaveLength(31);
    for (const one of failed) {
      expect(one.code).toBe("clock-skew");
      expect(describeResult(one)).toContain("this machine's clock is 100 days ahead of the service's");
    }
    const [guest] = failed.filter(({ key }) => key === "guest");
    expect(guest && describeResult({ ...guest, place: "GUEST" })).toBe(
      "failed   guest@acme.example (GUEST)  not sent: revoke token, remove seat, remove user; this machine's clock is 100 days ahead of the service's, so orgseat makes no change that time decides. Correct the clock of this machine, then run the command again",
    );
    expect(results.filter(({ status }) => status === "succeeded").map(({ key }) => key)).toEqual(["new"]);
    // With the right time, nothing of it is due.
    expect(await upAll(await on(0), {})).toMatchObject({ status: "succeeded", applied: undefined });
  });

  test("renews by no window, and ends no access in `renew`", async () => {
    const guest = person("guest", { accessUntil: at(50) });
    const soon = person("soon", { expires: at(90), window: "30d" });
    const { fixture, before, on } = await machine([guest, soon, person("owner")]);
    const result = await renewTokens(await on(100), {});
    expect(result.applied?.results.map(({ key, code }) => [key, code]).toSorted()).toEqual([
      ["guest", "clock-skew"],
      ["soon", "clock-skew"],
    ]);
    expect((await fixture.calls()).filter((call) => call < 17)).toEqual([]);
    expect(await fixture.held()).toEqual(before);
  });

  test("offboards a person whose access has ended by this machine's clock", async () => {
    const guest = person("guest", { accessUntil: at(50) });
    const { fixture, on } = await machine([guest, person("owner")]);
    expect(await offboardPeople(await on(100), ["guest"], {})).toMatchObject({ status: "succeeded" });
    expect((await fixture.calls()).filter((call) => call < 17)).toEqual([9, 10, 11]);
  });
});
