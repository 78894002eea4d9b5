/** A token that a person issues while a run issues one, where a user has one live token, or several. */
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
