/** `offboard` is an explicit removal: the rule for deleted rows does not apply to it. */
import { describe, expect, test } from "vitest";
import { describeResult } from "../../command/cli/result-lines.ts";
import { addOffboarded, readOffboarded } from "../../command/roster/offboarded.ts";
import { adoptAll } from "../../command/verbs/adopt.ts";
import { offboardPeople } from "../../command/verbs/offboard.ts";
import { rotateTokens } from "../../command/verbs/tokens.ts";
import { upAll } from "../../command/verbs/up.ts";
import type { PlatformName } from "../../sandbox/service/index.ts";
import { directFixture, usersLosingAccessIn } from "./fixture.ts";
import { type NewPerson, person } from "./people.ts";

const [ada, owner] = [person("ada"), person("owner")];
const NOTHING = { member: false, seat: false, token: false };
const STAYS = { member: true, seat: true, token: false };
const platforms = ["basic", "anaconda"] as const;
const rules = ["delete", "retain"] as const;

/** Ada and the owner. @param onDelete what the deletion of a row does */
async function organizationOf(platform: PlatformName, onDelete: (typeof rules)[number]) {
  const fixture = await directFixture(20, platform);
  const { subscriptionExpiresAt } = fixture.sandbox.service.seed;
  const rosterOf = (people: readonly NewPerson[]) =>
    fixture.rosterOf(people, { onDelete, subscriptionExpiresAt });
  const ids = await fixture.bring(rosterOf([ada, owner]));
  const open = (people: readonly NewPerson[] = [ada, owner]) => fixture.open(rosterOf(people));
  return {
    ...{ fixture, rosterOf, open },
    idOf: (key: string): string => ids.get(key) ?? "",
    /** As a kill right before the run leaves everything: the token is revoked, and the list has the entry. */
    killed: async (keepMember: boolean, who = "ada") => {
      const onApply = () => Promise.reject(new Error("killed"));
      await expect(offboardPeople(await open(), [who], { keepMember, onApply })).rejects.toThrow("killed");
    },
    has: async (who = ada) => {
      const found = await fixture.heldBy(who);
      return {
        member: found !== undefined,
        seat: found?.seat === true,
        token: found?.tokens[0] !== undefined,
      };
    },
  };
}

type Command = "keep" | "remove";
interface Play {
  /** Commands that were killed right before their runs. */
  readonly killed?: readonly Command[];
  readonly end: Command | "up";
  readonly isRowDeleted?: boolean;
}

const ended: readonly (readonly [string, Play, object])[] = [
  ["without the flag removes everything", { end: "remove" }, NOTHING],
  ["with it leaves membership and seat", { end: "keep" }, STAYS],
  ["with it, killed, ends with the next `up`", { killed: ["keep"], end: "up" }, STAYS],
  ["the same without the row", { killed: ["keep"], end: "up", isRowDeleted: true }, STAYS],
  ["with it, killed, ends if the command is repeated", { killed: ["keep"], end: "keep" }, STAYS],
  ["becomes a removal if that is killed too", { killed: ["keep", "remove"], end: "up" }, NOTHING],
  ["replaces a killed removal: the last command decides", { killed: ["remove", "keep"], end: "up" }, STAYS],
  ["without it, killed, ends with `up`", { killed: ["remove"], end: "up", isRowDeleted: true }, NOTHING],
];

describe.each(platforms)("offboard --keep-member, whatever a deleted row means (%s)", (platform) => {
  test.each(ended)("%s", async (_, { killed = [], end, isRowDeleted = false }, expected) => {
    for (const onDelete of rules) {
      const organization = await organizationOf(platform, onDelete);
      for (const command of killed) {
        await organization.killed(command === "keep");
        expect(await organization.has()).toEqual(STAYS);
      }
      const open = () => organization.open(isRowDeleted ? [owner] : [ada, owner]);
      const { status, preview, applied } =
        end === "up"
          ? await upAll(await open(), {})
          : await offboardPeople(await open(), ["ada"], { keepMember: end === "keep" });
      expect({ status, ...(await organization.has()) }).toEqual({ status: "succeeded", ...expected });
      const actions = preview.plan.members.find(({ key }) => key === "ada")?.actions;
      // The command has revoked the token before its plan.
      const revoked = end === "up" ? ["revokeToken"] : [];
      if (expected === STAYS) expect(actions).toEqual([...revoked, "retain", "keepSeat"]);
      else
        expect(applied?.results.map((one) => describeResult(one))).toEqual([
          expect.stringMatching(
            /^ok {7}ada@acme\.example {2}removed from the organization, (token revoked, |had no token, )?seat removed$/,
          ),
        ]);
      // The service still has who stays, and nobody brings a token back.
      expect((await upAll(await open(), {})).preview.plan.hasChanges).toBe(false);
    }
  });

  test("counts for an `up` that was opened before", async () => {
    const { open, killed, has } = await organizationOf(platform, "delete");
    const opened = await open();
    await killed(true);
    expect((await upAll(opened, {})).status).toBe("succeeded");
    expect(await has()).toEqual(STAYS);
  });

  test("counts if a person writes the entry by hand, with the email alone", async () => {
    const { fixture, open, has } = await organizationOf(platform, "delete");
    const entry = { email: ada.email, leftAt: "2026-11-21T18:00:00Z", keepMember: true } as const;
    await addOffboarded((await open()).offboardedFile, [entry]);
    expect((await fixture.up()).status).toBe("succeeded");
    expect(await has()).toEqual(STAYS);
  });

  test("changes nothing about deleted rows", async () => {
    const { fixture, rosterOf, has } = await organizationOf(platform, "retain");
    const { preview } = await fixture.up(rosterOf([owner]));
    expect(preview.plan.members.find(({ key }) => key === "ada")?.actions).toContain("retain");
    expect(await has()).toEqual(STAYS);
  });
});

describe("a member whom the stack does not have (anaconda)", () => {
  test("finds the user id in the message, and loses everything with what that says", async () => {
    const { open, has, fixture, rosterOf } = await organizationOf("anaconda", "delete");
    const eve = person("eve", { email: "e've@acme.example" });
    const userId = await fixture.makeMember(eve);
    const rejected = expect(offboardPeople(await open(), ["E've@acme.example"], {})).rejects;
    await rejected.toThrow(
      RegExp(
        `^E've@acme.example is a member of the organization \\(user id ${userId}\\), but the state does not contain this person.* write \`user_id\` ${userId} in a row, run \`orgseat adopt\`, then \`orgseat offboard 'E'\\\\''ve@acme.example'\` again`,
      ),
    );
    const both = await offboardPeople(await open(), ["ada", "e've@acme.example"], {});
    expect(both).toMatchObject({ status: "failed", unmanaged: [{ who: "e've@acme.example", userId }] });

    const adopted = await adoptAll(await fixture.open(rosterOf([ada, owner, { ...eve, userId }])), {});
    expect(adopted.status).toBe("succeeded");
    const { status } = await offboardPeople(await fixture.open(), ["e've@acme.example"], {});
    expect({ status, ...(await has(eve)) }).toEqual({ status: "succeeded", ...NOTHING });
  });

  describe.each(rules)("and who was kept before (on_delete: %s)", (onDelete) => {
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
      expect((await fixture.preview()).plan.hasChanges).toBe(false);
    });

    test("loses everything with the next `up` if that offboard was killed", async () => {
      const organization = await kept();
      await organization.killed(false, ada.email);
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

test.each([false, true])(
  "ends a token that no state has with the first run (--keep-member: %s)",
  async (keepMember) => {
    const { fixture, open, has, idOf } = await organizationOf("anaconda", "delete");
    // As a rotation leaves it that is killed before the state has the new token.
    await fixture.behindOurBack((api, operation) =>
      api.issueToken(idOf("ada"), fixture.sandbox.service.seed.subscriptionExpiresAt, operation),
    );
    const { status, revoked } = await offboardPeople(await open(), ["ada"], { keepMember });
    expect({ status, revoked, ...(await has()) }).toMatchObject({
      ...{ status: "succeeded", revoked: [{ outcome: "revoked" }] },
      ...(keepMember ? STAYS : NOTHING),
    });
  },
);

test("a former member whom the service lists with an unreadable email leaves the offboarded list readable", async () => {
  const { fixture, rosterOf, open, idOf } = await organizationOf("anaconda", "retain");
  await fixture.up(rosterOf([owner]));
  const items = (await fixture.users()).map(({ userId: id, email }) => ({
    ...{ id, role: id === idOf("ada") ? "member" : "admin", subscriptions: [] },
    email: id === idOf("ada") ? "ada@intranet" : email,
  }));
  await fixture.sandbox.service.management.addFaults({
    ...{ match: { call: 17 }, fault: { kind: "refuse", status: 200, body: { items } } },
  });
  const left = await offboardPeople(await open([owner]), [idOf("ada")], {});
  expect(left).toMatchObject({ status: "succeeded", unknown: [], unmanaged: [] });
  const { offboarded } = await open([owner]);
  expect(offboarded).toMatchObject([{ key: "ada@intranet", email: undefined, userId: idOf("ada") }]);
});

test("sends nothing for a name of nobody, suggests no colleague, and lists people of the roster with exactly this name", async () => {
  const { fixture, open, idOf } = await organizationOf("basic", "delete");
  const organization = await open([{ ...ada, firstName: "Ada", lastName: "King" }, owner]);
  await fixture.done();
  for (const take of [offboardPeople, rotateTokens]) {
    await expect(take(organization, ["adda@acme.example"], {})).rejects.toThrow(
      / is not in \S+( \S+)?\. Check/,
    );
    await expect(take(organization, ["ada king"], {})).rejects.toThrow(
      `People with exactly this name: ${ada.email} (user id ${idOf("ada")})`,
    );
  }
  expect(await fixture.done()).toEqual([]);
});
