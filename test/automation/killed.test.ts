// @module-tag ci
/**
 * Commands that SIGKILL ends at any of their writes: orgseat, Pulumi, the provider, or all of them. Nobody is added twice, no
 * earlier token is lost, no live token is unknown, and the next runs complete, after one answer where no list gives it.
 */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { PlatformName } from "../../sandbox/service/index.ts";
import { checkEach } from "../setup/cases.ts";
import { InterceptingProxy } from "../setup/intercepting-proxy.ts";
import { killBelow, killTree } from "../setup/process-tree.ts";
import { inTheClear, stateResources } from "../setup/state-file.ts";
import { type Row, runningOrganization, type TestOrganization } from "./organization.ts";

const platforms = ["basic", "anaconda"] as const satisfies readonly PlatformName[];
const [ada, grace, edsger, barbara] = ["ada", "grace", "edsger", "barbara"].map(
  (name) => `${name}@acme.example`,
) as [string, string, string, string];
const builds = { key: "builds", purpose: "Nightly builds" };
const mac = { key: "mac", purpose: "Mac builds", seat: "no", token: "no" };

const before: readonly Row[] = [{ email: ada }, { email: grace }, builds, { email: edsger }];
/** Grace leaves; Barbara gets the seat, in a later run of Pulumi; Ada gets a new token. */
const after: readonly Row[] = [{ email: ada }, builds, { email: edsger }, { email: barbara }, mac];
const header = { seats: 4, [`rotation of ${ada}`]: "2026-11-01T00:00:00Z" };
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
      const asked = await untilDone(acme, after);
      // A list shows what no answer does.
      if (one.platform === "anaconda") expect(asked).toEqual([]);
      expect(asked.length).toBeLessThanOrEqual(2);
      await expectComplete(acme);
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
    expect(await untilDone(acme, after)).toEqual([]);
    await expectComplete(acme);
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
      // Without a list, nothing shows who removed a user whose removal got no answer.
      if (again.code !== 0) {
        let said = again.stdout;
        // A service says of several what it says of everybody to an account without rights.
        if (/says so of all \d+ users/.test(said))
          for (const who of leavers) said += (await acme.orgseat("offboard", who, "--yes")).stdout;
        expect(said).toContain("is unknown to the service");
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

async function unlocked(acme: TestOrganization): Promise<void> {
  expect(await acme.pulumi("cancel", "--stack", "people", "--yes")).toMatchObject({ code: 0 });
}

const runSchema = z.object({
  failure: z.object({ code: z.string(), text: z.string() }).nullish(),
  undecided: z.array(z.object({ key: z.string(), who: z.string() })).default([]),
  undecidedOverride: z.string().nullish(),
  results: z
    .array(z.object({ who: z.string(), code: z.string().nullish(), text: z.string().nullish() }))
    .default([]),
  /** Why it did not begin. */
  error: z.string().default(""),
});

/** Runs `up` until it succeeds, and answers what it asks. @returns whom it asked about */
async function untilDone(acme: TestOrganization, rows: readonly Row[]): Promise<string[]> {
  const asked: string[] = [];
  const told: string[] = [];
  const ids = new Map<string, string>();
  let approve: string[] = [];
  for (let runs = 0; runs < 5; runs++) {
    const run = await acme.json(runSchema, "up", "--yes", ...approve);
    if (run.code === 0) return asked;
    approve = [];
    told.push(JSON.stringify(run));
    const { undecided, undecidedOverride, results, failure, error } = run;
    // Pulumi was killed between making and filling the file of attributes that it keeps beside the state.
    if (error.includes("EOF")) rmSync(join(acme.folder, "state/.pulumi/stacks/orgseat/people.json.attrs"));
    if (failure?.code === "stack-locked") await unlocked(acme);
    const { users } = await acme.sandbox.service.management.snapshot();
    const open = [...undecided, ...results.filter(({ code }) => code === "user-exists")];
    for (const { who } of open) {
      const user = users.find(({ email, firstName }) => who === (email ?? firstName));
      if (user !== undefined) ids.set(who, user.userId);
      if (!asked.includes(who)) asked.push(who);
    }
    if (open.some(({ who }) => ids.has(who)))
      acme.write(
        rows.map((row) => ({ ...row, user_id: ids.get(row.email ?? row.purpose ?? "") ?? "" })),
        header,
      );
    else if (undecidedOverride) approve = ["--approve", undecidedOverride];
  }
  throw new Error(`no end:\n${told.join("\n")}`);
}

/** The tokens that are not revoked. */
async function liveTokens({ sandbox }: TestOrganization) {
  return (await sandbox.service.management.snapshot()).tokens.filter(({ revoked }) => !revoked);
}

/** Their hashes, by email or purpose. */
async function liveHashes(acme: TestOrganization): Promise<Map<string, string[]>> {
  const { users } = await acme.sandbox.service.management.snapshot();
  const tokens = await liveTokens(acme);
  return new Map(
    users.map(({ userId, email, firstName }) => [
      email ?? firstName ?? userId,
      tokens.filter((one) => one.userId === userId).map(({ hash }) => hash),
    ]),
  );
}

/** Each member is there once, with the seat and the token of the row, and the state has the value of each live token. */
async function expectComplete(acme: TestOrganization): Promise<void> {
  const { users } = await acme.sandbox.service.management.snapshot();
  expect(users.map(({ email, firstName }) => email ?? firstName).toSorted()).toEqual(
    after.map(({ email, purpose }) => email ?? purpose).toSorted(),
  );
  // One that a killed rotation left stays: a person may have issued it, and a warning names it.
  const said = acme.printed.join("\n");
  const live = (await liveTokens(acme)).filter(({ tokenId }) => !said.includes(`has ${tokenId} (expires`));
  for (const { userId, email, firstName } of users) {
    const row = after.find((one) => (one.email ?? one.purpose) === (email ?? firstName));
    const own = live.filter((token) => token.userId === userId);
    expect(own, `tokens of ${email ?? firstName}`).toHaveLength(row?.token === "no" ? 0 : 1);
  }
  const file = join(acme.folder, "state/.pulumi/stacks/orgseat/people.json");
  const { PULUMI_CONFIG_PASSPHRASE: passphrase = "" } = acme.variables();
  const values = await Promise.all(
    stateResources(file).map(({ outputs }) => inTheClear(file, passphrase, outputs?.tokenValue)),
  );
  const hashes = values.flatMap((value) =>
    typeof value === "string" ? createHash("sha256").update(value).digest("hex") : [],
  );
  expect(hashes.toSorted()).toEqual(live.map(({ hash }) => hash).toSorted());
  const refresh = acme.sandbox.service.platform === "anaconda" ? ["--refresh"] : [];
  const { code, stdout } = await acme.orgseat("preview", "--exit-code", ...refresh);
  expect(code, stdout).toBe(0);
}
