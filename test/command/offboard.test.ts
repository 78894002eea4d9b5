/** `offboard` is an explicit removal: the rule for deleted rows does not apply to it. */
import { describe, expect, test } from "vitest";
import { describeResult } from "../../command/apply/member-results.ts";
import { type Preview, previewAll } from "../../command/preview/preview.ts";
import { addOffboarded, readOffboarded } from "../../command/roster/offboarded.ts";
import { adoptAll } from "../../command/verbs/adopt.ts";
import { offboardPeople } from "../../command/verbs/offboard.ts";
import { upAll } from "../../command/verbs/up.ts";
import type { PlatformName } from "../../sandbox/service/index.ts";
import { directFixture, usersLosingAccessIn } from "./fixture.ts";
import { type NewPerson, person } from "./people.ts";

const [ada, owner] = [person("ada"), person("owner")];

/** Ada and the owner, whom a deleted row would retain. */
const retained = (platform: PlatformName) => organizationOf(platform, "retain");

/** Ada and the owner. */
async function organizationOf(platform: PlatformName, onDelete: "delete" | "retain") {
  const fixture = await directFixture(20, platform);
  const rosterOf = (people: readonly NewPerson[]) => ({
    ...{ organizationId: fixture.organizationId, stacks: 1, people, onDelete },
    subscriptionExpiresAt: fixture.sandbox.service.seed.subscriptionExpiresAt,
  });
  const ids = await fixture.bring(rosterOf([ada, owner]));
  return {
    idOf: (key: string): string => ids.get(key) ?? "",
    open: (people: readonly NewPerson[] = [ada, owner]) => fixture.open(rosterOf(people)),
    ...{ fixture, rosterOf },
    has: async (email = ada.email) => {
      const { users, tokens } = await fixture.sandbox.service.management.snapshot();
      const user = users.find((one) => one.email === email);
      const hasToken = tokens.some(({ userId, revoked }) => userId === user?.userId && !revoked);
      return { member: user !== undefined, seat: user?.seat ?? false, token: hasToken };
    },
  };
}

const NOTHING = { member: false, seat: false, token: false };
const STAYS = { member: true, seat: true, token: false };

/** As a kill right before the run leaves everything: the token is revoked, and the list has the entry. */
async function killedBeforeRun(
  { open }: Awaited<ReturnType<typeof retained>>,
  keepMember: boolean,
  who = "ada",
) {
  const onApply = () => Promise.reject(new Error("killed"));
  await expect(offboardPeople(await open(), [who], { keepMember, onApply })).rejects.toThrow("killed");
}

describe.each(["basic", "anaconda"] as const)(
  "offboard --keep-member, killed before its run (%s)",
  (platform) => {
    const killed = async (keepMember = true) => {
      const organization = await organizationOf(platform, "delete");
      await killedBeforeRun(organization, keepMember);
      expect(await organization.has()).toEqual(STAYS);
      return organization;
    };
    const plannedFor = (preview: Preview) => preview.plan.members.find(({ key }) => key === "ada")?.actions;

    test.each([
      ["with the row", [ada, owner]],
      ["without the row", [owner]],
    ])("ends as such with the next `up`, %s", async (_, people) => {
      const { open, has } = await killed();
      const { status, preview } = await upAll(await open(people), {});
      expect({ status, actions: plannedFor(preview) }).toEqual({
        status: "succeeded",
        actions: ["revokeToken", "retain", "keepSeat"],
      });
      expect(await has()).toEqual(STAYS);
      // The service still has them, and nobody brings a token back.
      expect((await upAll(await open(people), {})).preview.plan.hasChanges).toBe(false);
    });

    test("ends as such if the command is repeated", async () => {
      const { open, has } = await killed();
      const { status, preview } = await offboardPeople(await open(), ["ada"], { keepMember: true });
      expect({ status, actions: plannedFor(preview) }).toEqual({
        status: "succeeded",
        actions: ["revokeToken", "retain", "keepSeat"],
      });
      expect(await has()).toEqual(STAYS);
    });

    test("becomes a removal with a later `offboard` without the flag, even if that is killed too", async () => {
      const organization = await killed();
      await killedBeforeRun(organization, false);
      expect((await upAll(await organization.open(), {})).status).toBe("succeeded");
      expect(await organization.has()).toEqual(NOTHING);
    });

    test("replaces a removal that was killed: the last command decides", async () => {
      const organization = await killed(false);
      await killedBeforeRun(organization, true);
      expect((await upAll(await organization.open(), {})).status).toBe("succeeded");
      expect(await organization.has()).toEqual(STAYS);
    });

    test("counts for an `up` that was opened before", async () => {
      const organization = await organizationOf(platform, "delete");
      const opened = await organization.open();
      await killedBeforeRun(organization, true);
      expect((await upAll(opened, {})).status).toBe("succeeded");
      expect(await organization.has()).toEqual(STAYS);
    });

    test("counts if a person writes the entry by hand, with the email alone", async () => {
      const { open, has } = await organizationOf(platform, "delete");
      const { offboardedFile } = await open();
      await addOffboarded(offboardedFile, [
        { email: ada.email, leftAt: "2026-11-21T18:00:00Z", keepMember: true },
      ]);
      expect((await upAll(await open(), {})).status).toBe("succeeded");
      expect(await has()).toEqual(STAYS);
    });
  },
);

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

describe("a member whom no stack has (anaconda)", () => {
  test("loses everything with what the message says, if the roster has never managed this person", async () => {
    const { open, has, fixture, rosterOf } = await organizationOf("anaconda", "delete");
    const eve = person("eve");
    const userId = await fixture.makeMember(eve);
    await expect(offboardPeople(await open(), ["eve@acme.example"], {})).rejects.toThrow(
      `write \`user_id\` ${userId} in a row, run \`orgseat adopt\`, then \`orgseat offboard eve@acme.example\` again`,
    );
    const people = [ada, owner, { ...eve, userId }];
    expect(await adoptAll(await fixture.open(rosterOf(people)), {})).toMatchObject({ status: "succeeded" });
    const { status } = await offboardPeople(await fixture.reopen(), ["eve@acme.example"], {});
    expect({ status, ...(await has("eve@acme.example")) }).toEqual({ status: "succeeded", ...NOTHING });
  });

  describe.each(["delete", "retain"] as const)("and who was kept before (on_delete: %s)", (onDelete) => {
    const kept = async () => {
      const organization = await organizationOf("anaconda", onDelete);
      await offboardPeople(await organization.open(), ["ada"], { keepMember: true });
      expect(await organization.has()).toEqual(STAYS);
      return organization;
    };

    test.each([
      ["with the row", [ada, owner]],
      ["without the row", [owner]],
    ])("loses everything with offboard, %s", async (_, people) => {
      const { open, has, idOf, fixture } = await kept();
      // Without the row, this run drops the entry: the audit log is left as evidence.
      await upAll(await open(people), {});
      const { offboarded } = await open(people);
      expect(offboarded).toHaveLength(people.length - 1);
      await fixture.behindOurBack((api, operation) =>
        api.issueToken(idOf("ada"), fixture.sandbox.service.seed.subscriptionExpiresAt, operation),
      );
      const asked: (readonly string[])[] = [];
      const beforeRevoke = async (who: readonly string[]) => void asked.push(who);
      const { status, revoked } = await offboardPeople(await open(people), ["Ada@acme.example"], {
        beforeRevoke,
      });
      expect({ status, asked, ...(await has()) }).toEqual({
        status: "succeeded",
        asked: [[ada.email]],
        ...NOTHING,
      });
      expect(revoked).toMatchObject([{ who: ada.email, outcome: "revoked" }]);
      expect((await fixture.users()).map(({ email }) => email)).toContain(owner.email);
      expect((await previewAll(await open(people), {})).plan.hasChanges).toBe(false);
    });

    test("loses everything with the next `up` if that offboard was killed", async () => {
      const organization = await kept();
      await killedBeforeRun(organization, false, ada.email);
      expect((await upAll(await organization.open([owner]), {})).status).toBe("succeeded");
      expect(await organization.has()).toEqual(NOTHING);
    });

    test("stays as it is if the user declines", async () => {
      const { open, has, fixture } = await kept();
      const { offboardedFile } = await open();
      const before = await readOffboarded(offboardedFile);
      await fixture.done();
      const beforeRevoke = () => Promise.reject(new Error("declined"));
      await expect(offboardPeople(await open(), [ada.email ?? ""], { beforeRevoke })).rejects.toThrow(
        "declined",
      );
      expect({
        lost: usersLosingAccessIn(await fixture.done()).size,
        list: await readOffboarded(offboardedFile),
        ...(await has()),
      }).toEqual({
        lost: 0,
        list: before,
        ...STAYS,
      });
    });
  });
});
