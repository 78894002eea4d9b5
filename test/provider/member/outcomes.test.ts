import { describe, expect, test } from "vitest";
import { type Held, heldSchema } from "../../../provider/member/held.ts";
import type { Wanted } from "../../../provider/member/wanted.ts";
import { cases } from "./cases.ts";
import { faultsIn, settle } from "./judge.ts";
import { worldOf } from "./people.ts";
import { type Fault, faults, type PlatformName, planIn, runOnce } from "./run.ts";

const names = ["basic", "anaconda"] as const;
const rows = cases.filter(({ isRun }) => isRun);

describe.each(names)("the service after each outcome (%s)", (platform) => {
  test.each(rows)("$title", ({ held: has, wanted }) => {
    const start = has(platform);
    const requests = countRequests(platform, start, wanted);
    const wrong: string[] = [];
    for (let at = 0; at <= requests; at++)
      for (const fault of at === 0 ? [undefined] : faults)
        wrong.push(...judged(platform, start, wanted, at, fault).map((text) => `${fault} at ${at}: ${text}`));
    expect(wrong).toEqual([]);
  });
});

function countRequests(platform: PlatformName, start: Held, wanted: Wanted): number {
  const world = worldOf(platform, start);
  runOnce(world, start, wanted);
  return world.service.log.length;
}

function judged(
  platform: PlatformName,
  start: Held,
  wanted: Wanted,
  at: number,
  fault: Fault | undefined,
): string[] {
  const world = worldOf(platform, start);
  const first = runOnce(world, start, wanted, fault && { fault: { at, fault } });
  const stored = heldSchema.parse(JSON.parse(JSON.stringify(first.held)));
  const found: string[] = [];
  if (fault?.startsWith("refused") && planIn(world, stored, wanted).units.length === 0)
    found.push("the refused step is not found again");
  const ran = settle(world, stored, wanted);
  found.push(...faultsIn(world, ran, wanted));
  if (world.service.disorders > 0) found.push("a removal came too early");
  return found;
}
