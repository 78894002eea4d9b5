import { parse } from "csv-parse/sync";
import { describe, expect, test } from "vitest";
import { reportForms } from "../../../command/report/report.ts";
import { type Report, reportSchema } from "../../../command/report/schema.ts";
import { cpuTimeRatio } from "../../setup/cpu-time.ts";
import { hostileNames } from "./hostile-names.ts";
import { invented, person, reportOn, roster } from "./organization.ts";
import { sampleReport } from "./sample.ts";

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
  test("lets no name move the cursor, colour the terminal or turn the line around", () => {
    const text = reportForms.text(reportOnNames(["\u001b[31mred", "a\rb", "\u202egpj.exe", "\u009b2J"]));
    expect(text).toContain("\ufffd[31mred");
    expect(text).not.toMatch(/[^\P{Cc}\n]|[\u202a-\u202e\u2066-\u2069]/u);
  });
});

test("a JSON report fails in another shape", () => {
  expect(reportSchema.parse(sampleReport)).toEqual(sampleReport);
  expect(() => reportSchema.parse({ ...sampleReport, version: 2 })).toThrow();
  expect(() => reportSchema.parse({ ...sampleReport, token: "a value" })).toThrow();
});

describe("a CSV report", () => {
  const rowsOf = (csv: string): Record<string, string>[] => parse(csv, { columns: true, bom: true });

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
