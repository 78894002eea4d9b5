import fc from "fast-check";
import { expect, test } from "vitest";
import { checkCases } from "../setup/cases.ts";
import { configurationOf, type DirectResource, DirectStack } from "../setup/direct.ts";
import { makeServiceAccount, sandbox } from "../setup/sandbox.ts";

/** A member as a program may have it: parts left out, chained by id or wired from the user's id by hand. */
const memberArbitrary = fc.record({
  managed: fc.boolean(),
  seat: fc.boolean(),
  token: fc.boolean(),
  chained: fc.boolean(),
  /** What becomes of the member in the second program. */
  later: fc.constantFrom(
    "stays",
    "leaves",
    "changes email",
    "rotates",
    "loses token",
    "loses seat and token",
  ),
});
type Member = typeof memberArbitrary extends fc.Arbitrary<infer T> ? T : never;

function declare(member: Member, index: number, second: boolean): DirectResource[] {
  if (second && member.later === "leaves") return [];
  // By hand from the user's id, a replaced user needs its seat and token replaced side by side: test/lifecycle shows it.
  const sideBySide = member.seat && member.token && !member.chained;
  const renamed = second && member.later === "changes email" && !sideBySide ? "new-" : "";
  const args = member.managed
    ? { firstName: `${renamed}builds ${index}` }
    : { email: `${renamed}m${index}@acme.example` };
  const resources: DirectResource[] = [{ type: "OrgUser", name: `user-${index}`, args }];
  const seat = member.seat && !(second && member.later === "loses seat and token");
  const token = member.token && !(second && member.later.startsWith("loses"));
  if (seat)
    resources.push({ type: "SeatAssignment", name: `seat-${index}`, args: { userId: `$user-${index}.id` } });
  if (token) {
    const userId = seat && member.chained ? `$seat-${index}.id` : `$user-${index}.id`;
    const rotation = second && member.later === "rotates" ? { rotation: 1 } : {};
    resources.push({ type: "UserToken", name: `token-${index}`, args: { userId, ...rotation } });
  }
  return resources;
}

test("order: random organizations are changed and removed without a call out of order, and nothing is left", async () => {
  const organization = await sandbox({ seats: 30 });
  const { management } = organization.service;
  const configuration = configurationOf(organization, await makeServiceAccount(organization));

  await checkCases(
    { name: "order", level: "R", cases: 500 },
    fc.array(memberArbitrary, { minLength: 3, maxLength: 30 }),
    async (members) => {
      const stack = new DirectStack({ ...configuration });
      const program = (second: boolean) => members.flatMap((member, index) => declare(member, index, second));
      await organization.requests();
      expect((await stack.up(program(false))).errors).toEqual([]);
      expect(await stack.preview(program(false))).toEqual([]);
      expect((await stack.up(program(true))).errors).toEqual([]);
      expect(await stack.preview(program(true))).toEqual([]);
      expect((await stack.destroy()).errors).toEqual([]);

      const { users, tokens, organizations } = await management.snapshot();
      expect({ users, tokens, seats: organizations[0]?.seatsHeld }).toEqual({
        users: [],
        tokens: [],
        seats: 0,
      });
      // Wired by hand, a delete may come too early: the service refuses it, it waits, and nothing else is refused.
      const refused = (await organization.requests()).filter(
        ({ status }) => status !== null && status >= 400,
      );
      const wiredByHand = members.some(({ chained, seat, token }) => !chained && seat && token);
      expect(refused.filter(({ call, status }) => status !== 409 || call === 9)).toEqual([]);
      if (!wiredByHand) expect(refused).toEqual([]);
    },
  );
});
