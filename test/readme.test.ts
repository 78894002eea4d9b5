import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { environmentName, settingKeys } from "../provider/settings.ts";
import { packageRoot } from "../sandbox/package-root.ts";
import * as sdk from "../sdk/index.ts";

const readme = readFileSync(join(packageRoot, "README.md"), "utf8");
const rows = readme.split("\n").filter((line) => line.startsWith("| `"));

describe("README", () => {
  test.each(settingKeys)("has a row for the configuration key %s with its environment variable", (key) => {
    const row = rows.find((line) => line.split("|")[1]?.includes(`\`${key}\``));
    expect(row).toContain(`\`${environmentName(key)}\``);
  });

  test("has no configuration key that the code does not know", () => {
    const documented = rows
      .filter((line) => line.includes("`ORGSEAT_"))
      .flatMap((line) => [...(line.split("|")[1] ?? "").matchAll(/`(\w+)`/g)].map(([, key]) => key));
    expect(documented.toSorted()).toEqual([...settingKeys].toSorted());
  });

  test.each(Object.keys(sdk))("has a row for %s", (name) => {
    expect(rows.some((line) => line.split("|")[1]?.includes(`\`${name}\``))).toBe(true);
  });
});
