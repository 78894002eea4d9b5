/** `offboard` revokes what the service or the roster proves, whatever is wrong with the state. */
import { describe, expect, test } from "vitest";
import { offboardToText } from "../../command/cli/verbs/offboard.ts";
import { readOffboarded } from "../../command/roster/offboarded.ts";
import { offboardPeople } from "../../command/verbs/offboard.ts";
import { upAll } from "../../command/verbs/up.ts";
import { requireList } from "../../provider/resources/members/member-list.ts";
import { CodedError } from "../../provider/util/error-codes.ts";
import type { PlatformName } from "../../sandbox/service/index.ts";
import { DirectEngine } from "../setup/direct-engine.ts";
import { directFixture, usersLosingAccessIn } from "./fixture.ts";
import { type NewPerson, person } from "./people.ts";

const [ada, bob, owner] = [person("ada"), person("bob"), person("owner")];
const WHY = "cannot read the state of stack people: failed to load checkpoint: EOF";

async function organizationOf(platform: PlatformName, rows: (ids: Map<string, string>) => NewPerson[]) {
  const fixture = await directFixture(20, platform);
  const { subscriptionExpiresAt } = fixture.sandbox.service.seed;
  const rosterOf = (people: readonly NewPerson[]) => fixture.rosterOf(people, { subscriptionExpiresAt });
  const ids = await fixture.bring(rosterOf([ada, bob, owner]));
  const roster = rosterOf(rows(ids));
  const damaged = fixture.engine.copy();
  damaged.exportStack = () => Promise.reject(new CodedError("invalid-state", WHY));
  return {
    fixture,
    idOf: (key: string) => ids.get(key) ?? "",
    open: () => fixture.open(roster, { engine: damaged, acceptUnreadableState: true }),
    openMissing: () =>
      fixture.open(roster, { engine: new DirectEngine(fixture.environment), acceptUnreadableState: true }),
    healed: () => fixture.open(roster),
    tokensOf: async (one: NewPerson) => (await fixture.heldBy(one))?.tokens.length,
  };
}

const withIds = (ids: Map<string, string>) =>
  [ada, bob, owner].map((one) => ({ ...one, userId: ids.get(one.key) }));
const withoutIds = () => [ada, bob, owner];

describe("offboard without a readable state", () => {
  test.each([
    ["by the list", "anaconda", withoutIds, "ada@acme.example"],
    ["by the list, and a key", "anaconda", withoutIds, "ada"],
    ["by the user_id of the row", "basic", withIds, "Ada@acme.example"],
  ] as const)(
    "revokes the tokens, notes the person, and says what is left: %s",
    async (_, platform, rows, who) => {
      const { fixture, open, healed, idOf, tokensOf } = await organizationOf(platform, rows);
      const asked: (readonly string[])[] = [];
      const result = await offboardPeople(await open(), [who], {
        beforeRevoke: async (people) => void asked.push(people),
      });
      const left = { who: ada.email, userId: idOf("ada"), stack: "people", isMissing: false };
      expect({ asked, result }).toMatchObject({
        asked: [[ada.email]],
        result: {
          status: "failed",
          revoked: [{ who: ada.email, userId: idOf("ada"), outcome: "revoked" }],
          left: [{ ...left, what: ["seat", "membership"] }],
          applied: { failure: { stack: "people", code: "invalid-state", text: WHY, people: [ada.email] } },
          edit: expect.stringContaining("-ada"),
        },
      });
      expect(offboardToText(result)).toContain(
        `Left of ada@acme.example (user id ${idOf("ada")}): seat, membership.\n  the state of stack people cannot be read. Heal it as the message about it says, then run \`orgseat up\``,
      );
      expect([await tokensOf(ada), await tokensOf(bob)]).toEqual([0, 1]);
      const { offboardedFile } = await open();
      expect(await readOffboarded(offboardedFile)).toMatchObject([{ key: "ada", userId: idOf("ada") }]);

      expect((await upAll(await healed(), {})).status).toBe("succeeded");
      expect(await fixture.heldBy(ada)).toBeUndefined();
      expect(await tokensOf(bob)).toBe(1);
    },
  );

  test("revokes every token that the list shows", async () => {
    const { fixture, open, idOf, tokensOf } = await organizationOf("anaconda", withoutIds);
    const { subscriptionExpiresAt } = fixture.sandbox.service.seed;
    await fixture.behindOurBack((api, operation) =>
      api.issueToken(idOf("ada"), subscriptionExpiresAt, operation),
    );
    expect(await tokensOf(ada)).toBe(2);
    await offboardPeople(await open(), ["ada"], {});
    expect(await tokensOf(ada)).toBe(0);
  });

  test("notes a person without a user ID, whom the next `up` removes", async () => {
    const { fixture, open, healed, tokensOf } = await organizationOf("basic", withoutIds);
    const result = await offboardPeople(await open(), ["ada@acme.example"], {});
    expect(result).toMatchObject({
      ...{ status: "failed", revoked: [] },
      left: [{ who: ada.email, userId: undefined, what: ["token", "seat", "membership"] }],
    });
    expect(offboardToText(result)).toContain(
      "Left of ada@acme.example: token, seat, membership. Neither the service nor the roster says which user this is",
    );
    expect(await tokensOf(ada)).toBe(1);
    expect((await upAll(await healed(), {})).status).toBe("succeeded");
    expect(await fixture.heldBy(ada)).toBeUndefined();
  });

  test("leaves seat and membership to a person with --keep-member, also after the next `up`", async () => {
    const { fixture, open, healed, tokensOf } = await organizationOf("anaconda", withoutIds);
    const { left } = await offboardPeople(await open(), ["ada"], { keepMember: true });
    expect(left).toMatchObject([{ what: [] }]);
    expect((await upAll(await healed(), {})).status).toBe("succeeded");
    expect(await fixture.heldBy(ada)).toMatchObject({ seat: true });
    expect(await tokensOf(ada)).toBe(0);
  });

  test("refuses a name that nothing knows, with the reason of the state", async () => {
    const { open, fixture } = await organizationOf("anaconda", withoutIds);
    const rejected = expect(offboardPeople(await open(), ["eve@acme.example"], {})).rejects;
    await rejected.toMatchObject({
      code: "invalid-state",
      message: `cannot offboard eve@acme.example: no row, and no member that the service lists, has this name, and the state cannot be read. ${WHY}`,
    });
    expect(usersLosingAccessIn(await fixture.done()).size).toBe(0);
  });

  test("refuses administrators and protected people", async () => {
    const { open, fixture } = await organizationOf("anaconda", (ids) => [
      { ...ada, protected: true },
      { ...bob, userId: ids.get("bob") },
    ]);
    await expect(offboardPeople(await open(), ["ada"], {})).rejects.toThrow(
      "cannot offboard ada@acme.example: protected",
    );
    const { users } = requireList(await fixture.behindOurBack((api, operation) => api.listUsers(operation)));
    const admin = users.find(({ role }) => role === "admin")?.id ?? "";
    await expect(offboardPeople(await open(), [admin], {})).rejects.toThrow(
      /\(admin\): orgseat does not remove/,
    );
    expect(usersLosingAccessIn(await fixture.done()).size).toBe(0);
  });

  test("revokes the tokens of people whose stack is missing, and asks for its state", async () => {
    const { openMissing, idOf, tokensOf } = await organizationOf("anaconda", withoutIds);
    const result = await offboardPeople(await openMissing(), ["ada"], {});
    expect(result).toMatchObject({ status: "failed", left: [{ userId: idOf("ada"), isMissing: true }] });
    expect(offboardToText(result)).toContain(
      "stack people does not exist. Restore its state, then run `orgseat up`; or remove the rest in the service",
    );
    expect([await tokensOf(ada), await tokensOf(bob)]).toEqual([0, 1]);
  });
});
