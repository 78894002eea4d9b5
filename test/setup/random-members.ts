/** Random members as programs may have them, parts left out, chained or wired by hand, and what becomes of them. */
import fc from "fast-check";
import type { DirectResource } from "./direct.ts";

export const memberArbitrary = fc.record({
  managed: fc.boolean(),
  seat: fc.boolean(),
  token: fc.boolean(),
  /** The token hangs on the seat; else seat and token both hang on the user, by hand. */
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
export type RandomMember = typeof memberArbitrary extends fc.Arbitrary<infer T> ? T : never;

/** @param second whether the program is the second one */
export function declareMember(member: RandomMember, index: number, second: boolean): DirectResource[] {
  if (second && member.later === "leaves") return [];
  // By hand from the user's id, a replaced user needs its seat and token replaced side by side: test/lifecycle shows it.
  const sideBySide = member.seat && member.token && !member.chained;
  const renamed = second && member.later === "changes email" && !sideBySide ? "new-" : "";
  const args = member.managed
    ? { purpose: `${renamed}builds ${index}` }
    : { email: `${renamed}m${index}@acme.example` };
  const resources: DirectResource[] = [{ type: "OrgUser", name: `user-${index}`, args }];
  const seat = member.seat && !(second && member.later === "loses seat and token");
  const token = member.token && !(second && member.later.startsWith("loses"));
  if (seat) {
    resources.push({ type: "SeatAssignment", name: `seat-${index}`, args: { userId: `$user-${index}.id` } });
  }
  if (token) {
    const userId = seat && member.chained ? `$seat-${index}.userId` : `$user-${index}.id`;
    const rotation = second && member.later === "rotates" ? { rotation: 1 } : {};
    resources.push({ type: "UserToken", name: `token-${index}`, args: { userId, ...rotation } });
  }
  return resources;
}
