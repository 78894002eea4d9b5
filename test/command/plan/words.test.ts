import { describe, expect, test } from "vitest";
import { planRoster } from "../../../command/members/plan.ts";
import { violationsOf } from "../../../command/plan/guards/guards.ts";
import { needsSwap } from "../../../command/plan/seats.ts";
import { headline } from "../../../command/plan/texts/counts.ts";
import { planToJson } from "../../../command/plan/texts/json.ts";
import { planToMarkdown } from "../../../command/plan/texts/markdown.ts";
import { planToText } from "../../../command/plan/texts/text.ts";
import type { RosterPerson } from "../../../command/roster/roster.ts";
import { planSchema } from "../../setup/plan-schema.ts";
import { guardContext, inputOf, machine, plan, row, rows } from "./planned.ts";

/** A token that is renewed to the end of the subscription. */
const early = (key: string) => row(key, { expires: "2026-12-31T23:59:59Z", window: "30d" });
const had = { had: [early("cleo")], roster: { subscriptionExpiresAt: "2027-12-31T23:59:59Z" } };

describe("the headline", () => {
  test("counts added, removed and retained people, seats and tokens", async () => {
    const stay = [early("r1"), early("r2"), row("swapped")];
    const found = await plan({
      had: [...rows(3, "gone"), ...stay],
      has: [...rows(12, "new"), row("r1"), row("r2"), row("swapped", { rotation: "2" })],
      declaredSeats: 19,
    });
    expect(headline(found)).toBe(
      "12 to add, 3 to remove · seats +12 -3 (4 available afterwards, declared) · 12 tokens to issue, 2 to renew, 1 to replace, 3 to revoke",
    );
    const retained = await plan({ had: [row("kept")], has: [], roster: { onDelete: "retain" } });
    expect(headline(retained)).toBe("1 to retain (stays a member) · 1 token to revoke");
  });
  test("counts adopted people apart from added ones, without a seat", async () => {
    const users = [{ id: "id-of-ada", email: "ada@acme.example", role: "member", subscriptions: ["base"] }];
    const given = { has: [row("ada", { userId: "id-of-ada", token: false })], platform: "anaconda" } as const;
    const there = await plan({ ...given, listed: users, declaredSeats: 1 });
    expect(headline(there)).toBe("1 to adopt");
    expect(planToText(there)).toContain("ada@acme.example  adopt (is already a member), adopt seat");
  });
  test("says that available seats are unknown, and that there are no changes", async () => {
    expect(headline(await plan({ has: rows(1) }))).toBe(
      "1 to add, 0 to remove · seats +1 (available seats unknown) · 1 token to issue",
    );
    expect(headline(await plan({ had: rows(1) }))).toBe("No changes.");
  });
  test("distinguishes updates of the state from no changes", async () => {
    const noted = await plan({ had: [row("a")], has: [row("a", { window: "30d" })] });
    expect(headline(noted)).toBe("No changes in the service, only state updates.");
  });
});

describe("a renewal to an earlier date", () => {
  test("appears as what it is, and sends the request of a renewal", async () => {
    const found = await plan({
      had: [row("cleo"), early("bob")],
      has: [row("cleo", { expires: "2026-12-31T23:59:59Z" }), row("bob")],
      platform: "anaconda",
    });
    expect(headline(found)).toBe("1 token to renew, 1 to shorten");
    expect(planToText(found)).toContain(
      "cleo@acme.example  shorten token (value unchanged): expires 2027-01-31 -> 2026-12-31",
    );
    expect(found.entries.map(({ operation }) => operation)).toEqual(["renew token", "renew token"]);
  });
});

describe("a machine user whom an earlier run may have created", () => {
  test("stays out of the added people while a decision is due, as do seat and token", async () => {
    const found = await plan({
      had: [machine("builds", "Linux builds")],
      held: ({ users: [user], ...held }) => {
        const { purpose } = user ?? {};
        return { ...held, users: [], pending: { since: "2026-11-01T00:00:00.000Z", purpose } };
      },
      has: [machine("builds", "Linux builds"), row("ada")],
      declaredSeats: 5,
    });
    expect(headline(found)).toBe(
      "1 to add, 0 to remove, 1 undecided · seats +1 (4 available afterwards, declared) · 1 token to issue",
    );
    expect(planToText(found)).toContain("Linux builds      skip: needs your decision (see below)");
    const own = found.entries.filter(({ key }) => key === "builds");
    expect(own.map(({ operation }) => operation)).toEqual(["wait for a decision"]);
  });
});

describe("the order of a plan", async () => {
  const leaving = rows(3, "gone").toReversed();
  const ordered = await plan({ had: leaving, has: [row("ada"), row("zoe")], order: ["zoe", "ada"] });

  test("follows the roster, then the name", () => {
    const text = planToText(ordered);
    expect(text).toMatch(/Changes \(2\):\n {2}zoe@.*\n {2}ada@/);
    expect(text).toMatch(/\n {2}gone0@.*\n {2}gone1@.*\n {2}gone2@/);
    const keys = planToJson(ordered).people.map(({ key }) => key);
    expect(keys.join(" ")).toBe("zoe ada gone0 gone1 gone2");
  });

  test("follows the people whom a guard names", async () => {
    const found = await plan({ had: rows(12, "gone").toReversed(), has: [] });
    const [first, second] = violationsOf(found, guardContext)[0]?.people ?? [];
    expect([first, second]).toEqual(["gone0@acme.example", "gone10@acme.example"]);
  });
});

describe("a plan in text", () => {
  test("begins with a summary, lists irreversible changes first, and names people by their emails", async () => {
    const found = await plan({
      ...had,
      had: [row("bob"), ...had.had],
      has: [row("ada"), row("cleo")],
      declaredSeats: 6,
    });
    expect(planToText(found)).toBe(
      [
        "1 to add, 1 to remove · seats +1 -1 (4 available afterwards, declared) · 1 token to issue, 1 to renew, 1 to revoke",
        "No emails will be sent.",
        "",
        "Cannot be undone (1):",
        "  bob@acme.example   remove from the organization, revoke token, remove seat",
        "",
        "Changes (2):",
        "  ada@acme.example   add, assign seat, issue token",
        "  cleo@acme.example  renew token (value unchanged): expires 2026-12-31 -> 2027-12-31",
      ].join("\n"),
    );
  });
  test("lists a new or removed protection, which is a change of the state only", async () => {
    const on = { protected: true };
    const found = await plan({
      had: [row("boss"), row("bob", on), ...rows(1)],
      has: [row("boss", on), row("bob"), ...rows(1)],
    });
    expect(found.hasChanges).toBe(true);
    expect(headline(found)).toBe(
      "protect from removal: 1 person · remove the protection from removal: 1 person",
    );
    expect(planToText(found)).toMatch(
      /bob@acme.example +remove the protection from removal.*\n +boss@acme.example +protect from removal/,
    );
  });
  test("says to how many people the service sends emails", async () => {
    const found = await plan({ has: [row("a", { sendEmail: true }), row("b")], platform: "anaconda" });
    expect(planToText(found)).toContain(
      "The service will send emails: 1 about a new seat; 1 about a new token.",
    );
  });
});

describe("a long plan in text", async () => {
  const long = await plan({ had: rows(25, "gone"), has: rows(30, "new") });

  test("ends each list after 20 entries and counts the rest", () => {
    const text = planToText(long);
    expect(text).toMatch(/^Cannot be undone \(25\):\n(?: {2}gone.*\n){20} {2}and 5 more$/m);
    expect(text).toMatch(/^Changes \(30\):\n(?: {2}\S.*\n){20} {2}and 10 more$/m);
  });

  test("counts the people whom a guard names already", () => {
    const people = long.losingAccess.map(({ label }) => label);
    const stop = { guard: "removal-limit", text: "too many", people, override: undefined } as const;
    const text = planToText(long, [stop]);
    expect(text).toMatch(/^Cannot be undone \(25, 20 of them above\):\n(?: {2}gone.*\n){5}$/m);
    const page = planToMarkdown({ plan: long, violations: [stop] });
    expect(page).toContain("**Cannot be undone** (25, 20 of them above)");
  });

  test("lists everything with verbose", () => {
    const text = planToText(long, [], { verbose: true });
    expect(text.match(/^ {2}gone/gm)).toHaveLength(25);
    expect(text.match(/^ {2}new/gm)).toHaveLength(30);
    expect(text).not.toContain("more");
  });

  test("gives each line a tone: leaving, joining, renewing", async () => {
    const three = await plan({ ...had, had: [row("bob"), ...had.had], has: [row("ada"), row("cleo")] });
    const text = planToText(three, [], { paint: (line, tone) => `${tone}: ${line.trim()}` });
    expect(text).toMatch(/^joining: ada@/m);
    expect(text).toMatch(/^leaving: bob@/m);
    expect(text).toMatch(/^renewing: cleo@/m);
  });
});

describe("a membership that is replaced", async () => {
  const changed = (one: RosterPerson, other: RosterPerson) => plan({ had: [one], has: [other] });
  const email = await changed(row("x", { email: "old@acme.example" }), row("x"));
  const purpose = await changed(machine("x", "Builds"), machine("x", "Releases"));
  const words = "add as a new member, remove the old membership";

  test("names both emails if the email changed", () => {
    expect(planToText(email)).toContain(
      "x@acme.example (was old@acme.example)  add with the new email, remove the old membership",
    );
  });
  test("mentions no email if the purpose changed", () => {
    const text = planToText(purpose);
    expect(text).toContain("Releases (was Builds)  add with the new purpose, remove the old membership");
    expect(text).not.toContain("new email");
  });
  test("becomes a new member if a person becomes a machine user, or a machine user a person", async () => {
    const [person, builds] = [row("x"), machine("x", "Builds")];
    expect(planToText(await changed(person, builds))).toContain(`Builds (was x@acme.example)  ${words}`);
    expect(planToText(await changed(builds, person))).toContain(`x@acme.example (was Builds)  ${words}`);
  });
  test("counts once as added and once as removed, whatever the reason", () => {
    for (const found of [email, purpose]) expect(headline(found)).toMatch(/^1 to add, 1 to remove · /);
  });
});

test("a plan in JSON has the documented shape, and lists changed people only", async () => {
  const found = await plan({ had: [...rows(2), row("bob")], has: rows(2) });
  const json = planToJson(found, violationsOf(found, guardContext));
  expect(planSchema.parse(JSON.parse(JSON.stringify(json)))).toEqual(json);
  expect(json.people).toEqual([
    {
      ...{ key: "bob", who: "bob@acme.example", stack: "people", userId: "id-of-bob", file: null },
      ...{ actions: ["leave", "revokeToken", "returnSeat"], reasons: [] },
    },
  ]);
});

describe("a swap of seats", () => {
  const both = { had: [...rows(3), row("gone")], has: [...rows(3), row("new")] };
  test("happens if seats run short before the removals, or if the seats are unknown", async () => {
    expect(needsSwap((await plan({ ...both, declaredSeats: 4 })).seats)).toBe(true);
    expect(needsSwap((await plan(both)).seats)).toBe(true);
  });
  test("stays away with enough seats, with only additions or removals, or for a changed email", async () => {
    expect(needsSwap((await plan({ ...both, declaredSeats: 5 })).seats)).toBe(false);
    expect(needsSwap((await plan({ has: rows(3) })).seats)).toBe(false);
    expect(needsSwap((await plan({ had: rows(3), has: [] })).seats)).toBe(false);
    const renamed = rows(3).map((one) => ({ ...one, email: `new-${one.email}` }));
    expect(needsSwap((await plan({ had: rows(3), has: renamed, declaredSeats: 3 })).seats)).toBe(false);
  });
});

test("a row whose token has no date names the fields of a roster", async () => {
  const input = inputOf({ subscriptionExpiresAt: undefined }, [row("ada")], {});
  const { stopped } = await planRoster({ ...input, subscriptionExpiresAt: undefined });
  expect(stopped.map(({ text }) => text)).toEqual([
    "people.csv, ada: token.expiresAt: no expiry date is known. Set `expires` or `subscription`",
  ]);
});
