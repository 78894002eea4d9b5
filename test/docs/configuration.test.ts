/** docs/configuration.md: the keys, variables and defaults are those of the code. */
import { describe, expect, test } from "vitest";
import { areaOfKey, areas, keysOf } from "../../provider/config/setting-groups.ts";
import { environmentName, settingKeys } from "../../provider/config/setting-values.ts";
import { readSettings } from "../../provider/config/settings.ts";
import { runVariables } from "../../provider/config/unknown-settings.ts";
import { MOST_REMOVALS } from "../../provider/resources/members/removal.ts";
import { parseDuration } from "../../provider/util/duration.ts";
import { codeIn, listItems, page, section, settingRows } from "./pages.ts";

const text = page("docs/configuration.md");
const rows = settingRows();
const defaults = readSettings(() => undefined, {});

/** A value that the key accepts. @param other another one */
function sample(key: string, other: boolean): string {
  if (key.endsWith("Url")) return other ? "https://other.example" : "https://one.example";
  if (key === "apiKey") return `7d0f4a1e-5b2c-4f63-9a08-1c2d3e4f5a6${other ? "c" : "b"}`;
  if (key === "platform") return other ? "anaconda" : "basic";
  if (key === "organizationId") return other ? "other-organization" : "one-organization";
  if (key === "subscriptionExpiresAt") return other ? "2031-12-31T23:59:59Z" : "2030-12-31T23:59:59Z";
  if (key.toLowerCase().endsWith("timeout")) return other ? "2s" : "1s";
  return other ? "2" : "1";
}

describe("docs/configuration.md", () => {
  test("lists each key in an item, with its environment variable, in the order of the code", () => {
    expect(rows.map(([key = "", variable = ""]) => [codeIn(key)[0], codeIn(variable)[0]])).toEqual(
      settingKeys.map((key) => [key, environmentName(key)]),
    );
  });

  test("says which of the two places wins", () => {
    for (const [name = "", , wins] of rows) {
      const key = codeIn(name)[0] ?? "";
      const area = areaOfKey(key);
      const keys = area === undefined ? [key] : keysOf(area);
      const config = (full: string) =>
        keys.some((one) => full === `orgseat:${one}`) ? sample(key, false) : undefined;
      const environment = Object.fromEntries(keys.map((one) => [environmentName(one), sample(key, true)]));
      const both = readSettings(config, environment);
      const fromEnvironment = readSettings(() => undefined, environment);
      const fromConfig = readSettings(config, {});
      expect(fromConfig, key).not.toEqual(fromEnvironment);
      expect(both, key).toEqual(wins === "environment" ? fromEnvironment : fromConfig);
    }
  });

  test("lists the keys of each group in the box of the rule", () => {
    const list = section(text, "One source for each area");
    const boxed = areas.map((area) => [
      area,
      codeIn(new RegExp(`^- ${area}: (.*)$`, "m").exec(list)?.[1] ?? ""),
    ]);
    expect(boxed).toEqual(areas.map((area) => [area, keysOf(area)]));
  });

  test("gives the defaults of the code", () => {
    const documented = new Map(rows.map(([key = "", , , value = ""]) => [codeIn(key)[0], codeIn(value)[0]]));
    expect(Number(documented.get("maxRemovals"))).toBe(MOST_REMOVALS);
    expect(Number(documented.get("concurrency"))).toBe(defaults.concurrency);
    expect(parseDuration(documented.get("timeout") ?? "")).toBe(defaults.timeoutMs);
    expect(parseDuration(documented.get("operationTimeout") ?? "")).toBe(defaults.operationTimeoutMs);
    const withDefault = rows.filter(([, , , value]) => value !== "none").map(([key = ""]) => codeIn(key)[0]);
    expect(withDefault).toEqual(
      "platform requireSealedTokens maxRemovals timeout operationTimeout concurrency".split(" "),
    );
  });

  test("lists each variable of one run in an item, and no other", () => {
    const documented = listItems(section(text, "Environment variables of one run"));
    expect(documented.flatMap(({ names }) => names)).toEqual(runVariables);
  });
});
