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

test("a former user leaves as it was agreed, although a run fails before that", () => {
  const row = rows.find(({ title }) => title.startsWith("forgets how an adopted member leaves"));
  const start = row?.held("basic");
  if (row === undefined || start === undefined) throw new Error("there is no such row");
  const world = worldOf("basic", start);
  const at = countRequests("basic", start, row.wanted);
  const { held } = runOnce(world, start, row.wanted, { fault: { at, fault: "refusedForNow" } });
  expect(held.agreed.onDelete).toEqual({ user: "delete" });
  const { held: end } = runOnce(world, held, row.wanted);
  expect(end.users.map(({ id }) => id)).not.toContain("u-1");
  expect(world.service.log.at(-1)).toMatchObject({ call: 11, user: "u-1" });
});
