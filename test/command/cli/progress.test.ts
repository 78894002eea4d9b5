/** The progress line without a terminal; attended.test.ts has the one with a terminal. */
import { afterEach, expect, test, vi } from "vitest";
import { ProgressLine } from "../../../command/cli/progress.ts";
import type { StepState } from "../../../command/engine/engine.ts";

afterEach(() => void vi.restoreAllMocks());

/** @returns what the line prints for so many steps that end in a state */
function printedBy(line: ProgressLine, count: number, state: StepState): string[] {
  const printed: string[] = [];
  vi.spyOn(console, "error").mockImplementation((text: string) => void printed.push(text));
  for (let index = 0; index < count; index++) line.onStep({ stack: "people", urn: `urn-${index}`, state });
  line.end();
  return printed;
}

test("a run prints at most ten lines", () => {
  const printed = printedBy(new ProgressLine("Applying", { steps: 1000 }), 1000, "succeeded");
  expect(printed).toHaveLength(10);
  expect(printed[0]).toMatch(/^Applying: 100 of 1,000 resources, \d+ s$/);
});

test("a run counts failed steps", () => {
  const [first] = printedBy(new ProgressLine("Applying", { steps: 30 }), 30, "failed");
  expect(first).toMatch(/^Applying: 0 of 30 resources, 25 failed, \d+ s$/);
});

test("a preview and a quiet run print nothing", () => {
  expect(printedBy(new ProgressLine("Previewing", {}), 100, "started")).toEqual([]);
  expect(printedBy(new ProgressLine("Applying", { steps: 100, quiet: true }), 100, "succeeded")).toEqual([]);
});
