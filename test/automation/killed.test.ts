// @module-tag ci
/** Runs of a service that lists users and tokens, killed while they create: the next runs say what to decide, and create nothing twice. */
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { auditLinesIn } from "../../provider/api/schemas/audit-lines.ts";
import { checkEach } from "../setup/cases.ts";
import { InterceptingProxy } from "../setup/intercepting-proxy.ts";
import { killTree } from "../setup/process-tree.ts";
import { fourPeople, runningOrganization, type TestOrganization, testOrganization } from "./organization.ts";

/** What the service has of the people of the roster. */
async function madeOf({ sandbox }: TestOrganization) {
  const { users, tokens } = await sandbox.service.management.snapshot();
  const own = users.filter(({ role }) => role === "member");
  return {
    users: own.length,
    seats: own.filter(({ seat }) => seat).length,
    tokens: tokens.filter(({ revoked }) => !revoked).length,
  };
}

const runSchema = z.object({
  failures: z.array(z.object({ text: z.string() })),
  results: z
    .array(z.object({ who: z.string(), code: z.string().nullish(), text: z.string().nullish() }))
    .default([]),
});

async function decideByName(acme: TestOrganization, who: string): Promise<void> {
  const { users } = await acme.sandbox.service.management.snapshot();
  const made = users.find(({ firstName }) => firstName === who)?.userId;
  const decision = made === undefined ? ["--missing"] : ["--exists", made];
  await acme.succeed("resolve", who, ...decision);
}

/** Follows the results: adopts the people whom they name, and revokes the tokens whose value is lost. */
async function untilDecided(acme: TestOrganization): Promise<void> {
  let rows = fourPeople;
  for (let runs = 0; runs < 4; runs++) {
    const { code, failures, results } = await acme.json(runSchema, "up", "--yes");
    if (code === 0) return;
    if (failures.some(({ text }) => text.includes("another run holds the lock of the stack")))
      expect(await acme.pulumi("cancel", "--stack", "people", "--yes")).toMatchObject({ code: 0 });
    for (const { who, code, text } of results) {
      const [, userId = ""] = /on the list of users, as user (\S+)/.exec(text ?? "") ?? [];
      if (code === "user-exists")
        rows = rows.map((row) => (row.email === who ? { ...row, user_id: userId } : row));
      const [, holder = "", tokenId] = /\(user (\S+)\) has (\S+) \(expires/.exec(text ?? "") ?? [];
      if (code === "machine-user-undecided") await decideByName(acme, who);
      if (code === "token-undecided")
        await acme.behindOurBack((api, operation) => api.revokeToken(holder, operation, tokenId));
    }
    acme.write(rows.map(({ user_id = "", ...row }) => ({ ...row, user_id })));
  }
  throw new Error("no end of decisions");
}

const exportSchema = z.object({
  deployment: z.object({ resources: z.array(z.object({ urn: z.string() })).default([]) }),
});

/** The resources of the state, after a `pulumi cancel` as a person sends it after a kill. */
async function stateOf(acme: TestOrganization): Promise<string[]> {
  expect(await acme.pulumi("cancel", "--stack", "people", "--yes")).toMatchObject({ code: 0 });
  const { stdout } = await acme.pulumi("stack", "export", "--stack", "people");
  return exportSchema.parse(JSON.parse(stdout)).deployment.resources.map(({ urn }) => urn);
}

/** Runs a command until the service has done so many writes, then kills everything before the answer to the last one. */
async function killedAfter(write: number, acme: TestOrganization, ...command: string[]): Promise<void> {
  const { orgUrl } = acme.sandbox.service;
  const proxy = await InterceptingProxy.before(orgUrl);
  acme.environment.ORGSEAT_ORG_URL = proxy.through(orgUrl);
  let writes = 0;
  const caught = proxy.hold("answer", ({ method }) => method !== "GET" && ++writes === write);
  const { pid, ended } = acme.start(...command);
  const early = ended.then(({ stdout, stderr }) => {
    throw new Error(`ended before write ${write}: ${stdout}${stderr}`);
  });
  await Promise.race([caught, early]);
  early.catch(() => undefined);
  await killTree(pid);
  await proxy.quiet();
  delete acme.environment.ORGSEAT_ORG_URL;
}

type Request = Awaited<ReturnType<TestOrganization["sandbox"]["requests"]>>[number];

const isRemoval = ({ method, status }: Request): boolean =>
  method === "DELETE" && status !== null && status < 300;

/** The removals of users that the service has done and the audit log lacks. */
function withoutLine(removals: readonly Request[], { folder }: TestOrganization): Request[] {
  const lines = auditLinesIn(join(folder, ".orgseat", "audit.jsonl"));
  const logged = new Set(lines.flatMap(({ name, id }) => (name === "remove user" ? id : [])));
  return removals.filter(({ call, userId }) => call === 11 && !logged.has(userId ?? ""));
}

const leavers = fourPeople.flatMap(({ email = [] }) => email);
const WRITES_PER_PERSON = 3;
const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

describe("PULUMI_SKIP_CHECKPOINTS in the environment", () => {
  test("removes each offboarded person once and nobody else, killed after any write while the state has none of them", async () => {
    const name = "removals without checkpoints";
    const writes = upTo(leavers.length * WRITES_PER_PERSON);
    await checkEach({ name, level: "E", siblings: 2, cases: writes.length }, writes, async (write) => {
      const acme = await runningOrganization(fourPeople);
      const before = { state: await stateOf(acme), members: await acme.members() };
      acme.environment.PULUMI_SKIP_CHECKPOINTS = "true";
      await killedAfter(write, acme, "offboard", ...leavers, "--yes");
      expect(await stateOf(acme)).toEqual(before.state);

      const early = (await acme.sandbox.requests()).filter(isRemoval);
      const unlogged = withoutLine(early, acme);
      // Nothing shows who removed a user whose removal is in no log: only the absence is known.
      const code = unlogged.length === 0 ? 0 : 1;
      const rerun = await acme.orgseat("offboard", ...leavers, "--yes");
      expect(rerun).toMatchObject({ code });
      let said = rerun.stdout;
      // A service says of two what it says of everybody to an account without rights.
      if (unlogged.length > 1) {
        expect(said).toContain(`says so of all ${unlogged.length} users`);
        for (const who of leavers) said += (await acme.orgseat("offboard", who, "--yes")).stdout;
      }
      for (const { userId } of unlogged)
        expect(said).toContain(`user id ${userId} is unknown to the service`);
      const removals = [...early, ...(await acme.sandbox.requests()).filter(isRemoval)];
      const done = removals.map(({ call, userId }) => `${call} ${userId}`);
      expect(new Set(done).size).toBe(done.length);
      expect(done).toHaveLength(writes.length);
      expect(await acme.members()).toEqual({ "Nightly builds": before.members["Nightly builds"] });
      expect(await acme.orgseat("offboard", ...leavers, "--yes")).toMatchObject({ code });
      expect(await acme.writes()).toEqual([]);
    });
  });

  test("keeps each creation in the state before the next one, so an up that is killed after any write loses no earlier token", async () => {
    const name = "creations without checkpoints";
    const writes = upTo(fourPeople.length * WRITES_PER_PERSON);
    await checkEach({ name, level: "E", siblings: 2, cases: writes.length }, writes, async (write) => {
      const acme = await testOrganization({}, undefined, "anaconda");
      acme.write(fourPeople);
      Object.assign(acme.environment, { PULUMI_SKIP_CHECKPOINTS: "true", PULUMI_PARALLEL: "1" });
      await killedAfter(write, acme, "up", "--yes");
      const inState = (await stateOf(acme)).filter((urn) =>
        /[:$](OrgUser|RosterSeat|RosterToken)::/.test(urn),
      );
      expect(inState).toHaveLength(write - 1);
      const kept = inState.filter((urn) => urn.includes("RosterToken")).length;
      const { tokens: issued } = await acme.sandbox.service.management.snapshot();

      await untilDecided(acme);
      const { tokens } = await acme.sandbox.service.management.snapshot();
      const alive = new Set(tokens.flatMap(({ revoked, tokenId }) => (revoked ? [] : tokenId)));
      expect(issued.filter(({ tokenId }) => alive.has(tokenId)).length).toBeGreaterThanOrEqual(kept);
      const count = fourPeople.length;
      expect(await madeOf(acme)).toEqual({ users: count, seats: count, tokens: count });
      expect((await acme.orgseat("preview", "--refresh")).stdout).toContain("No changes.");
    });
  });
});

describe("a rotation that is killed after it issued the new token", () => {
  test("leaves no token behind the first offboard", async () => {
    const ada = "ada@acme.example";
    const acme = await testOrganization({}, undefined, "anaconda");
    acme.write(fourPeople);
    await acme.succeed("up", "--yes");
    await killedAfter(1, acme, "rotate", ada, "--yes");
    await stateOf(acme);
    const before = await madeOf(acme);
    expect(before.tokens).toBe(fourPeople.length + 1);
    expect(await acme.succeed("offboard", ada, "--yes")).toContain(`${ada}: token revoked`);
    const count = fourPeople.length - 1;
    expect(await madeOf(acme)).toEqual({ users: count, seats: count, tokens: count });
  });
});
