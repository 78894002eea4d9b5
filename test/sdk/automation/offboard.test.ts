/** `offboard` is an explicit removal: the rule for deleted rows does not apply to it. */
import { describe, expect, test } from "vitest";
import type { PlatformName } from "../../../sandbox/service/index.ts";
import { describeResult } from "../../../sdk/automation/apply/member-results.ts";
import { previewAll } from "../../../sdk/automation/preview/preview.ts";
import { addOffboarded } from "../../../sdk/automation/roster/offboarded.ts";
import { offboardPeople } from "../../../sdk/automation/verbs/offboard.ts";
import { upAll } from "../../../sdk/automation/verbs/up.ts";
import { directFixture } from "./fixture.ts";
import { type NewPerson, person } from "./people.ts";

const [ada, owner] = [person("ada"), person("owner")];

/** Ada and the owner, whom a deleted row would retain. */
async function retained(platform: PlatformName) {
  const fixture = await directFixture(20, platform);
  const rosterOf = (people: readonly NewPerson[]) => ({
    ...{ organizationId: fixture.organizationId, stacks: 1, people, onDelete: "retain" as const },
    subscriptionExpiresAt: fixture.sandbox.service.seed.subscriptionExpiresAt,
  });
  const ids = await fixture.bring(rosterOf([ada, owner]));
  return {
    idOf: (key: string): string => ids.get(key) ?? "",
    open: (people: readonly NewPerson[] = [ada, owner]) => fixture.open(rosterOf(people)),
    has: async () => {
      const { users, tokens } = await fixture.sandbox.service.management.snapshot();
      const user = users.find(({ email }) => email === ada.email);
      const hasToken = tokens.some(({ userId, revoked }) => userId === user?.userId && !revoked);
      return { member: user !== undefined, seat: user?.seat ?? false, token: hasToken };
    },
  };
}

const NOTHING = { member: false, seat: false, token: false };

describe.each(["basic", "anaconda"] as const)(
  "offboard of a person whom a deleted row retains (%s)",
  (platform) => {
    test("removes the token, the seat, and the membership", async () => {
      const { open, has } = await retained(platform);
      const { status, applied } = await offboardPeople(await open(), ["ada"], {});
      expect(applied?.results.map((one) => describeResult(one))).toEqual([
        "ok       ada@acme.example  removed from the organization, token revoked, seat removed",
      ]);
      expect({ status, ...(await has()) }).toEqual({ status: "succeeded", ...NOTHING });
    });

    test("leaves membership and seat with keepMember", async () => {
      const { open, has } = await retained(platform);
      const { status, preview } = await offboardPeople(await open(), ["ada"], { keepMember: true });
      expect(preview.plan.members.find(({ key }) => key === "ada")?.actions).toEqual([
        "revokeToken",
        "retain",
        "keepSeat",
      ]);
      expect({ status, ...(await has()) }).toEqual({
        status: "succeeded",
        member: true,
        seat: true,
        token: false,
      });
    });

    test("ends with the next `up` if it was interrupted", async () => {
      const { open, has, idOf } = await retained(platform);
      const { offboardedFile } = await open();
      const leftAt = "2026-11-21T18:00:00Z";
      await addOffboarded(offboardedFile, [{ key: "ada", email: ada.email, userId: idOf("ada"), leftAt }]);
      expect((await upAll(await open([owner]), {})).status).toBe("succeeded");
      expect(await has()).toEqual(NOTHING);
    });

    test("changes nothing about deleted rows", async () => {
      const { open, has } = await retained(platform);
      const { plan } = await previewAll(await open([owner]), {});
      expect(plan.members.find(({ key }) => key === "ada")?.actions).toContain("retain");
      await upAll(await open([owner]), {});
      expect(await has()).toEqual({ member: true, seat: true, token: false });
    });
  },
);

test("names the user id of a member whom no stack has, if the service lists the members", async () => {
  const fixture = await directFixture(20, "anaconda");
  const people = [ada, owner];
  await fixture.bring({ organizationId: fixture.organizationId, stacks: 1, people });
  const userId = await fixture.makeMember(person("eve"));
  const rejected = expect(offboardPeople(await fixture.reopen(), ["Eve@acme.example"], {})).rejects;
  await rejected.toThrow(
    `Eve@acme.example is a member of the organization (user id ${userId}), but no stack contains this person`,
  );
  const { status, unmanaged } = await offboardPeople(await fixture.reopen(), ["ada", "eve@acme.example"], {});
  expect({ status, unmanaged }).toEqual({
    status: "failed",
    unmanaged: [{ who: "eve@acme.example", userId }],
  });
});
