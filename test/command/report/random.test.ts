import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { expect, test } from "vitest";
import { buildReport, reportForms } from "../../../command/report/report.ts";
import { type Report, reportSchema } from "../../../command/report/schema.ts";
import { checkCases } from "../../setup/cases.ts";
import { hostileNames } from "./hostile-names.ts";
import { type HeldMember, inDays, now, person, reportFactsOf, roster, stackExport } from "./organization.ts";

/** Few, so that keys, emails and user ids of rows and members meet, rightly and wrongly. */
const keys = ["k0", "k1", "k2", "k3", "k4", "e0@acme.example", "e1@acme.example"];
const emails = ["e0@acme.example", "e1@acme.example", "e2@acme.example", "e3@acme.example"];
/** Days on both sides of each band's bounds. */
const bounds = [-1 / 86_400, 0, 1 / 24, 6.99, 7, 29.99, 30, 89.99, 90];
const name = fc.constantFrom("Ada", ...hostileNames);

const memberArbitrary = fc.record({
  key: fc.constantFrom(...keys),
  email: fc.option(fc.constantFrom(...emails)),
  name,
  userId: fc.integer({ min: 0, max: 9 }).map((index) => `u${index}`),
  seat: fc.constantFrom<boolean | "unconfirmed">(true, false, "unconfirmed"),
  token: fc.option(
    fc.record({
      days: fc.oneof(fc.constantFrom(...bounds), fc.integer({ min: -900, max: 2000 })),
      source: fc.constantFrom<"service" | "declared">("service", "declared"),
    }),
  ),
});
const rowArbitrary = fc.record({
  key: fc.constantFrom(...keys),
  email: fc.option(fc.constantFrom(...emails)),
  name,
  userId: fc.option(fc.constantFrom("u0", "u1", "u2")),
});
const organizationArbitrary = fc.record({
  members: fc.uniqueArray(memberArbitrary, { selector: ({ userId }) => userId, maxLength: 10 }),
  rows: fc.uniqueArray(rowArbitrary, { selector: ({ key }) => key, maxLength: 7 }),
  seats: fc.option(fc.integer({ min: 0, max: 12 })),
});
const bands = ["expired", "under7", "under30", "under90", "more"] as const;
const bandOf = (days: number) =>
  bands[days <= 0 ? 0 : 1 + [7, 30, 90].filter((bound) => days >= bound).length];
type Organization = typeof organizationArbitrary extends fc.Arbitrary<infer T> ? T : never;

function reportOf({ members, rows, seats }: Organization): Report {
  const held = members.map(
    ({ key, email, name, userId, seat, token }): HeldMember => ({
      ...{ key, names: [name], userId, seat },
      ...(email === null ? {} : { email }),
      token: token && { validUntil: inDays(token.days), source: token.source },
    }),
  );
  const people = rows.map(({ key, email, name, userId }) =>
    person(key, {
      ...(email === null
        ? { email: undefined, purpose: name }
        : { email, purpose: undefined, firstName: name }),
      userId: userId ?? undefined,
    }),
  );
  const listed = roster(people, { seats: seats ?? undefined });
  const options = { now, seats: seats ?? undefined };
  return buildReport(reportFactsOf(stackExport("a", held), listed, [], options), { month: "2026-11" });
}

test("whatever rosters and states hold, each row and each member is reported once, and the sums are right", async () => {
  const suite = { name: "reports", level: "R", cases: 500 } as const;
  await checkCases(suite, organizationArbitrary, async (organization) => {
    const { members, rows, seats } = organization;
    const made = reportOf(organization);
    const { people, tokens } = made;

    const reportedKeys = people.flatMap(({ key }) => key ?? []);
    expect(reportedKeys.toSorted()).toEqual(rows.map(({ key }) => key).toSorted());
    const inState = people.filter((found) => found.inState).map(({ userId }) => userId);
    expect(inState.toSorted()).toEqual(members.map(({ userId }) => userId).toSorted());
    expect(people.filter((found) => !found.inState && !found.inRoster)).toEqual([]);

    const used = members.filter(({ seat }) => seat !== false).length;
    expect(made.seats).toEqual({
      ...{ used, unconfirmed: members.filter(({ seat }) => seat === "unconfirmed").length },
      ...{ purchased: seats, available: seats === null ? null : seats - used },
      source: seats === null ? "unknown" : "declared",
    });
    const held = members.flatMap(({ token }) => token ?? []);
    const counted = (of: typeof held) => {
      const confirmed = of.filter(({ source }) => source === "service").length;
      return { total: of.length, confirmed, declared: of.length - confirmed };
    };
    expect(tokens).toMatchObject(counted(held));
    expect(tokens.bands).toEqual(
      bands.map((band) => ({ band, ...counted(held.filter(({ days }) => bandOf(days) === band)) })),
    );
    for (const { userId, token } of members) {
      const found = people.find((one) => one.userId === userId)?.token;
      if (token === null) expect(found ?? null).toBeNull();
      else expect(found).toMatchObject({ daysLeft: Math.floor(token.days), band: bandOf(token.days) });
    }
    const ends = people.map(({ token }) => token?.daysLeft ?? Number.POSITIVE_INFINITY);
    expect(ends).toEqual(ends.toSorted((a, b) => a - b));

    expect(reportSchema.parse(JSON.parse(reportForms.json(made)))).toEqual(made);
    expect(parse(reportForms.csv(made), { columns: true, bom: true })).toHaveLength(people.length);
    const page = reportForms.html(made);
    const everyone = page.slice(page.indexOf('<section id="everyone">'), page.indexOf("</main>"));
    expect(everyone.match(/<tr><th scope="row">/g) ?? []).toHaveLength(people.length);
    expect(reportForms.text(made)).toContain(`Members: ${members.length}\n`);
  });
});
