import { describe, expect, test } from "vitest";
import { headline } from "../../../../sdk/automation/plan/counts.ts";
import { violationsOf } from "../../../../sdk/automation/plan/guards.ts";
import { planSchema, planToJson } from "../../../../sdk/automation/plan/json.ts";
import { MARKDOWN_LIMIT, planToMarkdown } from "../../../../sdk/automation/plan/markdown.ts";
import { needsSwap } from "../../../../sdk/automation/plan/seats.ts";
import type { Properties, Step } from "../../../../sdk/automation/plan/steps.ts";
import { planToText } from "../../../../sdk/automation/plan/text.ts";
import { member, members, NOW, ORGANIZATION, plan, step } from "./steps.ts";

const renewed = (key: string): Step =>
  step(key, "UserToken", "update", {
    olds: { validUntil: "2026-12-31T23:59:59Z" },
    news: { subscriptionExpiresAt: "2027-12-31T23:59:59Z" },
  });
const released = (key: string): Step => step(key, "OrgUser", "delete", { olds: { adopted: true } });

describe("the headline", () => {
  test("counts who joins and leaves, seats, tokens and who is released", () => {
    const steps = [
      ...members(12, "create", "new"),
      ...members(3, "delete", "gone"),
      ...["r1", "r2"].map(renewed),
      step("swapped", "UserToken", "replace"),
      released("kept"),
    ];
    expect(headline(plan(steps, { declaredSeats: 16 }))).toBe(
      "joining 12, leaving 3, seats +12 -3 (4 free afterwards, declared), tokens issued 12, renewed 2, replaced 1, revoked 3, released (stays a member) 1",
    );
  });
  test("tells who is taken over from who joins, and uses no seat for them", () => {
    const there = [
      step("ada", "OrgUser", "create", { news: { adopt: "id-of-ada" } }),
      step("ada", "SeatAssignment", "create", { news: { adopt: true } }),
    ];
    expect(headline(plan(there, { declaredSeats: 1 }))).toBe("taken over 1");
    expect(planToText(plan(there))).toContain(
      "ada@acme.example  taken over, is a member already, seat taken over",
    );
  });
  test("says where free seats are not known, and where there is nothing to do", () => {
    expect(headline(plan(members(1, "create")))).toContain("seats +1 (free seats not checked)");
    expect(headline(plan(members(1, "same")))).toBe("nothing to do");
  });
  test("tells notes in the state from nothing", () => {
    const noted = step("a", "OrgUser", "update", { news: { firstName: "Ada" } });
    expect(headline(plan([noted]))).toBe("nothing at the service, notes in the state only");
  });
  test("takes the seats that the service said last where nobody has declared them", () => {
    const onboarding: Step = {
      ...step("newcomers", "OrgUser", "same", { olds: { totalSeats: 9, availableSeats: 8 } }),
      type: "Onboarding",
    };
    expect(headline(plan([onboarding, ...members(2, "create")]))).toContain(
      "(7 free afterwards, onboarding)",
    );
  });
});

describe("a plan in text", () => {
  test("puts what cannot be undone first, and names people by their emails", () => {
    const steps = [...member("ada", "create"), ...member("bob", "delete"), renewed("cleo")];
    expect(planToText(plan(steps, { declaredSeats: 5 }))).toBe(
      [
        "joining 1, leaving 1, seats +1 -1 (4 free afterwards, declared), tokens issued 1, renewed 1, revoked 1",
        "",
        "Cannot be undone:",
        "  bob@acme.example  leaves the organization, token revoked, seat given back",
        "",
        "Changes:",
        "  ada@acme.example  joins, gets a seat, token issued",
        "  cleo              token renewed, same value",
        "",
        "The service sends no mails for this.",
      ].join("\n"),
    );
  });
  test("tells that somebody is protected from now on, or no longer, which is a change of the state alone", () => {
    const on = { isProtected: { before: false, after: true } };
    const off = { isProtected: { before: true, after: false } };
    const found = plan([
      ...member("boss", "same", on),
      ...member("bob", "same", off),
      ...member("ada", "same"),
    ]);
    expect(found.hasChanges).toBe(true);
    expect(headline(found)).toBe("nothing at the service, notes in the state only");
    expect(planToText(found)).toMatch(
      /bob@acme.example +no longer protected from removal\n +boss@acme.example +protected/,
    );
  });
  test("says whom the service writes to", () => {
    const onboarding: Step = {
      ...step("newcomers", "OrgUser", "create", { news: { emails: ["a@acme.example", "b@acme.example"] } }),
      type: "Onboarding",
    };
    expect(planToText(plan([onboarding]))).toContain(
      "The service sends mails: two to each of 2 people (welcome, token), and one to the administrators.",
    );
  });
});

describe("a membership that is replaced", () => {
  const replaced = (olds: Properties, news: Properties) =>
    planToText(plan([step("x", "OrgUser", "replace", { olds, news })]));
  const nobody = { email: undefined };
  test("because of a changed email says so, and names both", () => {
    expect(replaced({ email: "old@acme.example" }, { email: "new@acme.example" })).toContain(
      "new@acme.example (was old@acme.example)  joins under the new email, and the old membership ends",
    );
  });
  test("because of a changed purpose speaks of no email", () => {
    const text = replaced({ ...nobody, firstName: "Builds" }, { ...nobody, firstName: "Releases" });
    expect(text).toContain(
      "Releases (was Builds)  added again with the new purpose, and the old membership ends",
    );
    expect(text).not.toContain("email");
  });
  test("because of another organization says who leaves and joins what", () => {
    expect(replaced({}, { organizationId: "another" })).toContain(
      "x@acme.example  joins the other organization, and leaves the one before",
    );
  });
  test("because a person becomes a managed user, or a managed user a person, is a new member", () => {
    const words = "added as a new member, and the old membership ends";
    expect(replaced({}, { ...nobody, firstName: "Builds" })).toContain(
      `Builds (was x@acme.example)  ${words}`,
    );
    expect(replaced({ ...nobody, firstName: "Builds" }, {})).toContain(
      `x@acme.example (was Builds)  ${words}`,
    );
  });
  test("without a reason in who it is says that it is added again", () => {
    expect(replaced({}, {})).toContain("x@acme.example  added again as a new member, and the old membership");
  });
  test("counts as joining and as leaving, whatever the reason", () => {
    const steps = [
      step("a", "OrgUser", "replace", { news: { email: "a2@acme.example" } }),
      step("b", "OrgUser", "replace", {
        olds: { ...nobody, firstName: "1" },
        news: { ...nobody, firstName: "2" },
      }),
      step("c", "OrgUser", "replace", { news: { organizationId: "another" } }),
      step("d", "OrgUser", "replace", { news: { ...nobody, firstName: "D" } }),
      step("e", "OrgUser", "replace"),
    ];
    expect(headline(plan(steps))).toBe("joining 5, leaving 5");
  });
});

describe("the mails of an onboarding", () => {
  const ADA = "ada@acme.example";
  const onboarding = (action: Step["action"], olds: Properties, news: Properties) =>
    planToText(plan([{ ...step("newcomers", "OrgUser", action, { olds, news }), type: "Onboarding" }]));
  const verdicts = { [ADA]: "inProcess", "bob@acme.example": "unavailable", "eve@acme.example": "unknown" };
  const emails = Object.keys(verdicts);

  test("with a changed `retry` go to everybody who is not in process", () => {
    const text = onboarding("update", { emails, verdicts }, { emails, retry: "2" });
    expect(text).toContain("two to each of 2 people (welcome, token)");
    expect(text).toContain("invited by mail");
  });
  test("go to nobody where credentials alone have changed, or all are in process", () => {
    const none = "The service sends no mails for this.";
    const credentials = { clientId: "c", clientSecret: "s" };
    const changed = onboarding("update", { emails, verdicts }, { emails, credentials });
    expect(changed).toContain(none);
    expect(changed).toContain("noted in the state only");
    const all = { emails: [ADA], verdicts: { [ADA]: "inProcess" }, retry: "1" };
    expect(onboarding("update", all, { emails: [ADA], retry: "2" })).toContain(none);
  });
  test("go to nobody who was accepted, left the list and is back on it", () => {
    const olds = { emails: [], verdicts: {}, formerVerdicts: { [ADA]: "inProcess" } };
    expect(onboarding("update", olds, { emails: [ADA] })).toContain("The service sends no mails");
  });
});

describe("a plan in Markdown", () => {
  test("stays within what GitHub takes, and counts what it leaves out", () => {
    const steps = [
      ...members(3000, "delete", "someone-with-a-long-name-"),
      ...members(3000, "create", "new"),
    ];
    const found = plan(steps);
    const stops = violationsOf(found, limitsOf(found.organizationId));
    const leftOut = Array.from({ length: 900 }, (_, index) => `${index}@${"long-".repeat(20)}name.example`);
    const page = planToMarkdown({ plan: found, violations: stops, moving: ["ada"], leftOut });
    expect(page.length).toBeLessThanOrEqual(MARKDOWN_LIMIT);
    expect(page).toMatch(/and [\d,]+ lines more/);
    expect(page).toContain("joining 3000, leaving 3000");
    expect(page).toMatch(/Left out, because they are on the leaver list: `0@long-.* and 880 more\.\n/);
    expect(page).toMatch(/first moves the states of 1 person to other stacks, without a call\.$/);
  });
});

const limitsOf = (organizationId: string) => ({
  ...{ roster: undefined, ownership: undefined, configuredOrganization: organizationId, clientId: undefined },
  ...{ protected: [], override: undefined, namedOneByOne: false, now: NOW },
});

test("a plan in JSON has the documented shape, and nobody who stays as they are", () => {
  const found = plan([...members(2, "same"), ...member("bob", "delete")]);
  const json = planToJson(found, violationsOf(found, limitsOf(ORGANIZATION)));
  expect(planSchema.parse(JSON.parse(JSON.stringify(json)))).toEqual(json);
  expect(json.people).toEqual([
    {
      ...{ key: "bob", who: "bob@acme.example", stack: "people", userId: "id-of-bob" },
      actions: ["leave", "revokeToken", "returnSeat"],
    },
  ]);
});

describe("a swap of seats", () => {
  const both = [...members(3, "same"), ...member("new", "create"), ...member("gone", "delete")];
  test("is needed where seats run short before leavers have gone, and where nobody knows", () => {
    expect(needsSwap(plan(both, { declaredSeats: 4 }).seats)).toBe(true);
    expect(needsSwap(plan(both).seats)).toBe(true);
  });
  test("is not needed where seats suffice, nor for one side alone, nor for a changed email", () => {
    expect(needsSwap(plan(both, { declaredSeats: 5 }).seats)).toBe(false);
    expect(needsSwap(plan(members(3, "create")).seats)).toBe(false);
    expect(needsSwap(plan(members(3, "delete")).seats)).toBe(false);
    expect(needsSwap(plan(members(3, "replace"), { declaredSeats: 3 }).seats)).toBe(false);
  });
});
