import { describe, expect, test } from "vitest";
import { type GuardContext, violationsOf } from "../../../command/plan/guards/guards.ts";
import { overrideFor } from "../../../command/plan/guards/override.ts";
import { withOverrideAdvice } from "../../../command/plan/guards/violation.ts";
import type { Properties, Step } from "../../../command/plan/steps/steps.ts";
import { planToMarkdown } from "../../../command/plan/texts/markdown.ts";
import { planToText } from "../../../command/plan/texts/text.ts";
import type { Roster, RosterPerson } from "../../../command/roster/roster.ts";
import { removalLimit } from "../../../provider/resources/members/removal.ts";
import { guardContext, lone, member, members, NOW, ORGANIZATION, plan, step } from "./steps.ts";

const guardsOf = (steps: readonly Step[], more: Partial<GuardContext> = {}) =>
  violationsOf(plan(steps), { ...guardContext, ...more }).map(({ guard }) => guard);

function rosterOf(people: number, rows?: number): Roster {
  const person = (_: unknown, index: number): RosterPerson => ({
    ...{ key: `p${index}`, email: `p${index}@acme.example`, seat: true, token: true, protected: false },
    place: `people.csv, line ${index + 2}`,
  });
  return {
    ...{ file: "people.csv", organizationId: ORGANIZATION, stacks: 1, onDelete: "delete", rows },
    people: Array.from({ length: people }, person),
  };
}

describe("the removal limit", () => {
  test.each([4, 40, 400])(
    "allows limit-1 and limit removals of %i people, and refuses limit+1",
    (managed) => {
      const limit = removalLimit(managed);
      const leaving = (count: number) => [
        ...members(managed - count, "same"),
        ...members(count, "delete", "gone"),
      ];
      expect(guardsOf(leaving(limit - 1))).toEqual([]);
      expect(guardsOf(leaving(limit))).toEqual([]);
      expect(guardsOf(leaving(limit + 1))).toEqual(["removal-limit"]);
    },
  );

  test("counts replacements, and a person once however much goes", () => {
    const replaced = ["a", "b", "c", "d"].map((key) => step(key, "UserToken", "replace"));
    expect(guardsOf(replaced)).toEqual(["removal-limit"]);
    expect(guardsOf(members(3, "delete"))).toEqual([]);
  });

  test("counts people over all stacks, and one of two stacks once", () => {
    const twice = ["a", "b"].flatMap((key) =>
      ["people-01", "people-02"].flatMap((stack) => member(key, "delete", { stack })),
    );
    expect(guardsOf(twice)).toEqual([]);
    const four = ["a", "b", "c", "d"].flatMap((key, index) =>
      member(key, "delete", { stack: `people-0${index % 2}` }),
    );
    expect(guardsOf(four)).toEqual(["removal-limit"]);
  });

  test("ignores people whose membership is retained", () => {
    const kept = members(10, "delete").filter(({ type }) => type !== "UserToken");
    expect(guardsOf(kept.map((one) => ({ ...one, olds: { ...one.olds, adopted: true } })))).toEqual([]);
  });

  test("lets pass what was named person by person", () => {
    expect(guardsOf(members(10, "delete"), { namedOneByOne: true })).toEqual([]);
  });
});

describe("an override", () => {
  const ten = members(10, "delete");
  const { removals } = plan(ten);
  const given = overrideFor(ORGANIZATION, removals, NOW);
  const textWith = (override: string, now = NOW, steps: readonly Step[] = ten) =>
    violationsOf(plan(steps), { ...guardContext, override, now })[0]?.text;

  test("holds for no person more, less, or other", () => {
    const another = "it is for a different list of removals, so the plan has changed since then";
    expect(textWith(given, NOW, members(11, "delete"))).toContain(another);
    expect(textWith(given, NOW, members(9, "delete"))).toContain(another);
    expect(textWith(given, NOW, members(10, "delete", "q"))).toContain(another);
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
    const [stop] = withOverrideAdvice(violationsOf(plan(ten), guardContext));
    expect(stop?.text).toContain(`--approve ${stop?.override}`);
    expect(textWith(stop?.override ?? "")).toBeUndefined();
  });
  test("stays out of the message if something else blocks the plan too", () => {
    const both = plan([...ten, ...members(12, "create", "new")], { declaredSeats: 10 });
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

/** The step of a service account. */
function account(action: Step["action"], id: string, olds: Properties = {}, news: Properties = {}): Step {
  return lone("ServiceAccount", "ci", action, { id, olds, news });
}

const three = members(3, "same");
const boss = [...three, ...member("boss", "delete")];
const kept = (removeAfter: string) => ({ previous: [{ clientId: "client-1", removeAfter }] });
const past = kept("2026-11-20T00:00:00Z");
const future = kept("2026-11-22T00:00:00Z");
const using = { clientId: "client-1" };

describe("the other guards", () => {
  test.each<[string, Step[], Partial<GuardContext>, string]>([
    ["an emptied roster", members(2, "delete"), { roster: rosterOf(0) }, "empty-roster"],
    ["an emptied roster of many", members(10, "delete"), { roster: rosterOf(0) }, "empty-roster"],
    ["a roster that was cut off", three, { roster: rosterOf(3, 4) }, "short-roster"],
    ["a removal, protected by key", boss, { protected: { names: ["BOSS"], keys: [] } }, "protected-person"],
    [
      "a removal, protected by email",
      boss,
      { protected: { names: ["Boss@Acme.example"], keys: [] } },
      "protected-person",
    ],
    ["another organization", three, { configuredOrganization: "another" }, "wrong-organization"],
    [
      "a state of another organization",
      three.map((one) => ({ ...one, olds: { ...one.olds, organizationId: "another" } })),
      {},
      "wrong-organization",
    ],
    ["the deletion of the own account", [account("delete", "client-1")], using, "service-account-in-use"],
    ["its rotation", [account("replace", "client-1")], using, "service-account-in-use"],
    ["its end as a kept one", [account("update", "client-2", past)], using, "service-account-in-use"],
    ["its deletion as a kept one", [account("delete", "client-2", future)], using, "service-account-in-use"],
  ])("stop %s", (_, steps, context, guard) => {
    expect(guardsOf(steps, context)).toEqual([guard]);
  });
  test.each<[string, Step[], Partial<GuardContext>]>([
    ["a roster with all of its rows", three, { roster: rosterOf(3, 3) }],
    [
      "the removal of another person than the protected one",
      boss,
      { protected: { names: ["p0"], keys: [] } },
    ],
    ["the deletion of another account", [account("delete", "client-2")], using],
    ["a rotation that keeps it", [account("replace", "client-1", {}, { keepPreviousFor: "24h" })], using],
    ["an update that keeps it", [account("update", "client-2", future)], using],
    [
      "a row that adopts another user under the same key",
      [...three, step("ada", "OrgUser", "replace", { news: { adopt: "id-of-bob" } })],
      {},
    ],
    [
      "a person who comes back, and whose old membership waits for its end under another key",
      [
        ...three,
        step("ada", "OrgUser", "delete", { isReplaced: true }),
        ...member("ada-l", "create", { news: { email: "ada@acme.example" } }),
      ],
      {},
    ],
  ])("let %s pass", (_, steps, context) => {
    expect(guardsOf(steps, context)).toEqual([]);
  });
  test.each(
    (["OrgUser", "SeatAssignment", "UserToken"] as const).flatMap((type) =>
      [{}, { adopted: true }, { onDelete: "retain" }].map((olds) => [type, olds] as const),
    ),
  )("stop the deletion of what the state protects, even if the person stays: %s %j", (type, olds) => {
    const isProtected = { before: true, after: true };
    const steps = [...three, step("boss", type, "delete", { olds, isProtected })];
    expect(guardsOf(steps)).toEqual(["protected-person"]);
    expect(guardsOf([...three, step("boss", type, "update", { olds, isProtected })])).toEqual([]);
  });
  test("stop a person who would leave under one key and join under another, and no one else", () => {
    const email = { olds: { email: "ada@acme.example" }, news: { email: "ada@acme.example" } };
    const steps = [...three, ...member("ada", "delete", email), ...member("ada-l", "create", email)];
    const stops = violationsOf(plan(steps), guardContext);
    expect(stops).toMatchObject([{ guard: "changed-key", people: ["ada@acme.example"] }]);
    // Names stand apart from the text, and a person reads which key was which.
    expect(stops[0]?.text).not.toContain("ada");
    for (const page of [
      planToText(plan(steps), stops),
      planToMarkdown({ plan: plan(steps), violations: stops }),
    ]) {
      expect(page).toContain("ada@acme.example: ada-l (was ada)");
    }
    expect(guardsOf([...three, ...member("ada", "delete"), ...member("bob", "create")])).toEqual([]);
  });
  test.each<[string, Step[]]>([
    ["a dropped row", member("ada", "delete")],
    ["another row", member("ada", "same")],
    ["a row of another stack", member("ada", "delete", { stack: "people-02" })],
    ["a replaced user whom an earlier run left", [step("ada", "OrgUser", "delete", { isReplaced: true })]],
  ])("stop a row that adopts the user of %s under another key", (_, others) => {
    const adopting = member("ada-l", "create", { news: { email: "l@acme.example", adopt: "id-of-ada" } });
    const stops = violationsOf(plan([...three, ...others, ...adopting]), guardContext);
    expect(stops).toMatchObject([
      {
        ...{ guard: "wrong-user-id", people: ["l@acme.example"] },
        details: ["l@acme.example: ada-l (user id-of-ada is ada)"],
      },
    ]);
    expect(guardsOf([...three, ...adopting])).toEqual([]);
  });
  test.each<[string, Step[]]>([
    ["new", member("ada", "create", { news: { adopt: "gone" } })],
    ["changed", [step("ada", "OrgUser", "replace", { news: { adopt: "gone" } })]],
  ])("stop a %s row that adopts a user whom the service does not list", (_, adopting) => {
    const steps = [...three, ...adopting];
    expect(
      violationsOf(plan(steps), { ...guardContext, listedUsers: new Map([["other", "member"]]) }),
    ).toMatchObject([
      {
        ...{ guard: "wrong-user-id", people: ["ada@acme.example"], details: ["ada@acme.example: user gone"] },
        text: "1 person has a `user_id` that is not in the organization. To add them again, remove `user_id`; if the id is wrong, correct it; if they have left, remove the row.",
      },
    ]);
    expect(guardsOf(steps, { listedUsers: new Map([["gone", "member"]]) })).toEqual([]);
    expect(guardsOf(steps)).toEqual([]);
  });
  test("stop the removal of an administrator, unless the membership stays or a program allows it", () => {
    const admin = { listedUsers: new Map([["id-of-ada", "admin"]]) };
    const leaving = (olds: Properties) => [...three, ...member("ada", "delete", { olds })];
    expect(violationsOf(plan(leaving({})), { ...guardContext, ...admin })).toMatchObject([
      {
        ...{
          guard: "administrator-removal",
          people: ["ada@acme.example"],
          details: ["ada@acme.example: admin"],
        },
        text: "1 person would be removed but is an administrator or billing manager: restore the row or the resource, change the role in the service first, or, in a program, set `allowAdminRemoval: true` and run `orgseat up` before you remove the resource.",
      },
    ]);
    expect(guardsOf(leaving({ allowAdminRemoval: true }), admin)).toEqual([]);
    expect(guardsOf(leaving({ onDelete: "retain" }), admin)).toEqual([]);
    expect(guardsOf(leaving({}), { listedUsers: new Map([["id-of-ada", "member"]]) })).toEqual([]);
    expect(guardsOf(leaving({}))).toEqual([]);
    const [, seat, token] = member("ada", "delete");
    if (!seat || !token) throw new Error("a member has three steps");
    const seatOnly = [...three, step("ada", "OrgUser", "same"), seat, token];
    expect(guardsOf(seatOnly, admin)).toEqual([]);
    const renamed = [...three, ...member("ada", "replace")];
    expect(guardsOf(renamed, admin)).toEqual(["administrator-removal"]);
  });
  test("stop a plan that needs more seats than are bought, and say how many", () => {
    const steps = [...three, ...members(2, "create", "new")];
    const stops = violationsOf(plan(steps, { declaredSeats: 4 }), guardContext);
    expect(stops.map(({ text }) => text)).toEqual([
      "not enough seats: 1 more needed. The plan assigns 2 and removes 0; 1 of 4 (declared) are available. Buy seats and correct `seats` (in the roster, or ORGSEAT_SEATS), or remove seats.",
    ]);
    expect(violationsOf(plan(steps, { declaredSeats: 5 }), guardContext)).toEqual([]);
    expect(violationsOf(plan(steps), guardContext)).toEqual([]);
  });
});
