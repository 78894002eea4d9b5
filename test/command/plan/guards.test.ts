import { describe, expect, test } from "vitest";
import { type GuardContext, violationsOf } from "../../../command/plan/guards/guards.ts";
import { approvalOf } from "../../../command/plan/guards/override.ts";
import { withOverrideAdvice } from "../../../command/plan/guards/violation.ts";
import type { Plan } from "../../../command/plan/plan.ts";
import { planToMarkdown } from "../../../command/plan/texts/markdown.ts";
import { planToText } from "../../../command/plan/texts/text.ts";
import { removalLimit } from "../../../provider/resources/members/removal.ts";
import { guardContext, NOW, ORGANIZATION, plan, rosterOf, row, rows } from "./planned.ts";

const guardsOf = (found: Plan, more: Partial<GuardContext> = {}) =>
  violationsOf(found, { ...guardContext, ...more }).map(({ guard }) => guard);

const all = (count: number, prefix?: string) => plan({ had: rows(count, prefix), has: [] });

describe("the removal limit", () => {
  test.each([4, 40, 400])(
    "allows limit-1 and limit removals of %i people, and refuses limit+1",
    async (managed) => {
      const limit = removalLimit(managed);
      const had = rows(managed);
      const leaving = async (count: number) => guardsOf(await plan({ had, has: had.slice(count) }));
      expect(await leaving(limit - 1)).toEqual([]);
      expect(await leaving(limit)).toEqual([]);
      expect(await leaving(limit + 1)).toEqual(["removal-limit"]);
    },
  );

  test("counts replacements, and a person once however much goes", async () => {
    const rotated = rows(4).map((one) => ({ ...one, rotation: "2" }));
    expect(guardsOf(await plan({ had: rows(4), has: rotated }))).toEqual(["removal-limit"]);
    expect(guardsOf(await all(3))).toEqual([]);
  });

  test("ignores people whose membership is retained, and who have no token", async () => {
    const had = rows(10).map((one) => ({ ...one, token: false }));
    expect(guardsOf(await plan({ had, has: [], roster: { onDelete: "retain" } }))).toEqual([]);
  });

  test("lets pass what was named person by person", async () => {
    expect(guardsOf(await all(10), { namedOneByOne: true })).toEqual([]);
  });
});

describe("an override", async () => {
  const ten = await all(10);
  const { removals } = ten;
  const given = approvalOf(undefined, ORGANIZATION, removals, NOW).pass;
  const textWith = (override: string, now = NOW, found = ten) =>
    violationsOf(found, { ...guardContext, override, now })[0]?.text;

  test("holds for no person more, less, or other", async () => {
    const another = "it is for a different list of removals, so the plan has changed since then";
    expect(textWith(given, NOW, await all(11))).toContain(another);
    expect(textWith(given, NOW, await all(9))).toContain(another);
    expect(textWith(given, NOW, await all(10, "q"))).toContain(another);
  });
  test("expires", () => {
    expect(textWith(given, NOW + 3_599_000)).toBeUndefined();
    expect(textWith(given, NOW + 3_600_000)).toContain("it expired at 2026-11-21T13:00:00Z");
  });
  test("fails if it is valid for longer than a day, or invalid", () => {
    const [hash] = given.split("@");
    expect(textWith(`${hash}@2027-11-21T13:00:00Z`)).toContain("it is valid for longer than a day");
    expect(() => textWith("yes")).toThrow("invalid --approve yes: copy the whole value");
    expect(textWith(`${hash}@2026-11-21T13:30:00Z`)).toContain("a different list");
  });
  test("stands in the message of the stop, and holds", () => {
    const [stop] = withOverrideAdvice(violationsOf(ten, guardContext));
    expect(stop?.text).toContain(`--approve ${stop?.override}`);
    expect(textWith(stop?.override ?? "")).toBeUndefined();
  });
  test("stays out of the message if something else blocks the plan too", async () => {
    const both = await plan({ had: rows(10), has: rows(12, "new"), declaredSeats: 10 });
    const stops = withOverrideAdvice(violationsOf(both, guardContext));
    expect(stops.map(({ guard, override }) => [guard, override])).toEqual([
      ["removal-limit", undefined],
      ["no-seats", undefined],
    ]);
    expect(stops[0]?.text).toMatch(
      /at most 25\)\. No override allows this plan: first correct the other violations\.$/,
    );
  });
});

const three = rows(3);
const boss = await plan({ had: [...three, row("boss")], has: three });

describe("the other guards", async () => {
  const same = await plan({ had: three });
  const [two, ten] = [await all(2), await all(10)];
  const elsewhere = await plan({ had: three, before: { organizationId: "another" } });
  const cutOff = rosterOf(three, { rows: 4 });

  test.each<[string, Plan, Partial<GuardContext>, string]>([
    ["an emptied roster", two, { roster: rosterOf([]) }, "empty-roster"],
    ["an emptied roster of many", ten, { roster: rosterOf([]) }, "empty-roster"],
    ["a roster that was cut off", same, { roster: cutOff }, "short-roster"],
    ["a removal, protected by key", boss, { protected: { names: ["BOSS"], keys: [] } }, "protected-person"],
    [
      "a removal, protected by email",
      boss,
      { protected: { names: ["Boss@Acme.example"], keys: [] } },
      "protected-person",
    ],
    ["another organization", same, { configuredOrganization: "another" }, "wrong-organization"],
    ["a state of another organization", elsewhere, {}, "wrong-organization"],
  ])("stop %s", (_, found, context, guard) => {
    expect(guardsOf(found, context)).toEqual([guard]);
  });
  test.each<[string, Plan, Partial<GuardContext>]>([
    ["a roster with all of its rows", same, { roster: rosterOf(three, { rows: 3 }) }],
    [
      "the removal of another person than the protected one",
      boss,
      { protected: { names: ["p0"], keys: [] } },
    ],
    [
      "a changed key, which is the same person",
      await plan({ had: [...three, row("ada")], has: [...three, row("l", { email: "ada@acme.example" })] }),
      {},
    ],
  ])("let %s pass", (_, found, context) => {
    expect(guardsOf(found, context)).toEqual([]);
  });
  test.each([{}, { seat: false, token: false }, { token: false }])(
    "stop the removal of what the state protects, whatever it is: %j",
    async (parts) => {
      const guarded = row("boss", { ...parts, protected: true });
      for (const onDelete of ["delete", "retain"] as const)
        expect(guardsOf(await plan({ had: [...three, guarded], has: three, before: { onDelete } }))).toEqual([
          "protected-person",
        ]);
      expect(guardsOf(await plan({ had: [...three, guarded], has: [...three, row("boss", parts)] }))).toEqual(
        [],
      );
    },
  );
  test("name the person and what is planned in text and Markdown", async () => {
    const violations = violationsOf(boss, { ...guardContext, protected: { names: ["boss"], keys: [] } });
    expect(planToText(boss, violations)).toContain("BLOCKED (protected-person): 1 person would lose access");
    expect(planToMarkdown({ plan: boss, violations })).toContain("`boss@acme.example: remove from the");
  });
  test.each([
    ["another row has", [row("ada")]],
    ["a dropped row had", []],
  ])("stop a row that adopts a user whom %s", async (_, others) => {
    const had = [...three, row("ada"), row("eve")];
    const has = [...three, ...others, row("eve", { userId: "id-of-ada" })];
    expect(violationsOf(await plan({ had, has }), guardContext)).toMatchObject([
      {
        ...{ guard: "wrong-user-id", people: ["eve@acme.example"] },
        details: ["eve@acme.example: eve (user id-of-ada is ada)"],
      },
    ]);
    expect(guardsOf(await plan({ had: three, has }))).toEqual([]);
  });
  test("stop a new row that adopts a user whom the service does not list", async () => {
    const given = {
      had: three,
      has: [...three, row("ada", { userId: "gone" })],
      platform: "anaconda",
    } as const;
    const users = three.map(({ key, email }) => listed(`id-of-${key}`, email));
    const found = await plan({ ...given, listed: users });
    expect(violationsOf(found, guardContext)).toMatchObject([
      {
        ...{ guard: "wrong-user-id", people: ["ada@acme.example"], details: ["ada@acme.example: user gone"] },
        text: "1 person has a `user_id` that is not in the organization. To add them again, remove `user_id`; if the id is wrong, correct it; if they have left, remove the row.",
      },
    ]);
    const known = listed("gone", "ada@acme.example");
    expect(guardsOf(await plan({ ...given, listed: [...users, known] }))).toEqual([]);
    expect(guardsOf(await plan(given))).toEqual([]);
  });
  test("stop the removal of an administrator, unless the membership stays", async () => {
    const had = [...three, row("ada")];
    const usersWith = (role: string) => [
      ...three.map(({ key, email }) => listed(`id-of-${key}`, email)),
      listed("id-of-ada", "ada@acme.example", role),
    ];
    const leaving = { had, has: three, platform: "anaconda", listed: usersWith("admin") } as const;
    expect(violationsOf(await plan(leaving), guardContext)).toMatchObject([
      {
        ...{ guard: "administrator-removal", people: ["ada@acme.example"] },
        details: ["ada@acme.example: admin"],
        text: "1 person would be removed but is an administrator or billing manager: restore the row or the resource, change the role in the service first, or, in a program, set `allowAdminRemoval: true` and run `orgseat up` before you remove the resource.",
      },
    ]);
    expect(guardsOf(await plan({ ...leaving, roster: { onDelete: "retain" } }))).toEqual([]);
    expect(guardsOf(await plan({ ...leaving, listed: usersWith("member") }))).toEqual([]);
    expect(guardsOf(await plan({ had, has: three }))).toEqual([]);
    const seatless = row("ada", { seat: false, token: false });
    expect(guardsOf(await plan({ ...leaving, has: [...three, seatless] }))).toEqual([]);
    const renamed = row("ada", { email: "ada.l@acme.example" });
    expect(guardsOf(await plan({ ...leaving, has: [...three, renamed] }))).toEqual(["administrator-removal"]);
  });
  test("stop a plan that needs more seats than are bought, and say how many", async () => {
    const given = { had: three, has: [...three, ...rows(2, "new")] };
    const stops = violationsOf(await plan({ ...given, declaredSeats: 4 }), guardContext);
    expect(stops.map(({ text }) => text)).toEqual([
      "not enough seats: 1 more needed. The plan assigns 2 and removes 0; 1 of 4 (declared) are available. Buy seats and correct `seats` (in the roster, or ORGSEAT_SEATS), or remove seats.",
    ]);
    expect(violationsOf(await plan({ ...given, declaredSeats: 5 }), guardContext)).toEqual([]);
    expect(violationsOf(await plan(given), guardContext)).toEqual([]);
  });
  test("count a seat that the list shows removed as available, though the state still has it", async () => {
    const given = { had: [...three, row("gone")], has: [...three, row("new")], declaredSeats: 4 };
    const users = (seats: readonly string[]) =>
      ["p0", "p1", "p2", "gone"].map((key) => {
        const subscriptions = seats.includes(key) ? ["seat"] : [];
        return { ...listed(`id-of-${key}`, `${key}@acme.example`), subscriptions };
      });
    const seatsWith = async (listed: ReturnType<typeof users>) =>
      (await plan({ ...given, platform: "anaconda", listed })).seats;
    expect(await seatsWith(users(["p0", "p1", "p2"]))).toMatchObject({ used: 3, assigned: 1, returned: 0 });
    expect(await seatsWith(users(["p0", "p1", "p2", "gone"]))).toMatchObject({ used: 4, returned: 1 });
  });
});

/** A user of the list, without a seat. */
function listed(id: string, email: string | undefined, role = "member") {
  return { id, email, first_name: null, last_name: null, role, subscriptions: [] };
}
