import { describe, expect, test } from "vitest";
import { planRoster } from "../../../command/members/plan.ts";
import { violationsOf } from "../../../command/plan/guards/guards.ts";
import { headline } from "../../../command/plan/texts/counts.ts";
import { planToJson } from "../../../command/plan/texts/json.ts";
import { planToMarkdown } from "../../../command/plan/texts/markdown.ts";
import { planToText } from "../../../command/plan/texts/text.ts";
import { planSchema } from "../../setup/plan-schema.ts";
import { guardContext, inputOf, machine, plan, row, rows } from "./planned.ts";

/** A token that is renewed to the end of the subscription. */
const early = (key: string) => row(key, { expires: "2026-12-31T23:59:59Z", window: "30d" });
const had = { had: [early("cleo")], roster: { subscriptionExpiresAt: "2027-12-31T23:59:59Z" } };

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

describe("a long plan in text", async () => {
  const long = await plan({ had: rows(25, "gone"), has: rows(30, "new") });

  test("counts the people whom a guard names already, in Markdown too", () => {
    const people = long.losingAccess.map(({ label }) => label);
    const stop = { guard: "removal-limit", text: "too many", people, override: undefined } as const;
    const page = planToMarkdown({ plan: long, violations: [stop] });
    expect(page).toContain("**Cannot be undone** (25, 20 of them above)");
  });

  test("gives each line a tone: leaving, joining, renewing", async () => {
    const three = await plan({ ...had, had: [row("bob"), ...had.had], has: [row("ada"), row("cleo")] });
    const text = planToText(three, [], { paint: (line, tone) => `${tone}: ${line.trim()}` });
    expect(text).toMatch(/^joining: ada@/m);
    expect(text).toMatch(/^leaving: bob@/m);
    expect(text).toMatch(/^renewing: cleo@/m);
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

test("a row whose token has no date names the fields of a roster", async () => {
  const input = inputOf({ subscriptionExpiresAt: undefined }, [row("ada")], {});
  const { stopped } = await planRoster({ ...input, subscriptionExpiresAt: undefined });
  expect(stopped.map(({ text }) => text)).toEqual([
    "people.csv, ada: token.expiresAt: no expiry date is known. Set `expires` or `subscription`",
  ]);
});
