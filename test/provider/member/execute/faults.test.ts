// @module-tag ci
/** Every request of a member's changes, refused, limited, and cut: the next runs complete, and nothing is there twice. */
import { describe, expect, test } from "vitest";
import type { Wanted, WantedMember } from "../../../../provider/member/wanted.ts";
import { formatInstant } from "../../../../provider/util/instants.ts";
import type { FaultRule } from "../../../../sandbox/service/index.ts";
import { shareOf } from "../../../setup/cases.ts";
import { address, LiveMember, type LiveOrganization, liveOrganization, person } from "./live-member.ts";

const DAY = 86_400_000;

interface Change {
  readonly from?: Wanted;
  readonly to: Wanted;
  /** Before the change. */
  readonly prepare?: () => Promise<void>;
  readonly emails: readonly string[];
}

type Scenario = (organization: LiveOrganization, end: string) => Change;

const changes: Readonly<Record<string, Scenario>> = {
  join: (_, end) => {
    const email = address("join");
    return { to: person(email, end), emails: [email] };
  },
  seat: (_, end) => {
    const email = address("seat");
    const none = { seat: false, token: undefined };
    return { from: person(email, end, none), to: person(email, end, { token: undefined }), emails: [email] };
  },
  token: (_, end) => {
    const email = address("token");
    return { from: person(email, end, { token: undefined }), to: person(email, end), emails: [email] };
  },
  renewal: ({ management, organizationId }, end) => {
    const email = address("renewal");
    const expiresAt = formatInstant(Date.parse(end) + DAY);
    const prepare = () => management.changeSubscription(organizationId, { expiresAt });
    return { from: person(email, end), to: person(email, expiresAt), prepare, emails: [email] };
  },
  rotation: (_, end) => {
    const email = address("rotation");
    const marked = (mark: string): WantedMember => person(email, end, { token: { mark } });
    return { from: marked("1"), to: marked("2"), emails: [email] };
  },
  "lost token": (_, end) => {
    const email = address("no-token");
    return { from: person(email, end), to: person(email, end, { token: undefined }), emails: [email] };
  },
  "lost seat": (_, end) => {
    const email = address("no-seat");
    const none = { seat: false, token: undefined };
    return { from: person(email, end), to: person(email, end, none), emails: [email] };
  },
  address: (_, end) => {
    const [old, email] = [address("old"), address("new")];
    return { from: person(old, end), to: person(email, end), emails: [old, email] };
  },
  leaving: (_, end) => {
    const email = address("leaving");
    return { from: person(email, end), to: { leaving: true }, emails: [email] };
  },
};

const refused = (status: number): FaultRule["fault"] => ({ kind: "refuse", status });
const faults: readonly Omit<FaultRule, "match">[] = [
  { fault: refused(403), times: "always" },
  { fault: refused(422), times: "always" },
  { fault: { kind: "refuse", status: 429, headers: { "retry-after": "600" } }, times: "always" },
  { fault: refused(503), times: "always" },
  // Whoever redirects a creation may have executed it.
  { fault: refused(303), times: "always" },
  { fault: { kind: "cut-after" } },
  { fault: { kind: "cut-before" } },
  { fault: { kind: "cut-after" }, times: "always" },
  { fault: { kind: "cut-before" }, times: "always" },
];

/** Brings a member to where the change is due. */
async function begun(organization: LiveOrganization, scenario: Scenario) {
  const change = scenario(organization, await organization.endOfSubscription());
  const member = new LiveMember(organization);
  if (change.from !== undefined) expect((await member.run(change.from)).failure).toBeUndefined();
  await change.prepare?.();
  await organization.requests();
  return { ...change, member };
}

describe.each(["basic", "anaconda"] as const)("a change of a member on %s", (platform) => {
  test.each(Object.entries(changes))("completes after any fault of any request: %s", async (_, scenario) => {
    const organization = await liveOrganization(platform);
    const clean = await begun(organization, scenario);
    expect((await clean.member.run(clean.to)).failure).toBeUndefined();
    const writes = await organization.writes();
    await clean.member.expectAsWanted(clean.to, ...clean.emails);
    expect(clean.member.plan(clean.to).units).toEqual([]);
    for (const call of new Set(writes)) {
      for (const fault of shareOf(faults)) {
        const { member, to, emails } = await begun(organization, scenario);
        await organization.management.addFaults({ ...fault, match: { call } });
        await member.run(to);
        const [state] = await organization.management.faults();
        expect(state?.hits, `${call} ${JSON.stringify(fault)}`).toBeGreaterThan(0);
        await organization.management.clearFaults();
        try {
          const wanted = await member.converge(to);
          await member.expectAsWanted(wanted, ...emails);
        } catch (error) {
          throw new Error(`call ${call}, fault ${JSON.stringify(fault)}`, { cause: error });
        }
      }
    }
  });

  test("sends the calls of each change in their order", async () => {
    const organization = await liveOrganization(platform);
    const sent: Record<string, readonly number[]> = {};
    for (const [name, scenario] of Object.entries(changes)) {
      const { member, to } = await begun(organization, scenario);
      expect((await member.run(to)).failure).toBeUndefined();
      sent[name] = await organization.writes();
    }
    const rotation = platform === "basic" ? [9, 7] : [7, 9];
    expect(sent).toEqual({
      ...{ join: [5, 6, 7], seat: [6], token: [7], renewal: [8], rotation },
      ...{ "lost token": [9], "lost seat": [9, 10], address: [5, 9, 10, 6, 7, 11], leaving: [9, 10, 11] },
    });
  });
});
