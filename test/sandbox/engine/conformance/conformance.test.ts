/**
 * The conformance suite: what the real CLI was seen to do in each scenario, the emulator does as well, and so does a real
 * CLI where there is one. `ORGSEAT_CONFIRM=1` with `-t "real CLI"` writes down what the real CLI does; without a real CLI,
 * and `-t "emulator"`, what the emulator does, as not confirmed, of scenarios that have nothing written down.
 */
import { execFileSync } from "node:child_process";
import { afterAll, describe, expect, test } from "vitest";
import { emulator, realCli } from "../harness.ts";
import { countConfirmed, orphans, readExpected, writeExpected } from "./expected.ts";
import { play, stopProvider } from "./play.ts";
import type { Scenario } from "./scenario.ts";
import { scenarios } from "./scenarios/index.ts";

const confirms = process.env.ORGSEAT_CONFIRM === "1";
const { confirmed } = countConfirmed(scenarios);
console.log(`conformance: ${confirmed} of ${scenarios.length} confirmed on the real CLI`);

async function holds(bin: string, scenario: Scenario): Promise<void> {
  const expected = readExpected(scenario);
  const seen = await play(bin, scenario);
  expect(seen.filter(({ unsaid }) => unsaid)).toEqual([]);
  if (confirms && bin === realCli) {
    const pulumi = execFileSync(bin, ["version"], { encoding: "utf8" }).trim();
    writeExpected(scenario, { pulumi, date: new Date().toISOString().slice(0, 10) }, seen);
  } else if (confirms && !expected) writeExpected(scenario, false, seen);
  else expect(seen).toEqual(expected?.steps);
}

describe("the emulator", () => {
  afterAll(stopProvider);

  test.for(scenarios)("$title", (scenario) => holds(emulator, scenario));

  test("keeps an expectation for each scenario, and none besides", () => {
    expect(scenarios.filter((scenario) => !readExpected(scenario))).toEqual([]);
    expect(orphans(scenarios)).toEqual([]);
    expect(new Set(scenarios.map(({ title }) => title)).size).toBe(scenarios.length);
    expect(scenarios.length).toBeGreaterThanOrEqual(60);
  });
});

describe.skipIf(realCli === undefined)("real CLI: conformance", { concurrent: true, tags: "ci" }, () => {
  test.for(scenarios)("$title", (scenario) => holds(realCli ?? "", scenario));
});
