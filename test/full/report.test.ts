import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { gapsOf, type Report, readReport, reportFile } from "./report.ts";
import { declaredSuites, suitesOf } from "./suites.ts";

const suite = { name: "order", level: "R", cases: 500, ran: 500, seconds: 3.5 } as const;
const report: Report = {
  command: "npm run test:full",
  only: [],
  commit: "0123abc",
  clean: true,
  date: "2027-01-01T00:00:00.000Z",
  seconds: 60,
  seed: 42,
  node: "24.0.0",
  pulumi: "v3.274.1",
  tests: { passed: 10, failed: [], skipped: ["the action of an older Node"] },
  suites: [suite],
  absent: [],
  mutants: null,
};

describe("docs/internal/reliability.json", () => {
  test("reads as the report of a run", () => {
    expect(readReport(readFileSync(reportFile, "utf8")).suites).not.toEqual([]);
  });
});

describe("the gaps of a report", () => {
  test("name what was limited, changed, failed, short, absent, or survived", () => {
    expect(gapsOf(report)).toEqual([]);
    const { commit, clean, date } = report;
    const row = { name: "a", file: "provider/safety/removal-limit.ts", caughtBy: null, seconds: 1 };
    const rows = [row, { ...row, name: "b", caughtBy: "counts" }];
    const gaps = gapsOf({
      ...report,
      ...{ only: ["test/resources"], clean: false, absent: ["test/x.test.ts: cuts"] },
      tests: { ...report.tests, failed: ["order: broken"] },
      suites: [suite, { ...suite, name: "cuts", ran: 499 }],
      mutants: { commit, clean, date, rows },
    });
    expect(gaps).toEqual([
      "limited to test/resources",
      "changes that were not committed",
      "failed: order: broken",
      "short: cuts",
      "not run: test/x.test.ts: cuts",
      "mutant caught by nobody: a",
    ]);
  });
});

describe("a declared suite", () => {
  test("matches what the run reports, by each way to write its name", () => {
    const text = `checkEach({ name: "cuts", level: "R", cases: 1 });
      const s = { name: one ? "killed" : \`order on the \${door}\`, level: "E", cases }; checkCases(s);`;
    const found = suitesOf("x.test.ts", text).map(({ fits }) =>
      ["cuts", "killed", "order on the plugin", "other"].filter((name) => fits.test(name)),
    );
    expect(found).toEqual([["cuts"], ["killed", "order on the plugin"]]);
    expect(() => suitesOf("x.test.ts", "checkCases(suite);")).toThrow(/x.test.ts runs cases of a suite/);
  });

  test("stands among the tests that are here", { tags: "ci" }, () => {
    expect(declaredSuites().map(({ written }) => written)).toContain('"odd lists"');
  });
});
