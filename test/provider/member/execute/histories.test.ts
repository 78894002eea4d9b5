// @module-tag ci
/** Histories of one member with random wishes and faults: the service then has what is wanted, once. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { readMember } from "../../../../provider/member/execute/reading.ts";
import type { Wanted, WantedMember } from "../../../../provider/member/wanted.ts";
import type { FaultRule } from "../../../../sandbox/service/index.ts";
import { checkCases } from "../../../setup/cases.ts";
import {
  address,
  LiveMember,
  type LiveOrganization,
  LiveRun,
  liveOrganization,
  person,
} from "./live-member.ts";

interface Wish {
  readonly who: 0 | 1;
  readonly holds: "nothing" | "user" | "seat" | "token";
  readonly mark: "1" | "2" | "3";
  readonly keepPreviousFor: "7d" | undefined;
  readonly fault: { readonly call: number; readonly rule: Omit<FaultRule, "match"> } | undefined;
}

const faults: readonly Omit<FaultRule, "match">[] = [
  { fault: { kind: "refuse", status: 403 } },
  { fault: { kind: "refuse", status: 409 } },
  { fault: { kind: "refuse", status: 422 }, times: "always" },
  { fault: { kind: "refuse", status: 429, headers: { "retry-after": "600" } }, times: "always" },
  { fault: { kind: "refuse", status: 503 }, times: "always" },
  { fault: { kind: "refuse", status: 504 } },
  { fault: { kind: "cut-after" } },
  { fault: { kind: "cut-before" } },
  { fault: { kind: "cut-middle" }, times: "always" },
];

const wish: fc.Arbitrary<Wish> = fc.record({
  who: fc.constantFrom(0, 1),
  holds: fc.constantFrom("nothing", "user", "seat", "token", "token", "token"),
  mark: fc.constantFrom("1", "2", "3"),
  keepPreviousFor: fc.constantFrom(undefined, undefined, "7d"),
  fault: fc.option(fc.record({ call: fc.integer({ min: 5, max: 11 }), rule: fc.constantFrom(...faults) }), {
    nil: undefined,
  }),
});

function wantedOf(
  { who, holds, mark, keepPreviousFor }: Wish,
  emails: readonly string[],
  end: string,
  isListed: boolean,
): Wanted {
  if (holds === "nothing") return { leaving: true };
  const token = { mark, ...(isListed && { keepPreviousFor }) };
  const all: Partial<WantedMember> = {
    seat: holds !== "user",
    token: holds === "token" ? token : undefined,
    ...{ onDeleteUser: "delete", onDeleteSeat: "delete" },
  };
  return person(emails[who] ?? "", end, all);
}

async function expectAsWanted(member: LiveMember, wanted: Wanted, emails: readonly string[]): Promise<void> {
  const there = await member.there(...emails);
  if (wanted.leaving) return expect(there).toEqual([]);
  const held = member.held.users[0]?.tokens ?? [];
  expect(there.map(({ email, seat }) => ({ email, seat }))).toEqual([
    { email: wanted.email ?? wanted.purpose, seat: wanted.seat },
  ]);
  // A token whose revocation got no answer may be there.
  const certain = held.filter(({ asked }) => asked?.what !== "revoke token");
  const live = there[0]?.tokens.length ?? 0;
  expect(live, JSON.stringify(member.held)).toBeGreaterThanOrEqual(certain.length);
  expect(live, JSON.stringify(member.held)).toBeLessThanOrEqual(held.length);
  expect(held.length > 0).toBe(wanted.token !== undefined);
  if (wanted.token === undefined) return;
  const { management } = member.organization;
  expect(await management.probe(member.kept.value ?? "no value")).toMatchObject({ live: true });
}

interface History {
  readonly wishes: readonly Wish[];
  readonly isMachineUser: boolean;
}

/** Without a list, or with one that may still show the user, someone decides about a machine user without an answer. */
function isUndecidable({ fault }: Wish): boolean {
  return fault?.call === 5 && fault.rule.fault.kind === "refuse" && (fault.rule.fault.status ?? 0) >= 500;
}

async function expectHistory(
  organization: LiveOrganization,
  { wishes: all, isMachineUser }: History,
  isRefreshed: boolean,
): Promise<void> {
  const { management, platform } = organization;
  const end = await organization.endOfSubscription();
  const isMachine = isMachineUser && platform === "anaconda";
  const wishes = isMachine ? all.filter((one) => !isUndecidable(one)) : all;
  const emails = [address("history"), address("history")];
  let member = new LiveMember(organization);
  let wanted: Wanted = { leaving: true };
  for (const one of wishes) {
    wanted = wantedOf(one, emails, end, platform === "anaconda");
    if (isMachine && !wanted.leaving) wanted = { ...wanted, email: undefined, purpose: wanted.email };
    // A removed row does not come back as the same member.
    if (member.held.agreed.leaving === true && !wanted.leaving) {
      await member.converge({ leaving: true });
      member = new LiveMember(organization);
    }
    if (one.fault) await management.addFaults({ ...one.fault.rule, match: { call: one.fault.call } });
    await member.run(wanted);
    await management.clearFaults();
    // What only a decision settles is settled before the next wish.
    const isOpen =
      member.held.pending !== undefined || member.held.users.some(({ asked }) => asked?.what === "user");
    if (isOpen) wanted = await member.converge(wanted);
  }
  // A refused rotation can have ended the old token where a user has one: a refresh shows it.
  if (isRefreshed) {
    const context = new LiveRun(organization).callContext();
    member.held = (await readMember({ held: member.held, access: member.access, context })) ?? member.held;
  }
  wanted = await member.converge(wanted);
  await expectAsWanted(member, wanted, emails);
}

test.each([
  ["basic", "one"],
  ["anaconda", "several"],
  ["anaconda", "one"],
] as const)(
  "any history of a member on %s, with %s live for each user, ends with what is wanted, once",
  async (platform, liveTokens) => {
    const organization = await liveOrganization(platform);
    await organization.management.setSwitches({ liveTokens });
    const name = `member histories on ${platform}, ${liveTokens} live`;
    const suite = { name, level: "R", cases: 400, siblings: 3 } as const;
    await checkCases(
      suite,
      fc.record({ wishes: fc.array(wish, { minLength: 1, maxLength: 6 }), isMachineUser: fc.boolean() }),
      (history) => expectHistory(organization, history, liveTokens === "one" && platform === "anaconda"),
    );
  },
);
