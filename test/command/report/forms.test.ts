import { parse } from "csv-parse/sync";
import { describe, expect, test } from "vitest";
import { buildReport, reportForms } from "../../../command/report/report.ts";
import { type Report, reportSchema } from "../../../command/report/schema.ts";
import { cpuTimeRatio } from "../../setup/cpu-time.ts";
import { hostileNames } from "./hostile-names.ts";
import { invented, now, person, reportFactsOf, reportOn, roster, stackExport } from "./organization.ts";

const small = reportOf(5);

function reportOf(count: number): Report {
  const { held, people } = invented(count);
  const audit = [{ time: "2026-11-03T10:00:00Z", call: 11, id: "u-zoe", outcome: "done" }] as const;
  const names = { "u-zoe": "zoe@acme.example" };
  const facts = reportFactsOf(stackExport("a", held), roster(people, { seats: 7 }), audit, { now, names });
  return buildReport(facts, { month: "2026-11" });
}

/** A member of each name, listed in the roster under it. */
function reportOnNames(names: readonly string[]): Report {
  const held = names.map((name, index) => ({
    ...{ key: `k${index}`, names: [name, name] as const, email: `k${index}@acme.example` },
  }));
  const people = names.map((name, index) =>
    person(`k${index}`, { email: name, team: name, firstName: name }),
  );
  const managed = names.map((name, index) => person(`m${index}`, { purpose: name }));
  const listed = roster([...people, ...managed]);
  return reportOn(held, listed, { month: "2026-11" });
}

describe("a text report", () => {
  test("says seats, tokens by days left, who needs a look, and the month", () => {
    expect(reportForms.text(small)).toBe(`\
Organization 7f3a1c52-5d0e-4a54-9f61-0d6f0c1b2a3d, as of 2026-11-21 12:00 UTC
Subscription: ends 2027-06-30, in 221 days
Members: 5
Seats: 5 assigned (1 not confirmed) of 7 (declared), 2 available
Tokens: 5 (3 confirmed by the service, 2 declared)

Days left         Tokens  Confirmed  Declared
expired                0          0         0
under 7 days           0          0         0
7 to 29 days           1          1         0
30 to 89 days          0          0         0
90 days and more       4          2         2

Tokens that are expired or expire within 30 days: 1. Renew the subscription, or change the date of the person, then run \`orgseat renew\`.
Person or purpose     Team      Token expires  Days left
person1@acme.example  Platform  2026-12-16     25 days, confirmed

In the roster but not in any state: 1. The next \`orgseat up\` adds them.
Person or purpose      Team    Token expires  Days left
newcomer@acme.example  Design  no token

November 2026
  joined: 2
    2026-11-08  person1@acme.example
    2026-11-21  person0@acme.example
  left: 1
    2026-11-03  zoe@acme.example
`);
  });

  test("ends a long list after 20 people and counts the rest; verbose lists all", () => {
    const text = reportForms.text(reportOf(1000));
    expect(text).toMatch(
      /\nPerson or purpose .*(?:\n(?:person|Build machine ).*){20}\nand \d+ more \(--verbose and the other formats list all\)\n/,
    );
    for (const whole of [{ verbose: true }, { tsv: true }])
      expect(reportForms.text(reportOf(1000), whole)).not.toMatch(/and [\d,]+ more/);
  });

  test("separates rows by tabs, without headings, for another program", () => {
    const text = reportForms.text(small, { tsv: true });
    expect(text).toContain("\n7 to 29 days\t1\t1\t0\n");
    expect(text).toContain("\nperson1@acme.example\tPlatform\t2026-12-16\t25 days, confirmed\n");
    expect(text).not.toContain("Person or purpose");
  });

  test("lets no name move the cursor, colour the terminal or turn the line around", () => {
    const text = reportForms.text(reportOnNames(["\u001b[31mred", "a\rb", "\u202egpj.exe", "\u009b2J"]));
    expect(text).toContain("\ufffd[31mred");
    expect(text).not.toMatch(/[^\P{Cc}\n]|[\u202a-\u202e\u2066-\u2069]/u);
  });
});

describe("a JSON report", () => {
  test("fails in another shape", () => {
    expect(() => reportSchema.parse({ ...small, version: 2 })).toThrow();
    expect(() => reportSchema.parse({ ...small, token: "a value" })).toThrow();
  });
});

describe("a CSV report", () => {
  const rowsOf = (csv: string): Record<string, string>[] => parse(csv, { columns: true, bom: true });

  test("gives each person one row, with seat and token", () => {
    const rows = rowsOf(reportForms.csv(small));
    expect(rows.map(({ email }) => email)).toEqual(small.people.map(({ who }) => who));
    expect(rows[0]).toEqual({
      ...{ key: "person1@acme.example", email: "person1@acme.example", purpose: "" },
      ...{ first_name: "Given1", last_name: "Family1", team: "Platform" },
      ...{
        user_id: "user-of-person1-acme.example",
        stack: "a",
        in_roster: "yes",
        in_state: "yes",
        seat: "assigned",
      },
      ...{ token_valid_until: "2026-12-16T12:00:00Z", token_days_left: "25", token_band: "under30" },
      ...{
        token_source: "service",
        token_rotation_due: "",
        managed_since: "2026-11-08T12:00:00.000Z",
        adopted: "no",
        drift: "",
      },
      ...{ access_until: "", access_days_left: "", access_status: "" },
      ...{ seat_use: "", last_seen: "", unused_since: "", unused_days: "" },
    });
  });

  test("begins no cell like a formula but a number of days", () => {
    const formulas = [
      "=1+1",
      "+49 1",
      "-2+3",
      "@SUM(A1)",
      "\t=1",
      "|calc",
      '=HYPERLINK("http://evil.example","x")',
    ];
    const cells = rowsOf(reportForms.csv(reportOnNames(formulas))).flatMap((row) => Object.values(row));
    expect(cells).toEqual(expect.arrayContaining(formulas.map((formula) => `'${formula}`)));
    expect(cells.filter((cell) => /^[=+\-@\t\r]/.test(cell))).toEqual([]);
  });

  test("keeps a negative number of days a number", () => {
    const token = { validUntil: "2026-11-18T12:00:00Z", source: "service" } as const;
    const held = [{ key: "ada@acme.example", token }];
    const [row] = rowsOf(reportForms.csv(reportOn(held, roster([]))));
    expect(row?.token_days_left).toBe("-3");
  });

  test("brings names of every kind back as they were", () => {
    const rows = rowsOf(reportForms.csv(reportOnNames(hostileNames)));
    const found = new Set(rows.map(({ team }) => team));
    expect(hostileNames.filter((name) => !found.has(name) && !found.has(`'${name}`))).toEqual([]);
  });
});

test("an HTML report of 5,000 people has less than 3 MB, and its time grows with the people only", () => {
  const pageOf = (count: number) => {
    const { held, people } = invented(count);
    return () => reportForms.html(reportOn(held, roster(people), { month: "2026-11" }));
  };
  expect(Buffer.byteLength(pageOf(5000)())).toBeLessThan(3e6);
  expect(cpuTimeRatio(pageOf(5000), pageOf(1000))).toBeLessThan(12);
});
