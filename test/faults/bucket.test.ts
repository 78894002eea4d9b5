// @module-tag ci
/** A run that fails at any write of Pulumi to a bucket: killed before, in the middle, or after it, refused, or cut off. */
import { describe, expect, test } from "vitest";
import { checkEach, full } from "../setup/cases.ts";
import { killTree } from "../setup/process-tree.ts";
import type { BucketFault } from "./bucket.ts";
import { everyWrite, expectComplete, untilDone } from "./completion.ts";
import { begunInBucket, type Platform, platforms } from "./scenario.ts";

interface FailedWrite {
  readonly platform: Platform;
  readonly fault: BucketFault;
  readonly write: number;
  readonly what: string;
}

/** Every write of an undisturbed run, as it fails. */
async function failuresOf(platform: Platform, faults: readonly BucketFault[]): Promise<FailedWrite[]> {
  const { acme, bucket } = await begunInBucket(platform);
  bucket.plan();
  await acme.succeed("up", "--yes");
  expect(bucket.writes.length).toBeGreaterThan(20);
  return bucket.writes.flatMap((what, index) =>
    faults.map((fault) => ({ platform, fault, write: index + 1, what })),
  );
}

/** @returns what the failed run said */
async function holds({ platform, fault, write }: FailedWrite): Promise<string> {
  const { acme, bucket } = await begunInBucket(platform);
  let pid = 0;
  bucket.plan({ write, fault, act: () => killTree(pid) });
  const running = acme.start("up", "--yes");
  pid = running.pid;
  const { stdout, stderr } = await running.ended;
  expect(bucket.struck, "the write came").toBe(true);
  bucket.plan();
  // Nothing but the repository and the bucket is left.
  const next = acme.clone();
  const asked = await untilDone(next, everyWrite);
  // A list shows what no answer does.
  if (platform === "anaconda") expect(asked).toEqual([]);
  await expectComplete(next, everyWrite);
  acme.expectNoSecrets();
  return stdout + stderr;
}

describe.each(platforms)("up with a state in a bucket on %s", (platform) => {
  test("completes on another machine, killed at any write", async () => {
    const all = await failuresOf(platform, ["before", "half", "after"]);
    const name = `faults: killed at any write to a bucket (${platform})`;
    const suite = { name, level: "E", cases: all.length, ci: 4 } as const;
    await checkEach(suite, all, async (one) => void (await holds(one)));
  });

  test("says so and completes on another machine, the bucket full or away from any write on", async () => {
    // Pulumi waits a minute and more for a bucket that is away.
    const failures = await failuresOf(platform, full ? ["full", "away"] : ["full"]);
    const all = failures.filter(({ fault, write }) => fault === "full" || write % 6 === 1);
    const name = `faults: a bucket full or away from any write on (${platform})`;
    const suite = { name, level: "E", cases: all.length, siblings: 4, atOnce: 8 } as const;
    await checkEach(suite, all, async (one) => {
      const said = await holds(one);
      expect(said).not.toMatch(/internal error|TypeError|\n +at /);
    });
  });
});
