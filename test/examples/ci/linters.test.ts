// @module-tag ci
/** The linter of actions, which is installed for it. */
import { describe, expect, test } from "vitest";
import { files } from "./files.ts";
import { lintAction } from "./lint-action.ts";

describe("the linter of actions", () => {
  test("finds nothing wrong with action.yml", async () => {
    expect(await lintAction(files.action)).toBe("");
  });

  test.each([
    ["a key that there is not", "using: composite", "use: composite"],
    ["a script without its shell", "      shell: bash\n", ""],
    ["an input without a form", "  roster:\n", "  roster: people.csv\n  other:\n"],
  ])("finds %s", async (_, from, to) => {
    expect(files.action).toContain(from);
    expect(await lintAction(files.action.replace(from, to))).not.toBe("");
  });
});
