// @module-tag ci
/**
 * A run that fails at any of its writes to files: state, backups, history, lock, plan, report, and audit log, of Pulumi,
 * orgseat, and the provider. Each write in turn, on a backend that is a folder.
 */
import { describe, expect, test } from "vitest";
import { checkEach, full } from "../setup/cases.ts";
import { everyWrite, expectComplete, untilDone } from "./completion.ts";
import { begun, type Platform, platforms, VARYING } from "./scenario.ts";
import { canTrace, type Traced, type TracedWrite, traced, type WriteFault } from "./tracer.ts";

/** A case mostly waits for processes: the full run fills the gaps. */
const atOnce = full ? 3 : 1;

/** Where the next run is: in the same folder, or in another clone of the repository, which has no audit log. */
const nexts = ["same", "clone"] as const;

interface FailedWrite {
  readonly platform: Platform;
  readonly fault: WriteFault;
  readonly next: (typeof nexts)[number];
  readonly write: TracedWrite;
}

/** If the provider alone dies, nothing else shows a machine user of a service without lists. */
const needsAuditLog = (platform: Platform, fault: WriteFault, { by }: TracedWrite): boolean =>
  platform === "basic" && fault === "writer-half" && by === "provider";

const undisturbed = new Map<Platform, Promise<Traced>>();

/** Every write of an undisturbed run, as it fails. */
async function failuresOf(
  platform: Platform,
  faults: readonly WriteFault[],
  fits: (write: TracedWrite) => boolean,
): Promise<FailedWrite[]> {
  const counting =
    undisturbed.get(platform) ??
    begun(platform).then((acme) => traced(acme.clone(), undefined, "up", "--yes"));
  undisturbed.set(platform, counting);
  const { writes, code } = await counting;
  expect(code).toBe(0);
  expect(writes.length).toBeGreaterThan(100);
  // Not write by write: then a share could have one fault alone.
  return faults.flatMap((fault, place) =>
    writes.filter(fits).map((write, index) => ({
      platform,
      fault,
      write,
      next: needsAuditLog(platform, fault, write)
        ? "same"
        : (nexts[(index + place) % nexts.length] ?? "same"),
    })),
  );
}

/** What says nothing to people. */
const RAW = /internal error|TypeError|\n +at |Command was killed|error reading from server/;

/** @returns what the failed run said */
async function holds({ platform, fault, next, write }: FailedWrite, last: number): Promise<Traced> {
  const acme = (await begun(platform)).clone();
  const run = await traced(acme, { write: write.number, fault }, "up", "--yes");
  expect(run.struck || write.number > last - VARYING, "the write came").toBe(true);
  expect(run.stdout + run.stderr).not.toMatch(RAW);
  const following = next === "clone" ? acme.clone() : acme;
  const asked = await untilDone(following, everyWrite);
  // A list shows what no answer does.
  if (platform === "anaconda") expect(asked).toEqual([]);
  await expectComplete(following, everyWrite);
  acme.expectNoSecrets();
  return run;
}

const changesBytes = ({ bytes }: TracedWrite): boolean => bytes > 1;

describe.skipIf(!canTrace).each(platforms)("up on %s", (platform) => {
  test("completes later, killed at any write to a file", async () => {
    const all = await failuresOf(platform, ["kill"], () => true);
    const last = all.at(-1)?.write.number ?? 0;
    const suite = {
      name: `faults: up killed at any write to a file (${platform})`,
      level: "E",
      cases: all.length,
      ci: 2,
      atOnce,
    } as const;
    await checkEach(suite, all, async (one) => void (await holds(one, last)));
  });

  test("completes later, killed in the middle of any write, with everything or alone", async () => {
    const all = await failuresOf(platform, ["half", "writer-half"], changesBytes);
    const last = all.at(-1)?.write.number ?? 0;
    const suite = {
      name: `faults: up killed half-way through any write to a file (${platform})`,
      level: "E",
      cases: all.length,
      ci: 4,
      atOnce,
    } as const;
    await checkEach(suite, all, async (one) => void (await holds(one, last)));
  });

  test("says so and completes later, the disk full from any write on", async () => {
    const failures = await failuresOf(platform, ["full"], changesBytes);
    const last = failures.at(-1)?.write.number ?? 0;
    // Pulumi waits half a minute for each state that it cannot write, in its second run three minutes: CI leaves those out.
    const firstEnd = failures.findIndex(({ write }) => write.file.startsWith(".pulumi/backups/"));
    expect(firstEnd).toBeGreaterThan(10);
    const all = full ? failures : failures.slice(0, firstEnd);
    const suite = {
      name: `faults: up on a disk that is full from any write on (${platform})`,
      level: "E",
      cases: all.length,
      ci: 1,
      atOnce: 8,
    } as const;
    await checkEach(suite, all, async (one) => {
      const { struck, stdout, stderr } = await holds(one, last);
      if (!struck) return;
      expect(stdout + stderr).toMatch(/no space left|ENOSPC|disk is full/);
    });
  });
});
