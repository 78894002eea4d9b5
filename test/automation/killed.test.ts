// @module-tag ci
/**
 * Commands that SIGKILL ends at any of their writes: orgseat, Pulumi, the provider, or all of them. Nobody is added twice, no
 * earlier token is lost, no live token is unknown, and the next runs complete, after one answer where no list gives it.
 */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { PlatformName } from "../../sandbox/service/index.ts";
import {
  ada,
  builds,
  edsger,
  everyWrite,
  expectComplete,
  grace,
  liveHashes,
  liveTokens,
  unlocked,
  untilDone,
} from "../faults/completion.ts";
import { checkEach } from "../setup/cases.ts";
import { InterceptingProxy } from "../setup/intercepting-proxy.ts";
import { killBelow, killTree } from "../setup/process-tree.ts";
import { runningOrganization, type TestOrganization } from "./organization.ts";

const platforms = ["basic", "anaconda"] as const satisfies readonly PlatformName[];
const { before, after, header } = everyWrite;
/** What `up` sends: 9, 10, 11; 9 and 7; 5, 6, 7; 5. */
const WRITES = 9;

interface Killing {
  readonly platform: PlatformName;
  readonly killed: "orgseat" | "pulumi" | "provider" | "everything";
  readonly at: "request" | "answer";
  readonly write: number;
}

const killings: readonly Killing[] = platforms.flatMap((platform) =>
  (["everything", "orgseat", "pulumi", "provider"] as const).flatMap((killed) =>
    // Whoever goes on needs the answer.
    (killed === "orgseat" ? (["answer"] as const) : (["request", "answer"] as const)).flatMap((at) =>
      Array.from({ length: WRITES }, (_, index) => ({ platform, killed, at, write: index + 1 })),
    ),
  ),
);

describe("up", () => {
  test("loses nothing and nobody, killed at any write", async () => {
    const suite = { name: "killed runs of up", level: "E", cases: killings.length } as const;
    await checkEach(suite, killings, async (one) => {
      const acme = await runningOrganization(before, { seats: 4 }, { seats: 4 }, one.platform);
      const early = await liveHashes(acme);
      acme.write(after, header);
      await killedAt(one, acme, "up", "--yes");
      const asked = await untilDone(acme, everyWrite);
      // A list shows what no answer does.
      if (one.platform === "anaconda") expect(asked).toEqual([]);
      expect(asked.length).toBeLessThanOrEqual(2);
      await expectComplete(acme, everyWrite);
      const late = await liveHashes(acme);
      for (const who of [edsger, builds.purpose]) expect(late.get(who), who).toEqual(early.get(who));
      acme.expectNoSecrets();
    });
  });

  test("changes nothing, killed while it plans", async () => {
    const acme = await runningOrganization(before, { seats: 4 }, { seats: 4 });
    acme.write(after, header);
    const { pid, says } = acme.start("up", "--yes");
    await says(/Organization/);
    await killTree(pid);
    expect(await acme.writes()).toEqual([]);
    expect(await untilDone(acme, everyWrite)).toEqual([]);
    await expectComplete(acme, everyWrite);
  });
});

describe("offboard", () => {
  const leavers = [ada, grace, edsger];
  const cases = platforms.flatMap((platform) =>
    Array.from(
      { length: 9 },
      (_, index) => ({ platform, killed: "everything", at: "answer", write: index + 1 }) as const,
    ),
  );

  test("removes each named person once and nobody else, killed after any write", async () => {
    await checkEach({ name: "killed offboardings", level: "E", cases: cases.length }, cases, async (one) => {
      const acme = await runningOrganization(before, {}, {}, one.platform);
      await killedAt(one, acme, "offboard", ...leavers, "--yes");
      await unlocked(acme);
      const again = await acme.orgseat("offboard", ...leavers, "--yes");
      // Without a list, nothing shows who removed a user, or revoked a token, if the answer was lost.
      if (again.code !== 0) {
        let said = again.stdout;
        // A service says of several what it says of everybody to an account without rights.
        if (/says so of all \d+ users/.test(said))
          for (const who of leavers) said += (await acme.orgseat("offboard", who, "--yes")).stdout;
        expect(said).toMatch(/is unknown to the service|already removed \(/);
      }
      expect(Object.keys(await acme.members())).toEqual([builds.purpose]);
      const removals = (await acme.sandbox.requests()).filter(
        ({ method, status }) => method === "DELETE" && status !== null && status < 300,
      );
      const done = removals.map(({ call, userId }) => `${call} ${userId}`);
      expect(new Set(done).size).toBe(done.length);
      expect(done).toHaveLength(9);
    });
  });
});

describe("a rotation that is killed after it issued the new token", () => {
  test("leaves no token behind the first offboard", async () => {
    const acme = await runningOrganization(before, {}, {}, "anaconda");
    await killedAt({ killed: "everything", at: "answer", write: 1 }, acme, "rotate", ada, "--yes");
    await unlocked(acme);
    expect(await liveTokens(acme)).toHaveLength(before.length + 1);
    expect(await acme.succeed("offboard", ada, "--yes")).toContain(`${ada}: token revoked`);
    expect(await liveTokens(acme)).toHaveLength(before.length - 1);
  });
});

const commands = { pulumi: /(^|\/)pulumi up /, provider: /dynamic-provider/ };

/** Runs a command until one of its writes is on its way to the service, or back, and kills there. */
async function killedAt(
  { killed, at, write }: Omit<Killing, "platform">,
  acme: TestOrganization,
  ...command: string[]
): Promise<void> {
  const { orgUrl } = acme.sandbox.service;
  const proxy = await InterceptingProxy.before(orgUrl);
  acme.environment.ORGSEAT_ORG_URL = proxy.through(orgUrl);
  let writes = 0;
  const caught = proxy.hold(at, ({ method }) => method !== "GET" && ++writes === write);
  const { pid, ended } = acme.start(...command);
  const early = ended.then(({ stdout, stderr }) => {
    throw new Error(`ended before write ${write}: ${stdout}${stderr}`);
  });
  const held = await Promise.race([caught, early]);
  early.catch(() => undefined);
  if (killed === "everything") await killTree(pid);
  else if (killed === "orgseat") {
    process.kill(pid, "SIGKILL");
    await held.deliver();
    await ended;
    await lockIsFree(acme);
  } else {
    await killBelow(pid, commands[killed]);
    const { code } = await ended;
    // The command's later runs of Pulumi can complete what the one with the killed provider left.
    expect(killed === "provider" ? [0, 1] : [1], `${killed} was killed`).toContain(code);
  }
  await proxy.quiet();
  delete acme.environment.ORGSEAT_ORG_URL;
}

/** A run whose command is gone goes on to its end. */
async function lockIsFree({ folder, sandbox }: TestOrganization): Promise<void> {
  const locks = join(folder, "state/.pulumi/locks/organization/orgseat/people");
  while (existsSync(locks) && readdirSync(locks).length > 0) await sandbox.service.management.clock();
}
