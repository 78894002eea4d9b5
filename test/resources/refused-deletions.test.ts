/** A service that answers 404 to deletions of what it has: nothing leaves the state that is still in the service (D15). */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { FaultRule } from "../../sandbox/service/index.ts";
import { checkCases } from "../setup/cases.ts";
import { pausesOnly } from "../setup/direct-providers.ts";
import { idOf, member, organizationOn } from "./listed.ts";

const keys = ["ada", "ben", "cy"];
const program = keys.flatMap((key) => member(key, { email: `${key}@acme.example` }));

const [LIST_USERS, LIST_TOKENS] = [17, 18];

const refusal = fc.record({
  status: fc.constantFrom(404, 410, 400),
  body: fc.constantFrom(
    "",
    { error: { message: "Not Found" } },
    { error: { code: "NOT_FOUND", message: "" } },
    { error: { code: "ORGANIZATION_NOT_FOUND", message: "no such organization" } },
    { error: { code: "NO_ACCESS", message: "the user has no access to the organization" } },
    { detail: "Not Found" },
    "404 page not found",
  ),
});

const situation = fc.record({
  platform: fc.constantFrom("basic" as const, "anaconda" as const),
  removedByHand: fc.subarray(keys),
  /** The calls that are refused: of one person, or of all. */
  refused: fc.option(
    fc.record({
      refusal,
      calls: fc.subarray([9, 10, 11, LIST_USERS, LIST_TOKENS], { minLength: 1 }),
      key: fc.option(fc.constantFrom(...keys)),
    }),
  ),
});

test("whatever leaves the state is not in the service", async () => {
  await checkCases(
    { name: "refused deletions", level: "R", cases: 300 },
    situation,
    async ({ platform, removedByHand, refused }) => {
      const organization = await organizationOn(platform);
      const { management } = organization.service;
      const stack = organization.stack({
        ORGSEAT_MAX_REMOVALS: "10",
        ORGSEAT_OPERATION_TIMEOUT: "3s",
      });
      stack.time = pausesOnly;
      expect((await stack.up(program)).errors).toEqual([]);
      const before = new Map(stack.state);
      for (const key of removedByHand) await management.removeUser(idOf(stack, `${key}-user`));
      const rules = refused?.calls.map((call): FaultRule => {
        const userId = refused.key === null ? undefined : idOf(stack, `${refused.key}-user`);
        const ofUser = call === LIST_USERS || userId === undefined ? {} : { userId };
        return {
          match: { call, ...ofUser },
          times: "always",
          fault: { kind: "refuse", ...refused.refusal },
        };
      });
      if (rules) await management.addFaults(...rules);

      const { errors } = await stack.up([]);

      const { users, tokens } = await management.snapshot();
      const left = [...before].filter(([name]) => !stack.state.has(name));
      const stillThere = left.filter(([, { declared, id }]) => {
        const user = users.find(({ userId }) => userId === id);
        if (declared.type === "OrgUser") return user !== undefined;
        if (declared.type === "SeatAssignment") return user?.seat === true;
        return tokens.some(({ userId, revoked }) => userId === id && !revoked);
      });
      expect(stillThere.map(([name]) => name)).toEqual([]);
      const isAnyKnown = removedByHand.length <= 1 || removedByHand.length < keys.length;
      if (!refused && (platform === "anaconda" || isAnyKnown)) {
        expect(errors).toEqual([]);
        expect(left).toHaveLength(before.size);
      }
      await organization.service.close();
    },
  );
});
