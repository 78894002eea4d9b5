import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { pageFile, pageOf, type Report, readReport, reportFile } from "./report.ts";
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
  engines: { standIn: "v1", real: "none" },
  tests: { passed: 10, failed: [], skipped: ["guards on the real CLI"] },
  suites: [suite],
  absent: [],
  mutants: null,
  conformance: null,
};

describe("docs/reliability.json", () => {
  const read = () => readReport(readFileSync(reportFile, "utf8"));

  test("makes docs/reliability.md, and nothing else does", () => {
    expect(readFileSync(pageFile, "utf8")).toBe(pageOf(read()));
  });
});

describe("the page", () => {
  test("shows a suite with fewer cases than asked as short", () => {
    expect(pageOf(report)).toContain("| order | R | 500 | 500 | 3.5 | whole |");
    const page = pageOf({ ...report, suites: [{ ...suite, ran: 499 }] });
    expect(page).toContain("| order | R | 500 | 499 | 3.5 | short |");
  });

  test("names each suite that the tests declare and that did not run", () => {
    expect(pageOf(report)).not.toContain("Not run");
    const page = pageOf({ ...report, absent: ["test/resources/order.test.ts: order"] });
    expect(page).toContain("- **Not run:** test/resources/order.test.ts: order");
  });

  test("says how many scenarios of the engine the real CLI confirms", () => {
    const page = pageOf({ ...report, conformance: { scenarios: 60, confirmed: 59 } });
    expect(page).toContain("| engine scenarios | 59 of 60 confirmed on the real CLI |");
  });

  test("says what made it, under which seed, on which engines, and what was skipped", () => {
    const page = pageOf(report);
    expect(page).toContain("`npm run test:full` made this page");
    expect(page).toContain("ORGSEAT_TEST_SEED=42 npm run test:full");
    expect(page).toContain("| real Pulumi CLI | none |");
    expect(page).toContain("- guards on the real CLI");
    expect(page).not.toContain("Not the whole");
    expect(page).not.toContain("Mutants");
  });

  test("says where it is not the whole, not of a commit, or not green", () => {
    const page = pageOf({
      ...report,
      only: ["test/resources"],
      clean: false,
      tests: { ...report.tests, failed: ["order: broken"] },
    });
    expect(page).toContain('**Not the whole:** this run was limited to "test/resources".');
    expect(page).toContain("`0123abc`, with changes that were not committed");
    expect(page).toContain("- order: broken");
  });

  test("shows who caught each mutant, and that nobody did", () => {
    const row = { name: "a | b", file: "provider/safety/removal-limit.ts", caughtBy: null, seconds: 1 };
    const { commit, clean, date } = report;
    const mutants = { commit, clean, date, rows: [row, { ...row, name: "c", caughtBy: "breaker counts" }] };
    const page = pageOf({ ...report, mutants });
    expect(page).toContain("| a \\| b | `provider/safety/removal-limit.ts` | **nobody** | 1 |");
    expect(page).toContain("| c | `provider/safety/removal-limit.ts` | breaker counts | 1 |");
    expect(page).toContain("1 of 2 did");
  });
});

describe("a declared suite", () => {
  const names = ["cuts", "order on the stand-in", "killed"];
  test.each([
    ["by its name", 'checkEach({ name: "cuts", level: "R", cases: 1 });'],
    [
      "by a name for each engine",
      `checkCases({ name: \`order on the \${engine.name}\`, level: "E", cases: 1 });`,
    ],
    ["by one of two names", 'const s = { name: one ? "killed" : "other", level: "E", cases }; checkEach(s);'],
    ["by a constant", 'const name = "killed"; checkEach({ name, level: "E", cases });'],
  ])("matches what the run reports %s", (_, text) => {
    const [found, ...more] = suitesOf("x.test.ts", text);
    expect(more).toEqual([]);
    expect(names.filter((name) => found?.fits.test(name))).toHaveLength(1);
  });

  test("throws unless its name can be read", () => {
    expect(() => suitesOf("x.test.ts", "checkCases(suite);")).toThrow(/x.test.ts runs cases of a suite/);
    expect(() => suitesOf("x.test.ts", 'checkCases({ name: f(), level: "E", cases });')).toThrow(/f\(\)/);
  });

  test("stands among the tests that are here", () => {
    expect(declaredSuites().map(({ written }) => written)).toContain('"cuts"');
  });
});
