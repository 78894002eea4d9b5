/** Random organizations: members as programs may have them, parts left out, chained or wired by hand. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { platformNames } from "../../provider/api/calls/platform.ts";
import { checkCases } from "../setup/cases.ts";
import type { DirectResource } from "../setup/direct.ts";
import { declareMember, memberArbitrary, type RandomMember } from "../setup/random-members.ts";
import { organizationOn } from "./listed.ts";

const membersArbitrary = fc.array(memberArbitrary, { minLength: 3, maxLength: 30 });

test.each(platformNames)(
  "order, %s: random organizations are changed and removed without a call out of order, and nothing is left",
  async (platform) => {
    const organization = await organizationOn(platform, { seats: 30 });
    const { management } = organization.service;

    await checkCases(
      { name: `order, ${platform}`, level: "R", cases: 250, quick: 5, siblings: platformNames.length },
      membersArbitrary,
      async (members) => {
        // Some organizations have more people than may be removed by default.
        const stack = organization.stack({ ORGSEAT_MAX_REMOVALS: "30" });

        const first = declareMembers(members, "first");
        const second = declareMembers(members, "second");
        await organization.requests();
        expect((await stack.up(first)).errors).toEqual([]);
        expect(await stack.preview(first)).toEqual([]);
        expect((await stack.up(second)).errors).toEqual([]);
        expect(await stack.preview(second)).toEqual([]);
        expect((await stack.destroy()).errors).toEqual([]);

        const { users, tokens, organizations } = await management.snapshot();
        const valid = tokens.filter(({ revoked }) => !revoked);
        expect({ users, tokens: valid, seats: organizations[0]?.seatsHeld }).toEqual({
          users: [],
          tokens: [],
          seats: 0,
        });
        // Wired by hand, a delete may come too early: the service refuses it, it waits, and nothing else is refused.
        // Without lists, nothing shows whether the old user of a seat has a token: "revoke token" asks.
        const refused = (await organization.requests()).filter(
          ({ call, status }) => status !== null && status >= 400 && !(call === 9 && status === 404),
        );
        expect(refused.filter(({ call, status }) => status !== 409 || call === 9)).toEqual([]);
        if (!isWiredByHand(members)) expect(refused).toEqual([]);
      },
    );
  },
);

/** The program of the members: the first, or the second with what has become of them. */
function declareMembers(members: readonly RandomMember[], which: "first" | "second"): DirectResource[] {
  return members.flatMap((member, index) => declareMember(member, index, which === "second"));
}

/** Whether a removal of these may meet a 409, because it is side by side with what has to go first. */
function isWiredByHand(members: readonly RandomMember[]): boolean {
  return members.some(({ chained, seat, token }) => !chained && seat && token);
}
