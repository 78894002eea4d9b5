/** A service in which a user has one live token: issuing one revokes the others, whoever issued them. */
import { describe, expect, test } from "vitest";
import { formatInstant } from "../../../../provider/util/instants.ts";
import {
  joined,
  type LiveMember,
  type LiveOrganization,
  LiveRun,
  liveOrganization,
  read,
} from "./live-member.ts";

const DAY = 86_400_000;

async function oneToken(): Promise<LiveOrganization> {
  const organization = await liveOrganization("anaconda");
  await organization.management.setSwitches({ liveTokens: "one" });
  return organization;
}

/** A token that the person issues. */
async function issueOwn(organization: LiveOrganization, id: string, expiresAt?: string): Promise<void> {
  const { service, time } = new LiveRun(organization).context();
  const end = expiresAt ?? (await organization.endOfSubscription());
  await service.api({ organizationId: organization.organizationId }).issueToken(id, end, time.operation);
  await organization.requests();
}

async function liveIds({ snapshot }: LiveOrganization): Promise<string[]> {
  return (await snapshot()).tokens.flatMap(({ tokenId, revoked }) => (revoked ? [] : [tokenId]));
}

const heldIds = ({ held }: LiveMember) => held.users[0]?.tokens.map(({ id }) => id);

describe("a service that ends a user's token when it issues one", () => {
  test("rotates with one request, and says nothing", async () => {
    const organization = await oneToken();
    const { member, wanted, email } = await joined(organization);
    const run = new LiveRun(organization);
    const rotated = { ...wanted, token: { mark: "2" } };
    expect((await member.run(rotated, run)).failure).toBeUndefined();
    expect(await organization.writes()).toEqual([7]);
    expect(run.said).toEqual([]);
    expect(heldIds(member)).toEqual(await liveIds(organization));
    await member.expectAsWanted(rotated, email);
    expect(member.plan(rotated).units).toEqual([]);
  });

  test("keeps no earlier token for keepPreviousFor, and says so", async () => {
    const organization = await oneToken();
    const { member, wanted, email } = await joined(organization);
    const [old] = await liveIds(organization);
    const end = await organization.endOfSubscription();
    const run = new LiveRun(organization);
    const rotated = { ...wanted, token: { mark: "2", keepPreviousFor: "7d" } };
    expect((await member.run(rotated, run)).failure).toBeUndefined();
    expect(run.said).toEqual([
      `the service ended a token of ${email} when it issued the new one, so keepPreviousFor (in a roster, \`keep_previous\`) has no effect: ${old} (expires ${end}). Whoever uses it needs the new value.`,
    ]);
    expect(heldIds(member)).toEqual(await liveIds(organization));
    await member.expectAsWanted(rotated, email);
    expect(member.plan(rotated).units).toEqual([]);
    expect(await read(member)).toMatchObject({ users: [{ tokens: [{ value: "kept" }] }] });
  });

  test("ends the tokens that an earlier rotation has kept, and says so", async () => {
    const organization = await liveOrganization("anaconda");
    const { member, wanted } = await joined(organization);
    await member.run({ ...wanted, token: { mark: "2", keepPreviousFor: "7d" } });
    expect(await liveIds(organization)).toHaveLength(2);
    await organization.management.setSwitches({ liveTokens: "one" });
    const run = new LiveRun(organization);
    expect((await member.run({ ...wanted, token: { mark: "3" } }, run)).failure).toBeUndefined();
    expect(run.said.join()).toContain("the service ended a token of");
    expect(heldIds(member)).toEqual(await liveIds(organization));
  });

  test.each(["404", "409", "422"] as const)(
    "lets a person leave whose token it has ended, with HTTP %s",
    async (repeatRemoval) => {
      const organization = await oneToken();
      const { member, id, email } = await joined(organization);
      await organization.management.setSwitches({ repeatRemoval });
      await issueOwn(organization, id);
      expect((await member.run({ leaving: true })).failure).toBeUndefined();
      expect(await organization.writes()).toEqual([9, 9, 10, 11]);
      await member.expectAsWanted({ leaving: true }, email);
    },
  );

  test("completes a killed rotation, and names the token that ends with it", async () => {
    const organization = await oneToken();
    const { member, wanted, email } = await joined(organization);
    const rotated = { ...wanted, token: { mark: "2", keepPreviousFor: "7d" } };
    const { held, kept } = member;
    await member.run(rotated);
    const [killed] = await liveIds(organization);
    const end = await organization.endOfSubscription();
    Object.assign(member, { held, kept });
    await organization.requests();
    const run = new LiveRun(organization);
    expect((await member.run(rotated, run)).failure).toBeUndefined();
    expect(await organization.writes()).toEqual([7]);
    expect(run.said).toEqual([
      `the service ended a token of ${email} when it issued the new one, so keepPreviousFor (in a roster, \`keep_previous\`) has no effect: ${killed} (expires ${end}). Whoever uses it needs the new value.`,
    ]);
    expect(heldIds(member)).toEqual(await liveIds(organization));
    await member.expectAsWanted(rotated, email);
  });

  describe("a person's own token, which has ended the one of the state", () => {
    async function refreshed() {
      const organization = await oneToken();
      const found = await joined(organization);
      await issueOwn(organization, found.id);
      const [own] = await liveIds(organization);
      found.member.held = (await read(found.member)) ?? found.member.held;
      await organization.requests();
      return { organization, ...found, own };
    }

    test("goes into the state by an adoption", async () => {
      const { organization, member, wanted, own } = await refreshed();
      expect((await member.run({ ...wanted, token: { adopt: true } })).failure).toBeUndefined();
      expect(await organization.writes()).toEqual([]);
      expect(heldIds(member)).toEqual([own]);
      expect(member.held.users[0]).not.toHaveProperty("unmanaged");
    });

    test("ends with a rotation, which names it", async () => {
      const { organization, member, wanted, email, own } = await refreshed();
      const run = new LiveRun(organization);
      const rotated = { ...wanted, token: { mark: "2" } };
      expect((await member.run(rotated, run)).failure).toBeUndefined();
      expect(await organization.writes()).toEqual([7]);
      expect(run.said.join()).toContain(
        `the service ended a token of ${email} when it issued the new one: ${own} (`,
      );
      await member.expectAsWanted(rotated, email);
      expect(member.plan(rotated)).toMatchObject({ units: [], notes: [] });
    });
  });
});

describe.each(["one", "several"] as const)(
  "a person's own token, issued between request and answer (%s live)",
  (liveTokens) => {
    test("stays apart from the one of the state if it has another end", async () => {
      const organization = await liveOrganization("anaconda");
      await organization.management.setSwitches({ liveTokens });
      const { member, wanted, id } = await joined(organization);
      const before = (await organization.snapshot()).tokens.length;
      const fault = { kind: "delay", ms: 1_500, phase: "after" } as const;
      await organization.management.addFaults({ match: { call: 7 }, fault });
      const run = new LiveRun(organization);
      const running = member.run({ ...wanted, token: { mark: "2" } }, run);
      await expect.poll(async () => (await organization.snapshot()).tokens.length).toBe(before + 1);
      const issued = (await organization.snapshot()).tokens.at(-1)?.tokenId;
      await issueOwn(organization, id, formatInstant(Date.now() + 30 * DAY));
      expect((await running).failure).toBeUndefined();
      expect(heldIds(member)).toEqual([issued]);
      const ended = run.said.filter((text) =>
        text.includes("someone issued or revoked one at the same time"),
      );
      expect(ended).toHaveLength(liveTokens === "one" ? 1 : 0);
      member.held = (await read(member)) ?? member.held;
      expect(heldIds(member)).toEqual(liveTokens === "one" ? [] : [issued]);
    });

    test("survives the repair of a lost response", async () => {
      const organization = await liveOrganization("anaconda");
      await organization.management.setSwitches({ liveTokens });
      const { member, wanted, id } = await joined(organization);
      const before = (await organization.snapshot()).tokens.length;
      await organization.management.addFaults(
        { match: { call: 7 }, fault: { kind: "cut-after" } },
        { match: { call: 18 }, after: 1, fault: { kind: "delay", ms: 1_500 } },
      );
      const running = member.run({ ...wanted, token: { mark: "2" } });
      await expect.poll(async () => (await organization.snapshot()).tokens.length).toBe(before + 1);
      await issueOwn(organization, id);
      const own = (await organization.snapshot()).tokens.at(-1)?.tokenId;
      const { failure } = await running;
      expect(failure?.message).toContain("cannot tell which token of");
      expect(failure?.message).toContain("orgseat revoked none of them");
      expect(await liveIds(organization)).toContain(own);
      member.held = (await read(member)) ?? member.held;
      expect(heldIds(member)).not.toContain(own);
    });
  },
);
