/** The stand-in does what it must, and what the real CLI does where there is one. */
import { describe, test } from "vitest";
import { full, seed } from "../../setup/cases.ts";
import { realCli, Stack, standIn } from "./harness.ts";
import { type Scenario, scenarios } from "./scenarios.ts";

/** What a scenario saw, and the state it ended with. */
async function observe(bin: string, scenario: Scenario) {
  const stack = await Stack.make(bin);
  try {
    const seen = await scenario.play(stack);
    // Resources that do not need each other register in any order.
    const state = stack.state().sort((a, b) => (a.name < b.name ? -1 : 1));
    return { seen, state, pending: stack.pending() };
  } finally {
    await stack.remove();
  }
}

/** Without a real CLI to compare with, a quick run plays every third scenario, by the seed; a full run plays all. */
const played =
  full || realCli !== undefined ? scenarios : scenarios.filter((_, index) => index % 3 === seed % 3);
console.log(`parity: ${played.length} of ${scenarios.length} scenarios, seed ${seed}`);

describe("the stand-in", { concurrent: true, timeout: 120_000 }, () => {
  test.for(played)("$title", async (scenario, { expect }) => {
    const { seen } = await observe(standIn, scenario);
    expect(seen).toEqual(scenario.expected);
  });
});

describe.skipIf(realCli === undefined)("real CLI: the same", { concurrent: true, timeout: 240_000 }, () => {
  test.for(scenarios)("$title", async (scenario, { expect }) => {
    const [real, own] = await Promise.all([observe(realCli ?? "", scenario), observe(standIn, scenario)]);
    expect(real.seen).toEqual(scenario.expected);
    expect(own).toEqual(real);
  });
});
