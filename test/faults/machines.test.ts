// @module-tag ci
/**
 * Two runs of the same roster at once, from two machines: the first one waits at any of its writes to the state, or to its own
 * files before that, until the second one has ended.
 */
import { describe, expect, test } from "vitest";
import type { CommandOutput, TestOrganization } from "../automation/organization.ts";
import { checkEach } from "../setup/cases.ts";
import { ada, barbara, everyWrite, expectComplete, untilDone } from "./completion.ts";
import { begun, begunInBucket, type Platform, platforms, VARYING } from "./scenario.ts";
import { canTrace, traced } from "./tracer.ts";

const up = ["up", "--yes"];

/** What holds after both have ended. */
async function expectBoth(
  platform: Platform,
  acme: TestOrganization,
  [first, second]: readonly (CommandOutput | undefined)[],
): Promise<void> {
  const said = `${first?.stdout}${first?.stderr}\n--- second\n${second?.stdout}${second?.stderr}`;
  expect(said).not.toMatch(/internal error|TypeError/);
  const requests = await acme.sandbox.requests();
  const succeeded = requests.filter(({ status }) => status !== null && status < 300);
  const { users } = await acme.sandbox.service.management.snapshot();
  const issuedTo = (email: string) => {
    const user = users.find((one) => one.email === email);
    return succeeded.filter(({ call, userId }) => call === 7 && userId === user?.userId).length;
  };
  expect(issuedTo(ada), said).toBeLessThanOrEqual(1);
  expect(issuedTo(barbara), said).toBeLessThanOrEqual(1);
  const next = acme.clone();
  const asked = await untilDone(next, everyWrite);
  if (platform === "anaconda") expect(asked).toEqual([]);
  await expectComplete(next, everyWrite);
  acme.expectNoSecrets();
}

describe.each(platforms)("two runs at once on %s", (platform) => {
  test("make every change once, with a state in a bucket", async () => {
    const undisturbed = await begunInBucket(platform);
    undisturbed.bucket.plan();
    await undisturbed.acme.succeed("up", "--yes");
    const all = undisturbed.bucket.writes.map((what, index) => ({ write: index + 1, what }));
    const name = `faults: two runs at once with a state in a bucket (${platform})`;
    await checkEach({ name, level: "E", cases: all.length, siblings: 2 }, all, async ({ write }) => {
      const { acme, bucket } = await begunInBucket(platform);
      const other = acme.clone();
      let second: CommandOutput | undefined;
      bucket.plan({
        write,
        fault: "pause",
        act: async () => {
          second = await other.orgseat(...up);
        },
      });
      const first = await acme.orgseat(...up);
      expect(second, `the second one ran: ${first.stdout}${first.stderr}`).toBeDefined();
      bucket.plan();
      await expectBoth(platform, acme, [first, second]);
    });
  });

  test.skipIf(!canTrace)("make every change once, with a state in a folder", async () => {
    const { writes } = await traced(await begun(platform), undefined, "up", "--yes");
    // Until the first one has the lock, and then every tenth.
    const locked = writes.findIndex(({ call, file }) => call === "rename" && file.includes("/locks/"));
    expect(locked).toBeGreaterThan(0);
    const all = writes.filter((_, index) => index <= locked + 1 || index % 10 === 0);
    const name = `faults: two runs at once with a state in a folder (${platform})`;
    await checkEach({ name, level: "E", cases: all.length, siblings: 2 }, all, async ({ number: write }) => {
      const acme = await begun(platform);
      const other = acme.clone();
      let second: CommandOutput | undefined;
      const act = async (): Promise<void> => {
        second = await other.orgseat(...up);
      };
      const first = await traced(acme, { write, fault: "pause", act }, ...up);
      expect(second !== undefined || write > writes.length - VARYING, "the second one ran").toBe(true);
      await expectBoth(platform, acme, [first, second]);
    });
  });
});
