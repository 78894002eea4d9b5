// @module-tag ci
/** The providers that resources get which name none. */
import { describe, expect, test } from "vitest";
import type { ConfigValue } from "../../../sandbox/engine/backend/config.ts";
import { ResourceState } from "../../../sandbox/engine/deployment/state.ts";
import { DefaultProviders } from "../../../sandbox/engine/run/default-providers.ts";
import type { Goal } from "../../../sandbox/engine/steps/goal.ts";
import { Secret } from "../../../sandbox/engine/values.ts";

const config = new Map<string, ConfigValue>([
  ["plug:region", { value: "eu", secret: false }],
  ["plug:password", { value: "hush", secret: true }],
  ["test:x", { value: "1", secret: false }],
]);

/** Providers over a run that notes what it is asked to register. */
function providers(values: ReadonlyMap<string, ConfigValue> = config) {
  const goals: Goal[] = [];
  const register = async (goal: Goal) => {
    goals.push(goal);
    const urn = `urn:pulumi:dev::test::${goal.type}::${goal.name}`;
    const state = new ResourceState({ urn, type: goal.type, custom: true, id: `id-${goals.length}` });
    return { state, result: "success" as const };
  };
  return { goals, defaults: new DefaultProviders({ register }, values) };
}

describe("a default provider", () => {
  test("gets the configuration of its package, secrets marked, without the namespace", async () => {
    const { goals, defaults } = providers();
    await defaults.reference("plug", "");
    expect(goals[0]?.properties).toEqual({ region: "eu", password: new Secret("hush") });
  });

  test("gets all configuration with its namespaces for dynamic resources", async () => {
    const { goals, defaults } = providers();
    await defaults.reference("pulumi-nodejs", "");
    expect(Object.keys(goals[0]?.properties ?? {})).toEqual([...config.keys()]);
  });

  test("registers once for each package and version", async () => {
    const { goals, defaults } = providers();
    const references = await Promise.all(
      [["plug", ""] as const, ["plug", "1.2.3-rc.1"] as const, ["plug", ""] as const].map(([name, version]) =>
        defaults.reference(name, version),
      ),
    );
    expect(references.map((reference) => reference.split("::").slice(-2))).toEqual([
      ["default", "id-1"],
      ["default_1_2_3_rc_1", "id-2"],
      ["default", "id-1"],
    ]);
    expect(goals[1]?.properties).toMatchObject({ version: "1.2.3-rc.1", __internal: {} });
  });
});
