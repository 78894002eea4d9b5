/** docs/security.md: each threat names tests that exist. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { packageRoot } from "../../sandbox/start/package-root.ts";
import { codeIn, page, section, tableRows } from "./pages.ts";

test.each(["Credentials", "Plans", "The audit log"])(
  "each threat below %s names tests that exist",
  (title) => {
    const rows = tableRows(section(page("docs/security.md"), title));
    expect(rows.length).toBeGreaterThan(1);
    for (const [threat = "", , tests = ""] of rows) {
      const paths = codeIn(tests);
      expect(paths, threat).not.toEqual([]);
      for (const path of paths) {
        expect(path).toMatch(/^test\/.+(\.test\.ts|\/)$/);
        expect(existsSync(join(packageRoot, path)), path).toBe(true);
      }
    }
  },
);
