/** What lists do not say, and what a wrong clock decides: unknown, and nothing is done by it. */
import { describe, expect, test } from "vitest";
import type { Wanted, WantedMember } from "../../../../provider/member/wanted.ts";
import { codeOf } from "../../../../provider/util/error-codes.ts";
import {
  address,
  joined,
  LiveMember,
  type LiveOrganization,
  LiveRun,
  liveOrganization,
  person,
  read,
} from "./live-member.ts";

const DAY = 86_400_000;

const withoutId = { call: 17, item: { id: 7, email: "x@acme.example", role: "member" } };

describe("a list with an item that cannot be read", () => {
  test("leaves a member as it is whose user the list may hide", async () => {
    const organization = await liveOrganization("anaconda");
    const { member, id } = await joined(organization);
    await organization.management.removeUser(id);
    await organization.management.setOddItems(withoutId);
    expect(await read(member)).toBe(member.held);
    await organization.management.setOddItems();
    expect(await read(member)).toBeUndefined();
  });

  test("leaves the seat and takes the role for more than a member's if the item lacks them", async () => {
    const organization = await liveOrganization("anaconda");
    const { member, id } = await joined(organization);
    await organization.management.setOddItems({ call: 17, id, item: { subscriptions: null, role: null } });
    const held = await read(member);
    expect(held?.users).toMatchObject([{ id, seat: "held", role: "unknown", tokens: [{ value: "kept" }] }]);
    member.held = held ?? member.held;
    const { failure } = await member.run({ leaving: true });
    expect(codeOf(failure)).toBe("administrator-removal");
    expect(await organization.writes()).toEqual([]);
  });

  test("settles no creation without an answer", async () => {
    const organization = await liveOrganization("anaconda");
    const { member, id } = await joined(organization);
    const { since = "", address: mark = "" } = member.held.users[0] ?? {};
    await organization.management.removeUser(id);
    const { ref, agreed } = member.held;
    member.held = { ref, agreed, users: [], pending: { since, address: mark } };
    await organization.management.setOddItems(withoutId);
    expect((await read(member))?.pending).toEqual({ since, address: mark });
    await organization.management.setOddItems();
    expect((await read(member))?.pending).toBeUndefined();
  });

  test("stops an adoption of whom it may hide, before a write", async () => {
    const organization = await liveOrganization("anaconda");
    const { wanted, id } = await joined(organization);
    await organization.management.removeUser(id);
    await organization.management.setOddItems(withoutId);
    const { failure } = await new LiveMember(organization).run({ ...wanted, userId: id });
    expect(failure?.message).toContain(`cannot tell whether ${wanted.email as string} exists`);
    expect(codeOf(failure)).toBe("unreadable-item");
    expect(await organization.writes()).toEqual([]);
  });
});

describe("an expires_at in a list of tokens", () => {
  test.each([
    ["without a zone is not said", "2029-12-31T10:00:00", undefined],
    ["as a date is the end of that day", "2029-12-31", "2029-12-31T23:59:59Z"],
    ["with an offset is an instant", "2029-12-31T10:00:00+02:00", "2029-12-31T08:00:00Z"],
  ])("%s, and the value stays", async (_, expires_at, reported) => {
    const organization = await liveOrganization("anaconda");
    const { member, wanted } = await joined(organization);
    const [token] = member.held.users[0]?.tokens ?? [];
    await organization.management.setOddItems({ call: 18, id: token?.id ?? "", item: { expires_at } });
    member.held = (await read(member)) ?? member.held;
    expect(member.held.users[0]?.tokens).toEqual([{ ...token, reportedEnd: reported ?? token?.reportedEnd }]);
    expect(await organization.writes()).toEqual([]);
    const { failure } = await member.run({ ...wanted, token: { mark: "2" } });
    expect(failure).toBeUndefined();
    expect(member.held.users[0]?.tokens).toHaveLength(1);
  });
});

/** An organization of a service that says its time. */
async function dated(platform: "basic" | "anaconda"): Promise<LiveOrganization> {
  const organization = await liveOrganization(platform);
  await organization.management.setSwitches({ dateHeader: "clock" });
  return organization;
}

const platforms = ["basic", "anaconda"] as const;
const changes: readonly (readonly [string, (wanted: WantedMember) => Wanted, string])[] = [
  ["a schedule", (one) => ({ ...one, token: { rotateEvery: "30d" } }), "rotate the token of"],
  [
    "the end of the access",
    (one) => ({ ...one, accessUntil: new Date(Date.now() + 50 * DAY).toISOString() }),
    "end the access of",
  ],
];

describe.each(platforms)("a wrong clock on %s", (platform) => {
  test.each(changes)("sends nothing by %s", async (_, change, what) => {
    const organization = await dated(platform);
    const { member, wanted } = await joined(organization);
    const run = new LiveRun(organization);
    run.aheadMs = 100 * DAY;
    const { failure } = await member.run(change(wanted), run);
    expect(failure?.message).toMatch(
      new RegExp(`^cannot ${what} ${wanted.email as string}: this machine's clock is 100 days ahead`),
    );
    expect(codeOf(failure)).toBe("clock-skew");
    expect(await organization.writes()).toEqual([]);
    await member.expectAsWanted(wanted, wanted.email as string);
  });

  test("issues no token for a period, and does what time does not decide", async () => {
    const organization = await dated(platform);
    const { member, wanted } = await joined(organization, { token: undefined });
    const run = new LiveRun(organization);
    run.aheadMs = 100 * DAY;
    const { failure } = await member.run({ ...wanted, token: { expiresAt: "90d" } }, run);
    expect(failure?.message).toContain("that is valid for 90d: this machine's clock is 100 days ahead");
    expect(await organization.writes()).toEqual([]);
    const right = new LiveRun(organization);
    right.aheadMs = 100 * DAY;
    expect((await member.run({ ...wanted, token: {} }, right)).failure).toBeUndefined();
    expect(await organization.writes()).toEqual([7]);
  });

  test("adds nobody whose access has ended by the clock of the service alone", async () => {
    const organization = await dated(platform);
    const end = await organization.endOfSubscription();
    const accessUntil = new Date(Date.now() - 50 * DAY).toISOString();
    const run = new LiveRun(organization);
    run.aheadMs = -100 * DAY;
    const member = new LiveMember(organization);
    const { failure, held } = await member.run(person(address("ended"), end, { accessUntil }), run);
    expect(codeOf(failure)).toBe("clock-skew");
    expect(held.users).toEqual([]);
    expect(await organization.writes()).toEqual([]);
  });
});
