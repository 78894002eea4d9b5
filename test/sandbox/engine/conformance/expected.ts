/** What each scenario has to show, as committed, and by which engine it is confirmed. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import type { Observed } from "./play.ts";
import type { Scenario } from "./scenario.ts";

const folder = fileURLToPath(new URL("expected", import.meta.url));

const expectedSchema = z.strictObject({
  title: z.string(),
  /** The real CLI that was seen to do all of this, and when. */
  confirmed: z.union([z.literal(false), z.strictObject({ pulumi: z.string(), date: z.iso.date() })]),
  steps: z.array(z.looseObject({ run: z.string() })),
});

export type Confirmation = z.output<typeof expectedSchema>["confirmed"];

function slugOf({ title }: Scenario): string {
  return title.replace(/[^A-Za-z0-9]+/g, "-").toLowerCase();
}

function fileOf(scenario: Scenario): string {
  return join(folder, `${slugOf(scenario)}.json`);
}

/** Undefined if nothing is written down yet. */
export function readExpected(scenario: Scenario): z.output<typeof expectedSchema> | undefined {
  const file = fileOf(scenario);
  return existsSync(file) ? expectedSchema.parse(JSON.parse(readFileSync(file, "utf8"))) : undefined;
}

export function writeExpected(scenario: Scenario, confirmed: Confirmation, steps: Observed[]): void {
  const content = { title: scenario.title, confirmed, steps };
  writeFileSync(fileOf(scenario), `${JSON.stringify(content, null, 2)}\n`);
}

/** How many of the scenarios the real CLI was seen to play as it is written down. */
export function countConfirmed(scenarios: readonly Scenario[]): { scenarios: number; confirmed: number } {
  const confirmed = scenarios.filter((scenario) => readExpected(scenario)?.confirmed).length;
  return { scenarios: scenarios.length, confirmed };
}

/** Files that no scenario is named after. */
export function orphans(scenarios: readonly Scenario[]): string[] {
  const known = new Set(scenarios.map((scenario) => `${slugOf(scenario)}.json`));
  return readdirSync(folder).filter((file) => !known.has(file));
}
