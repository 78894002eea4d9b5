// @module-tag ci
/** Several members of one run: who loses something if the service refuses, limits, or stops answering, and what a cancellation lets through. */
import { describe, expect, test } from "vitest";
import type { Unit } from "../../../../provider/member/step.ts";
import type { Wanted, WantedMember } from "../../../../provider/member/wanted.ts";
import type { FaultRule } from "../../../../sandbox/service/index.ts";
import {
  address,
  LiveMember,
  type LiveOrganization,
  LiveRun,
  liveOrganization,
  person,
} from "./live-member.ts";

interface Member {
  readonly member: LiveMember;
  readonly email: string;
}

async function members(organization: LiveOrganization, count: number): Promise<Member[]> {
  const end = await organization.endOfSubscription();
  const all = Array.from({ length: count }, () => ({
    member: new LiveMember(organization),
    email: address("turn"),
  }));
  const run = new LiveRun(organization);
  const done = await Promise.all(all.map((one) => one.member.run(marked(one, end, "1"), run)));
  expect(done.map(({ failure }) => failure)).toEqual(all.map(() => undefined));
  await organization.requests();
  return all;
}

function marked(
  { email }: Member,
  end: string,
  mark: string,
  more: Partial<WantedMember> = {},
): WantedMember {
  return person(email, end, { token: { mark }, ...more });
}

/** One run over all members, as many at once as there are. @returns the messages of those that failed */
async function runAll(
  all: readonly Member[],
  wanted: (one: Member) => Wanted,
  run: LiveRun,
): Promise<string[]> {
  const done = await Promise.all(all.map((one) => one.member.run(wanted(one), run)));
  return done.flatMap(({ failure }) => failure?.message ?? []);
}

async function withoutToken(all: readonly Member[]): Promise<number> {
  const there = await Promise.all(all.map(({ member, email }) => member.there(email)));
  return there.flat().filter(({ tokens }) => tokens.length === 0).length;
}

async function rotated(all: readonly Member[], run: LiveRun, end: string) {
  const errors = await runAll(all, (one) => marked(one, end, "2"), run);
  const isRotated = ({ member }: Member) => {
    const [token] = member.held.users[0]?.tokens ?? [];
    return token?.mark === "2" && token.value === "kept";
  };
  const done = all.filter(isRotated).length;
  return { errors, done };
}

const refuse = (status: number): FaultRule["fault"] => ({
  kind: "refuse",
  status,
  ...(status === 429 && { headers: { "retry-after": "600" } }),
});

describe("rotations on basic", () => {
  test("leave one of eight without a token if the service refuses that person alone", async () => {
    const organization = await liveOrganization("basic");
    const all = await members(organization, 8);
    const end = await organization.endOfSubscription();
    const userId = all[3]?.member.held.users[0]?.id;
    await organization.management.addFaults({
      match: { call: 7, userId },
      times: "always",
      fault: refuse(422),
    });
    const { errors, done } = await rotated(all, new LiveRun(organization), end);
    expect(done).toBe(7);
    expect(errors).toHaveLength(1);
    expect(errors[0]).toContain("The previous token has been revoked.");
    expect(await withoutToken(all)).toBe(1);
    await organization.management.clearFaults();
    expect(await rotated(all, new LiveRun(organization), end)).toEqual({ errors: [], done: 8 });
    expect(await withoutToken(all)).toBe(0);
  });

  test.each([
    ["402", refuse(402)],
    ["no answer", { kind: "cut-before" } as const],
  ])(
    "leave one person without a token if the service answers everything with %s after the third",
    async (_, fault) => {
      const organization = await liveOrganization("basic");
      const all = await members(organization, 8);
      const end = await organization.endOfSubscription();
      await organization.management.addFaults({ match: { call: 7 }, after: 3, times: "always", fault });
      const { errors, done } = await rotated(all, new LiveRun(organization), end);
      expect(done).toBe(3);
      expect(errors).toHaveLength(5);
      expect(errors.filter((text) => text.startsWith("not sent: the service refuses to give"))).toHaveLength(
        4,
      );
      expect(await withoutToken(all)).toBe(1);
      await organization.management.clearFaults();
      expect(await rotated(all, new LiveRun(organization), end)).toEqual({ errors: [], done: 8 });
    },
  );

  test("let asked removals and additions go on after the service has refused a new token", async () => {
    const organization = await liveOrganization("basic");
    const [first, second, third] = await members(organization, 3);
    if (first === undefined || second === undefined || third === undefined) throw new Error("three members");
    const end = await organization.endOfSubscription();
    const run = new LiveRun(organization);
    await organization.management.addFaults({ match: { call: 7 }, fault: refuse(402) });
    expect((await first.member.run(marked(first, end, "2"), run)).failure?.message).toContain("HTTP 402");
    const leaver: Wanted = { leaving: true };
    expect((await second.member.run(leaver, run)).failure).toBeUndefined();
    const revoked = { ...marked(third, end, "1"), token: undefined };
    expect((await third.member.run(revoked, run)).failure).toBeUndefined();
    const joiner = { member: new LiveMember(organization), email: address("joiner") };
    expect((await joiner.member.run(marked(joiner, end, "1"), run)).failure).toBeUndefined();
    expect((await joiner.member.run(marked(joiner, end, "2"), run)).failure?.message).toContain("not sent");
    expect(await withoutToken([joiner])).toBe(0);
  });
});

describe("a rate limit of new tokens", () => {
  test("lets no revocation begin while it lasts, whoever met it", async () => {
    const organization = await liveOrganization("basic");
    const all = await members(organization, 2);
    const end = await organization.endOfSubscription();
    const run = new LiveRun(organization);
    await organization.management.addFaults({ match: { call: 7 }, fault: refuse(429) });
    const joiner = { member: new LiveMember(organization), email: address("joiner") };
    expect((await joiner.member.run(marked(joiner, end, "1"), run)).failure?.message).toContain("HTTP 429");
    await organization.requests();
    expect((await rotated(all, run, end)).errors).toHaveLength(2);
    expect(await organization.calls()).not.toContain(9);
    expect(await withoutToken(all)).toBe(0);
  });
});

describe("changed addresses", () => {
  test.each(["basic", "anaconda"] as const)(
    "leave one person on %s without seat and token if seats are refused",
    async (platform) => {
      const organization = await liveOrganization(platform);
      const all = await members(organization, 5);
      const end = await organization.endOfSubscription();
      await organization.management.addFaults({ match: { call: 6 }, times: "always", fault: refuse(402) });
      const moved = all.map(({ member }) => ({ member, email: address("moved") }));
      const errors = await runAll(moved, (one) => marked(one, end, "1"), new LiveRun(organization));
      expect(errors).toHaveLength(5);
      expect(await withoutToken(all)).toBe(1);
      await organization.management.clearFaults();
      const again = await runAll(moved, (one) => marked(one, end, "1"), new LiveRun(organization));
      expect(again).toEqual([]);
      for (const { member, email } of moved)
        await member.expectAsWanted(marked({ member, email }, end, "1"), email);
      expect((await Promise.all(all.map(({ member, email }) => member.there(email)))).flat()).toEqual([]);
    },
  );
});

describe("a cancelled run", () => {
  test.each(["rotation", "address"] as const)(
    "ends a unit that takes before it gives, and begins no other one: %s",
    async (what) => {
      const organization = await liveOrganization("basic");
      const all = await members(organization, 3);
      const end = await organization.endOfSubscription();
      const run = new LiveRun(organization);
      // The revocation waits at the service until the run is cancelled.
      await organization.management.addFaults({
        match: { call: 9 },
        fault: { kind: "delay", ms: 300, phase: "after" },
      });
      const next = all.map(({ member, email }) => ({
        member,
        email: what === "rotation" ? email : address("next"),
      }));
      const ran = runAll(next, (one) => marked(one, end, "2"), run);
      while (!(await organization.calls()).includes(9)) await new Promise((resolve) => setImmediate(resolve));
      run.cancel();
      expect((await ran).length).toBeGreaterThanOrEqual(2);
      const tokens = (
        await Promise.all(
          next.map(({ member, email }, index) => member.there(email, all[index]?.email ?? "")),
        )
      ).map((there) => there.flatMap((one) => one.tokens).length);
      expect(tokens).toEqual([1, 1, 1]);
      expect(await runAll(next, (one) => marked(one, end, "2"), new LiveRun(organization))).toEqual([]);
      for (const { member, email } of next)
        await member.expectAsWanted(marked({ member, email }, end, "2"), email);
    },
  );
});

describe.each(["basic", "anaconda"] as const)("an approved plan on %s", (platform) => {
  test("sends the approved units alone, and leaves the others to the next plan", async () => {
    const organization = await liveOrganization(platform);
    const member = new LiveMember(organization);
    const email = address("approved");
    const wanted = person(email, await organization.endOfSubscription());
    const joins = ({ steps }: Unit) => steps.every(({ call }) => call !== "issue token");
    expect((await member.run(wanted, undefined, joins)).failure).toBeUndefined();
    expect(await organization.writes()).toEqual([5, 6]);
    expect((await member.run(wanted, undefined, () => false)).failure).toBeUndefined();
    expect(await organization.calls()).toEqual([]);
    expect((await member.run(wanted)).failure).toBeUndefined();
    expect(await organization.writes()).toEqual([7]);
    await member.expectAsWanted(wanted, email);
  });
});
