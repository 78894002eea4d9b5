import { expect, test } from "vitest";
import { checkCases } from "../setup/cases.ts";
import { declareMembers, isWiredByHand, membersArbitrary } from "../setup/members.ts";
import { sandbox } from "../setup/sandbox.ts";
import { onEachEngine, testStack } from "../setup/stack.ts";

onEachEngine("order", (engine) => {
  test("random organizations are changed and removed in order, and nothing is left", async () => {
    const organization = await sandbox({ seats: 30 });
    const { management } = organization.service;
    const stack = await testStack(engine, organization);
    // Some organizations have more people than may be removed by default.
    stack.environment.ORGSEAT_MAX_REMOVALS = "30";
    let index = 0;

    await checkCases(
      { name: `order on the ${engine.name}`, level: "E", cases: 60 },
      membersArbitrary,
      async (members) => {
        stack.declare(declareMembers(members, "first"));
        expect(await stack.up()).toMatchObject({ code: 0 });
        // A changed program costs a run of the engine more: every fifth case has one.
        if (index++ % 5 === 0) {
          stack.declare(declareMembers(members, "second"));
          expect(await stack.up()).toMatchObject({ code: 0 });
        }
        await organization.requests();
        expect(await stack.destroy()).toMatchObject({ code: 0 });

        const { users, tokens, organizations } = await management.snapshot();
        const seats = organizations[0]?.seatsHeld;
        expect({ users, tokens, seats }).toEqual({ users: [], tokens: [], seats: 0 });
        const removals = (await organization.requests()).filter(({ method }) => method === "DELETE");
        const refused = removals.filter(({ status }) => status !== 204);
        expect(refused.filter(({ status, call }) => status !== 409 || call === 9)).toEqual([]);
        if (!isWiredByHand(members)) expect(refused).toEqual([]);
        for (const userId of new Set(removals.map((request) => request.userId))) {
          const done = removals.filter((request) => request.userId === userId && request.status === 204);
          const calls = done.map(({ call }) => Number(call));
          expect(calls, "9 before 10 before 11").toEqual(calls.toSorted((a, b) => a - b));
        }
      },
    );
  });
});
