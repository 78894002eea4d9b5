/** Machines whose clocks are a day apart from the service's and from each other: nothing is lost, doubled or removed. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { offboardPeople } from "../../command/verbs/offboard.ts";
import { renewTokens, rotateTokens } from "../../command/verbs/tokens.ts";
import { upAll } from "../../command/verbs/up.ts";
import { formatInstant } from "../../provider/util/instants.ts";
import { configurationOf } from "../setup/direct.ts";
import { DirectEngine } from "../setup/direct-engine.ts";
import { makeServiceAccount, sandbox, temporaryFolder } from "../setup/sandbox.ts";
import { Fixture } from "./fixture.ts";
import type { NewPerson, NewRoster } from "./people.ts";

const DAY = 86_400_000;
const skews = [
  ["a day ahead of", DAY],
  ["a day behind", -DAY],
] as const;

const member = (key: string, more: Partial<NewPerson> = {}): NewPerson => ({
  ...{ key, email: `${key}@acme.example`, seat: true, token: true, protected: false },
  ...more,
});
const builds: NewPerson = { key: "builds", purpose: "Builds", seat: true, token: true, protected: false };
const people = [member("ada"), member("grace"), builds];

/** One state and one roster, run by machines with clocks of their own. */
async function machines() {
  const service = await sandbox({ seats: 50 });
  const environment = configurationOf(service, await makeServiceAccount(service));
  let skew = 0;
  const now = () => Date.now() + skew;
  const engine = new DirectEngine(environment, now);
  const fixture = new Fixture(service, {
    ...{ engine, environment },
    file: join(temporaryFolder(), "people.csv"),
  });
  const { organizationId } = fixture;
  const roster = (more: Partial<NewRoster> = {}): NewRoster => ({
    organizationId,
    stacks: 1,
    people,
    ...more,
  });
  const on = (ms: number, text: NewRoster | string) => {
    skew = ms;
    return fixture.open(text, { now });
  };
  const calls = async () => (await fixture.done()).map(({ call }) => call);
  await service.requests();
  return { service, fixture, roster, on, calls, environment };
}

describe.each(skews)("a machine whose clock is %s the service's", (_, skew) => {
  test("makes what the roster says, and neither it nor a machine with the right time changes that again", async () => {
    const { roster, on, calls } = await machines();
    const subscriptionExpiresAt = formatInstant(Date.now() + 200 * DAY);
    const all = roster({
      subscriptionExpiresAt,
      people: [...people, member("eve", { expires: formatInstant(Date.now() + 100 * DAY), window: "30d" })],
    });
    expect(await upAll(await on(skew, all), {})).toMatchObject({ status: "succeeded" });
    expect((await calls()).toSorted()).toEqual([5, 5, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7]);
    for (const other of [0, skew, -skew]) {
      expect(await upAll(await on(other, all), {})).toMatchObject({
        status: "succeeded",
        applied: undefined,
      });
    }
    expect(await calls()).toEqual([]);
  });

  test("renews each token once when the subscription was renewed, with its value, and at most a day from its time", async () => {
    const { service, roster, on, calls } = await machines();
    const end = service.service.seed.subscriptionExpiresAt;
    const within = member("eve", { expires: formatInstant(Date.now() + 40 * DAY), window: "30d" });
    const old = roster({ subscriptionExpiresAt: end, people: [...people, within] });
    await upAll(await on(0, old), {});
    const before = (await service.service.management.snapshot()).tokens;
    await calls();
    // Ten days before its time.
    expect(await renewTokens(await on(skew, old), {})).toMatchObject({ applied: undefined });
    const renewed = formatInstant(Date.parse(end) + 365 * DAY);
    await service.service.management.changeSubscription(old.organizationId, { expiresAt: renewed });
    const raised = { ...old, subscriptionExpiresAt: renewed };
    expect(await renewTokens(await on(skew, raised), {})).toMatchObject({ status: "succeeded" });
    expect(await calls()).toEqual([8, 8, 8]);
    for (const other of [0, -skew]) await upAll(await on(other, raised), {});
    expect(await calls()).toEqual([]);
    const after = (await service.service.management.snapshot()).tokens;
    expect(after.map(({ hash }) => hash).toSorted()).toEqual(before.map(({ hash }) => hash).toSorted());
  });

  test("rotates when asked, once each time, whatever the clock of the rotation before", async () => {
    const { fixture, roster, on, calls } = await machines();
    const organization = await on(0, roster());
    await upAll(organization, {});
    await calls();
    const text = () => readFileSync(organization.file, "utf8");
    for (const other of [skew, 0, -skew]) {
      expect(await rotateTokens(await on(other, text()), ["ada"], {})).toMatchObject({ status: "succeeded" });
      expect(await calls()).toEqual([9, 7]);
      await upAll(await on(skew, text()), {});
      await upAll(await on(0, text()), {});
      expect(await calls()).toEqual([]);
    }
    expect((await fixture.sandbox.service.management.snapshot()).tokens).toHaveLength(people.length);
  });

  test("accepts no override that was made by the right time, and its own only by its own clock", async () => {
    const { roster, on, calls } = await machines();
    const crowd = Array.from({ length: 12 }, (_, index) => member(`p${index}`));
    await upAll(await on(0, roster({ people: crowd })), {});
    await calls();
    const few = roster({ people: crowd.slice(0, 2) });
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
    expect(await calls()).toEqual([]);
    const approve = await overrideOn(skew);
    expect(await upAll(await on(skew, few), { approve })).toMatchObject({ status: "succeeded" });
    expect(await calls()).toHaveLength(30);
  });

  test("offboards a person, whom a machine with another clock does not add again", async () => {
    const { service, roster, on, calls } = await machines();
    await upAll(await on(0, roster()), {});
    await offboardPeople(await on(skew, roster()), ["ada@acme.example"], {});
    await calls();
    for (const other of [0, -skew]) await upAll(await on(other, roster()), {});
    expect(await calls()).toEqual([]);
    const { users } = await service.service.management.snapshot();
    expect(users.map(({ email }) => email)).not.toContain("ada@acme.example");
  });
});
