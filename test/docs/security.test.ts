/** docs/security.md: each threat names tests that exist. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { packageRoot } from "../../sandbox/pulumi/package-root.ts";
import { codeIn, page, section } from "./pages.ts";

test("each limit of a person names tests that exist", () => {
  const items = itemsOf("Who can do what");
  const limited = items.filter((item) => item.includes("can't"));
  expect([items.length, limited.length]).toEqual([5, 4]);
  for (const item of limited) expectTests(item);
});

test.each(["Credentials", "Plans", "The audit log"])(
  "each threat below %s names tests that exist",
  (title) => {
    const items = itemsOf(title);
    expect(items.length).toBeGreaterThan(1);
    for (const item of items) expectTests(item);
  },
);

function itemsOf(title: string): string[] {
  return section(page("docs/security.md"), title).match(/^- .*$/gm) ?? [];
}

function expectTests(item: string): void {
  const [, tests = ""] = / \(([^()]*)\)$/.exec(item) ?? [];
  const paths = codeIn(tests);
  expect(paths, item).not.toEqual([]);
  for (const path of paths) {
    expect(path).toMatch(/^test\/.+(\.test\.ts|\/)$/);
    expect(existsSync(join(packageRoot, path)), path).toBe(true);
  }
}
