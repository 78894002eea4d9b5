/** docs/security.md: each threat names tests that exist. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { packageRoot } from "../../sandbox/pulumi/package-root.ts";
import { codeIn, page, section, tableRows } from "./pages.ts";

test("each limit of a person names tests that exist", () => {
  const rows = tableRows(section(page("docs/security.md"), "Who can do what"));
  const limited = rows.filter(([, , cannot = ""]) => cannot !== "");
  expect([rows.length, limited.length]).toEqual([5, 4]);
  for (const [who = "", , , tests = ""] of limited) expectTests(tests, who);
});

test.each(["Credentials", "Plans", "The audit log"])(
  "each threat below %s names tests that exist",
  (title) => {
    const rows = tableRows(section(page("docs/security.md"), title));
    expect(rows.length).toBeGreaterThan(1);
    for (const [threat = "", , tests = ""] of rows) expectTests(tests, threat);
  },
);

function expectTests(cell: string, claim: string): void {
  const paths = codeIn(cell);
  expect(paths, claim).not.toEqual([]);
  for (const path of paths) {
    expect(path).toMatch(/^test\/.+(\.test\.ts|\/)$/);
    expect(existsSync(join(packageRoot, path)), path).toBe(true);
  }
}
