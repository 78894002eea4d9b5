/** Machines whose clocks are a day apart from the service's and from each other: nothing is lost, doubled or removed. */
import { describe, expect, test } from "vitest";
import { offboardPeople } from "../../command/verbs/offboard.ts";
import { renewTokens, rotateTokens } from "../../command/verbs/tokens.ts";
import { upAll } from "../../command/verbs/up.ts";
import { formatInstant } from "../../provider/util/instants.ts";
import { directFixture, type Wanted } from "./fixture.ts";
import { crowd, managed, person } from "./people.ts";

const DAY = 86_400_000;
const skews = [
  ["a day ahead of", DAY],
  ["a day behind", -DAY],
] as const;

const people = [person("ada"), person("grace"), managed("builds", "Builds")];

/** One state and one roster, run by machines with clocks of their own. */
async function machines() {
  let skew = 0;
  const now = () => Date.now() + skew;
  const fixture = await directFixture(50, "basic", now);
  const on = (ms: number, wanted?: Wanted) => {
    skew = ms;
    return fixture.open(wanted, { now });
  };
  return { fixture, on, management: fixture.sandbox.service.management };
}

describe.each(skews)("a machine whose clock is %s the service's", (_, skew) => {
  test("makes what the roster says, and neither it nor a machine with the right time changes that again", async () => {
    const { fixture, on } = await machines();
    const subscriptionExpiresAt = formatInstant(Date.now() + 200 * DAY);
    const eve = person("eve", { expires: formatInstant(Date.now() + 100 * DAY), window: "30d" });
    const all = fixture.rosterOf([...people, eve], { subscriptionExpiresAt });
    expect(await upAll(await on(skew, all), {})).toMatchObject({ status: "succeeded" });
    expect((await fixture.calls()).toSorted()).toEqual([5, 5, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7]);
    for (const other of [0, skew, -skew]) {
      expect(await upAll(await on(other, all), {})).toMatchObject({
        status: "succeeded",
        applied: undefined,
      });
    }
    expect(await fixture.calls()).toEqual([]);
  });

  test("renews each token once when the subscription was renewed, with its value, and at most a day from its time", async () => {
    const { fixture, on, management } = await machines();
    const end = fixture.sandbox.service.seed.subscriptionExpiresAt;
    const within = person("eve", { expires: formatInstant(Date.now() + 40 * DAY), window: "30d" });
    const old = fixture.rosterOf([...people, within], { subscriptionExpiresAt: end });
    await upAll(await on(0, old), {});
    const before = (await management.snapshot()).tokens;
    await fixture.calls();
    // Ten days before its time.
    expect(await renewTokens(await on(skew, old), {})).toMatchObject({ applied: undefined });
    const renewed = formatInstant(Date.parse(end) + 365 * DAY);
    await management.changeSubscription(old.organizationId, { expiresAt: renewed });
    const raised = { ...old, subscriptionExpiresAt: renewed };
    expect(await renewTokens(await on(skew, raised), {})).toMatchObject({ status: "succeeded" });
    expect(await fixture.calls()).toEqual([8, 8, 8]);
    for (const other of [0, -skew]) await upAll(await on(other, raised), {});
    expect(await fixture.calls()).toEqual([]);
    const after = (await management.snapshot()).tokens;
    expect(after.map(({ hash }) => hash).toSorted()).toEqual(before.map(({ hash }) => hash).toSorted());
  });

  test("rotates when asked, once each time, whatever the clock of the rotation before", async () => {
    const { fixture, on, management } = await machines();
    await upAll(await on(0, people), {});
    await fixture.calls();
    for (const other of [skew, 0, -skew]) {
      expect(await rotateTokens(await on(other), ["ada"], {})).toMatchObject({ status: "succeeded" });
      expect(await fixture.calls()).toEqual([9, 7]);
      await upAll(await on(skew), {});
      await upAll(await on(0), {});
      expect(await fixture.calls()).toEqual([]);
    }
    expect((await management.snapshot()).tokens).toHaveLength(people.length);
  });

  test("accepts no override that was made by the right time, and its own only by its own clock", async () => {
    const { fixture, on } = await machines();
    const many = crowd(12);
    await upAll(await on(0, many), {});
    await fixture.calls();
    const few = many.slice(0, 2);
    const overrideOn = async (ms: number) => {
      const { preview } = await upAll(await on(ms, few), {});
      return preview.violations.find(({ guard }) => guard === "removal-limit")?.override;
    };
    for (const [made, used] of [
      [0, skew],
      [skew, 0],
    ] as const) {
      const approve = await overrideOn(made);
      expect(approve).toBeDefined();
      expect(await upAll(await on(used, few), { approve })).toMatchObject({ status: "blocked" });
    }
    expect(await fixture.calls()).toEqual([]);
    const approve = await overrideOn(skew);
    expect(await upAll(await on(skew, few), { approve })).toMatchObject({ status: "succeeded" });
    expect(await fixture.calls()).toHaveLength(30);
  });

  test("offboards a person, whom a machine with another clock does not add again", async () => {
    const { fixture, on } = await machines();
    await upAll(await on(0, people), {});
    await offboardPeople(await on(skew), ["ada@acme.example"], {});
    await fixture.calls();
    for (const other of [0, -skew]) await upAll(await on(other, people), {});
    expect(await fixture.calls()).toEqual([]);
    expect((await fixture.users()).map(({ email }) => email)).not.toContain("ada@acme.example");
  });
});
