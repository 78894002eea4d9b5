import { describe, expect, test } from "vitest";
import { violationsOf } from "../../../command/plan/guards/guards.ts";
import { needsSwap } from "../../../command/plan/seats.ts";
import type { Properties, Step } from "../../../command/plan/steps/steps.ts";
import { headline } from "../../../command/plan/texts/counts.ts";
import { planToJson } from "../../../command/plan/texts/json.ts";
import { planToMarkdown } from "../../../command/plan/texts/markdown.ts";
import { planToText } from "../../../command/plan/texts/text.ts";
import { planSchema } from "../../setup/plan-schema.ts";
import { guardContext, lone, member, members, plan, step } from "./steps.ts";

const renewed = (key: string): Step =>
  step(key, "UserToken", "update", {
    olds: { validUntil: "2026-12-31T23:59:59Z" },
    news: { subscriptionExpiresAt: "2027-12-31T23:59:59Z" },
  });
const released = (key: string): Step => step(key, "OrgUser", "delete", { olds: { adopted: true } });

describe("the headline", () => {
  test("counts added, removed and released people, seats and tokens", () => {
    const steps = [
      ...members(12, "create", "new"),
      ...members(3, "delete", "gone"),
      ...["r1", "r2"].map(renewed),
      step("swapped", "UserToken", "replace"),
      released("kept"),
    ];
    expect(headline(plan(steps, { declaredSeats: 16 }))).toBe(
      "12 to add, 3 to remove, 1 to retain (stays a member) · seats +12 -3 (4 available afterwards, declared) · 12 tokens to issue, 2 to renew, 1 to replace, 3 to revoke",
    );
  });
  test("counts adopted people apart from added ones, without a seat", () => {
    const there = [
      step("ada", "OrgUser", "create", { news: { adopt: "id-of-ada" } }),
      step("ada", "SeatAssignment", "create", { news: { adopt: true } }),
    ];
    expect(headline(plan(there, { declaredSeats: 1 }))).toBe("1 to adopt");
    expect(planToText(plan(there))).toContain("ada@acme.example  adopt (is already a member), adopt seat");
  });
  test("says that available seats are unknown, and that there are no changes", () => {
    expect(headline(plan(members(1, "create")))).toContain(
      "1 to add, 0 to remove · seats +1 (available seats unknown) · 1 token to issue",
    );
    expect(headline(plan(members(1, "same")))).toBe("No changes.");
  });
  test("distinguishes updates of the state from no changes", () => {
    const noted = step("a", "OrgUser", "update", { news: { firstName: "Ada" } });
    expect(headline(plan([noted]))).toBe("No changes in the service, only state updates.");
  });
  test("uses the seats of the last onboarding unless they are declared, if it had a readable count", () => {
    const onboarded = (totalSeats: number | null, availableSeats: number | null) =>
      lone("Onboarding", "newcomers", "same", { olds: { totalSeats, availableSeats } });
    expect(headline(plan([onboarded(null, null), ...members(1, "create")]))).toContain(
      "(available seats unknown)",
    );
    expect(headline(plan([onboarded(9, 8), ...members(2, "create")]))).toContain(
      "(7 available afterwards, according to the last onboarding)",
    );
  });
});

describe("a renewal to an earlier date", () => {
  const shortened = step("cleo", "UserToken", "update", {
    olds: { validUntil: "2027-01-31T23:59:59Z", expiresAt: "2027-01-31T23:59:59Z", tokenId: "t1" },
    news: { expiresAt: "2026-12-31T23:59:59Z" },
  });

  test("appears as what it is, and sends the request of a renewal", () => {
    expect(headline(plan([shortened, renewed("bob")]))).toBe("1 token to renew, 1 to shorten");
    expect(planToText(plan([shortened]))).toContain(
      "cleo  shorten token (value unchanged): expires 2027-01-31 -> 2026-12-31",
    );
    const { entries, approvedChanges } = plan([shortened]);
    expect(entries.map(({ operation }) => operation)).toEqual(["renew token"]);
    expect(approvedChanges).toMatchObject([{ writes: ["renew token"], operations: ["renew token"] }]);
  });
});

describe("a machine user whom an earlier run may have created", () => {
  const builds = member("builds", "create", { news: { email: undefined, purpose: "Linux builds" } });
  const waiting = builds.map((one) =>
    one.type === "OrgUser" ? { ...one, undecided: { time: "2026-11-01T00:00:00.000Z" } } : one,
  );
  const planned = plan([...waiting, ...member("ada", "create")], { declaredSeats: 5 });

  test("stays out of the added people while a decision is due, as do seat and token", () => {
    expect(headline(planned)).toBe(
      "1 to add, 0 to remove, 1 undecided · seats +1 (4 available afterwards, declared) · 1 token to issue",
    );
    expect(planToText(planned)).toContain("Linux builds      skip: needs your decision (see below)");
    expect(planned.entries.filter(({ key }) => key === "builds")).toEqual([]);
    expect(planned.approvedChanges.filter(({ type }) => type === "OrgUser")).toHaveLength(1);
  });
});

describe("the order of a plan", () => {
  const steps = [...members(3, "delete", "gone"), ...member("zoe", "create"), ...member("ada", "create")];
  const ordered = plan(steps.toReversed(), { order: ["zoe", "ada"] });

  test("follows the roster, then the name", () => {
    const text = planToText(ordered);
    expect(text).toMatch(/Changes \(2\):\n {2}zoe@.*\n {2}ada@/);
    expect(text).toMatch(/\n {2}gone0@.*\n {2}gone1@.*\n {2}gone2@/);
    const keys = planToJson(ordered).people.map(({ key }) => key);
    expect(keys.join(" ")).toBe("zoe ada gone0 gone1 gone2");
  });

  test("follows the people whom a guard names", () => {
    const blocked = violationsOf(plan(members(12, "delete", "gone").toReversed()), guardContext);
    const [first, second] = blocked[0]?.people ?? [];
    expect([first, second]).toEqual(["gone0@acme.example", "gone10@acme.example"]);
  });
});

describe("a plan in text", () => {
  test("begins with a summary, lists irreversible changes first, and names people by their emails", () => {
    const steps = [...member("ada", "create"), ...member("bob", "delete"), renewed("cleo")];
    expect(planToText(plan(steps, { declaredSeats: 5 }))).toBe(
      [
        "1 to add, 1 to remove · seats +1 -1 (4 available afterwards, declared) · 1 token to issue, 1 to renew, 1 to revoke",
        "No emails will be sent.",
        "",
        "Cannot be undone (1):",
        "  bob@acme.example  remove from the organization, revoke token, remove seat",
        "",
        "Changes (2):",
        "  ada@acme.example  add, assign seat, issue token",
        "  cleo              renew token (value unchanged): expires 2026-12-31 -> 2027-12-31",
      ].join("\n"),
    );
  });
  test("lists a new or removed protection, which is a change of the state only", () => {
    const on = { isProtected: { before: false, after: true } };
    const off = { isProtected: { before: true, after: false } };
    const found = plan([...member("boss", "same", on), ...member("bob", "same", off), ...members(1, "same")]);
    expect(found.hasChanges).toBe(true);
    expect(headline(found)).toBe(
      "protect from removal: 1 person · remove the protection from removal: 1 person",
    );
    expect(planToText(found)).toMatch(
      /bob@acme.example +remove the protection from removal\n +boss@acme.example +protect from removal/,
    );
  });
  test("says to whom the service sends emails", () => {
    const news = { emails: ["a@acme.example", "b@acme.example"] };
    expect(planToText(plan([lone("Onboarding", "newcomers", "create", { news })]))).toContain(
      "The service will send emails: two to each of 2 people (welcome, token), and one to each administrator.",
    );
  });
});

describe("a long plan in text", () => {
  const long = plan([...members(25, "delete", "gone"), ...members(30, "create", "new"), renewed("cleo")]);

  test("ends each list after 20 entries and counts the rest", () => {
    const text = planToText(long);
    expect(text).toMatch(/^Cannot be undone \(25\):\n(?: {2}gone.*\n){20} {2}and 5 more$/m);
    expect(text).toMatch(/^Changes \(31\):\n(?: {2}\S.*\n){20} {2}and 11 more$/m);
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

  test("gives each line a tone: leaving, joining, renewing", () => {
    const three = plan([...member("ada", "create"), ...member("bob", "delete"), renewed("cleo")]);
    const text = planToText(three, [], { paint: (line, tone) => `${tone}: ${line.trim()}` });
    expect(text).toMatch(/^joining: ada@/m);
    expect(text).toMatch(/^leaving: bob@/m);
    expect(text).toMatch(/^renewing: cleo /m);
  });
});

describe("a membership that is replaced", () => {
  const replaced = (olds: Properties, news: Properties) =>
    planToText(plan([step("x", "OrgUser", "replace", { olds, news })]));
  const nobody = { email: undefined };
  test("names both emails if the email changed", () => {
    expect(replaced({ email: "old@acme.example" }, { email: "new@acme.example" })).toContain(
      "new@acme.example (was old@acme.example)  add with the new email, remove the old membership",
    );
  });
  test("mentions no email if the purpose changed", () => {
    const text = replaced({ ...nobody, purpose: "Builds" }, { ...nobody, purpose: "Releases" });
    expect(text).toContain("Releases (was Builds)  add with the new purpose, remove the old membership");
    expect(text).not.toContain("new email");
  });
  test("names both memberships if the organization changed", () => {
    expect(replaced({}, { organizationId: "another" })).toContain(
      "x@acme.example  add to the other organization, remove from the previous one",
    );
  });
  test("becomes a new member if a person becomes a machine user, or a machine user a person", () => {
    const words = "add as a new member, remove the old membership";
    expect(replaced({}, { ...nobody, purpose: "Builds" })).toContain(`Builds (was x@acme.example)  ${words}`);
    expect(replaced({ ...nobody, purpose: "Builds" }, {})).toContain(`x@acme.example (was Builds)  ${words}`);
  });
  test("adds the member again if the identity did not change", () => {
    expect(replaced({}, {})).toContain(
      "x@acme.example  add again as a new member, remove the old membership",
    );
  });
  test("counts as added and as removed, whatever the reason", () => {
    const steps = [
      step("a", "OrgUser", "replace", { news: { email: "a2@acme.example" } }),
      step("b", "OrgUser", "replace", {
        olds: { ...nobody, purpose: "1" },
        news: { ...nobody, purpose: "2" },
      }),
      step("c", "OrgUser", "replace", { news: { organizationId: "another" } }),
      step("d", "OrgUser", "replace", { news: { ...nobody, purpose: "D" } }),
      step("e", "OrgUser", "replace"),
    ];
    expect(headline(plan(steps))).toBe("5 to add, 5 to remove");
  });
});

describe("the emails of an onboarding", () => {
  const ADA = "ada@acme.example";
  const onboarding = (action: Step["action"], olds: Properties, news: Properties) =>
    planToText(plan([lone("Onboarding", "newcomers", action, { olds, news })]));
  const statuses = { [ADA]: "inProcess", "bob@acme.example": "unavailable", "eve@acme.example": "unknown" };
  const emails = Object.keys(statuses);

  test("go to everybody who is not in process if `resend` changed", () => {
    const text = onboarding("update", { emails, statuses }, { emails, resend: "2" });
    expect(text).toContain("two to each of 2 people (welcome, token)");
    expect(text).toContain("invite by email");
  });
  test("go to nobody where credentials alone have changed, or all are in process", () => {
    const none = "No emails will be sent.";
    const credentials = { clientId: "c", clientSecret: "s" };
    const changed = onboarding("update", { emails, statuses }, { emails, credentials });
    expect(changed).toContain(none);
    expect(changed).toContain("update the state only");
    const all = { emails: [ADA], statuses: { [ADA]: "inProcess" }, resend: "1" };
    expect(onboarding("update", all, { emails: [ADA], resend: "2" })).toContain(none);
  });
  test("go to nobody who was accepted, left the list and is back on it", () => {
    const olds = { emails: [], statuses: {}, formerStatuses: { [ADA]: "inProcess" } };
    expect(onboarding("update", olds, { emails: [ADA] })).toContain("No emails will be sent.");
  });
});

test("a plan in JSON has the documented shape, and lists changed people only", () => {
  const found = plan([...members(2, "same"), ...member("bob", "delete")]);
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
  const both = [...members(3, "same"), ...member("new", "create"), ...member("gone", "delete")];
  test("happens if seats run short before the removals, or if the seats are unknown", () => {
    expect(needsSwap(plan(both, { declaredSeats: 4 }).seats)).toBe(true);
    expect(needsSwap(plan(both).seats)).toBe(true);
  });
  test("stays away with enough seats, with only additions or removals, or for a changed email", () => {
    expect(needsSwap(plan(both, { declaredSeats: 5 }).seats)).toBe(false);
    expect(needsSwap(plan(members(3, "create")).seats)).toBe(false);
    expect(needsSwap(plan(members(3, "delete")).seats)).toBe(false);
    expect(needsSwap(plan(members(3, "replace"), { declaredSeats: 3 }).seats)).toBe(false);
  });
});
