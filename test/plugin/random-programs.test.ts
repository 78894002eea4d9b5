// @module-tag full
/** The same random program as dynamic resources and as resources of the plugin: the service cannot tell them apart. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { platformNames } from "../../provider/api/calls/platform.ts";
import { checkCases } from "../setup/cases.ts";
import { usePlugin } from "../setup/plugin-stack.ts";
import { declareMember, memberArbitrary } from "../setup/random-members.ts";
import { type Sandbox, sandbox, temporaryFolder } from "../setup/sandbox.ts";
import { type Declared, type TestStack, testStack } from "../setup/stack.ts";

const memberOfProgram = fc.record({
  // What hangs together by hand is removed side by side: how often the service refuses that is chance.
  member: memberArbitrary.map((member) => ({ ...member, chained: true })),
  /** Whether one OrgMember declares it. */
  isWhole: fc.boolean(),
});
type Member = typeof memberOfProgram extends fc.Arbitrary<infer T> ? T : never;

const membersArbitrary = fc.array(memberOfProgram, { minLength: 1, maxLength: 6 });

const account: Declared = { type: "ServiceAccount", name: "bot", args: { name: "bot" } };

function programOf(members: readonly Member[], second: boolean): Declared[] {
  const declared = members.flatMap(({ member, isWhole }, index): Declared[] => {
    const resources = declareMember(member, index, second);
    const [user, ...parts] = resources;
    if (!isWhole || user === undefined) return resources;
    const seat = parts.some(({ type }) => type === "SeatAssignment");
    const { userId, ...token } = parts.find(({ type }) => type === "UserToken")?.args ?? {};
    const args = { ...user.args, seat, ...(seat && userId !== undefined && { token }) };
    return [{ type: "OrgMember", name: `member-${index}`, args }];
  });
  return [account, ...declared];
}

/** A stack with its own service. */
interface Side {
  readonly organization: Sandbox;
  readonly stack: TestStack;
}

/** The service without what it chooses itself: users by their texts, in no order, with their tokens. */
async function stateOf({ organization }: Side): Promise<unknown> {
  const { users, tokens, serviceAccounts, organizations } = await organization.service.management.snapshot();
  const members = users.map(({ userId, organizationId: _, ...user }) => {
    const own = tokens.filter((token) => token.userId === userId);
    return JSON.stringify([user, own.map(({ expiresAt, revoked }) => [expiresAt, revoked])]);
  });
  return {
    members: members.toSorted(),
    accounts: serviceAccounts.map(({ name }) => name).toSorted(),
    seats: organizations.map(({ seatsHeld }) => seatsHeld),
  };
}

/** The calls since the last time: those on one person in order, the others are made side by side. */
async function callsOf({ organization }: Side): Promise<string[]> {
  const requests = await organization.requests();
  const people = Map.groupBy(requests, ({ userId, number }) => userId ?? number).values();
  return [...people].map((all) => JSON.stringify(all.map(({ call, status }) => [call, status]))).toSorted();
}

async function sideOf(platform: (typeof platformNames)[number]): Promise<Side> {
  const organization = await sandbox({ seats: 10 }, temporaryFolder(), platform);
  return { organization, stack: await testStack(organization) };
}

describe("random programs", () => {
  test.each(platformNames)(
    "make the same state by the same calls through the plugin, in the platform %s",
    async (platform) => {
      const dynamic = await sideOf(platform);
      const plugin = await sideOf(platform);
      usePlugin(plugin.stack);
      // Every program ends with the removal of all its people.
      for (const { stack } of [dynamic, plugin]) stack.environment.ORGSEAT_MAX_REMOVALS = "10";
      const sides = [dynamic, plugin];
      const play = async (run: (stack: TestStack) => ReturnType<TestStack["up"]>): Promise<void> => {
        for (const { stack } of sides) {
          const outcome = await run(stack);
          expect(outcome, outcome.output).toMatchObject({ code: 0 });
        }
        expect(await stateOf(plugin)).toEqual(await stateOf(dynamic));
        expect(await callsOf(plugin)).toEqual(await callsOf(dynamic));
      };
      const name = `plugin: random programs, ${platform}`;
      await checkCases(
        { name, level: "E", cases: 60 / platformNames.length, siblings: platformNames.length },
        membersArbitrary,
        async (members) => {
          for (const second of [false, true]) {
            for (const { stack } of sides) stack.declare(programOf(members, second));
            await play((stack) => stack.up());
            await play((stack) => stack.preview("--expect-no-changes"));
          }
          // The other door has none of the types of dynamic resources.
          expect(plugin.stack.resources()).toEqual([]);
          expect(dynamic.stack.resources()).not.toEqual([]);
          await play((stack) => stack.refresh());
          await play((stack) => stack.destroy());
        },
      );
    },
  );
});
