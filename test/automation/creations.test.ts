// @module-tag ci
/** Machine users whose creation gets no answer or is killed: the engine, the command or all processes. */
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { shareOf } from "../setup/cases.ts";
import { type HeldRequest, type InterceptedRequest, InterceptingProxy } from "../setup/intercepting-proxy.ts";
import { halt, killBelow, killTree, pidBelow } from "../setup/process-tree.ts";
import { stateResources } from "../setup/state-file.ts";
import { type Row, runningOrganization, type TestOrganization } from "./organization.ts";

const BASE: readonly Row[] = [
  { email: "ada@acme.example" },
  { key: "alerts", purpose: "Alerts", token: "no" },
];
/** Machine users that are added, two of one purpose. A seat whose assignment is cut off too would need another decision. */
const ROWS: readonly Row[] = ["Builds", "Twins", "Twins"].map((purpose, index) => ({
  ...{ key: `m${index}`, purpose, seat: "no", token: "no" },
}));
const VICTIM = "Builds";

interface Case {
  readonly killed: "engine" | "everything" | "command";
  readonly at: "before it is sent" | "after its commit" | "before its result is stored";
  /** Whether the next run is on another machine, with the repository and the backend alone. */
  readonly isElsewhere?: boolean;
}
const cases: readonly Case[] = [
  { killed: "engine", at: "before it is sent", isElsewhere: true },
  { killed: "command", at: "after its commit" },
  { killed: "everything", at: "after its commit" },
  { killed: "everything", at: "before its result is stored" },
];

const ENGINE = /(^|\/)pulumi up /;
const PROVIDER = /dynamic-provider/;

describe("a machine user whose creation is killed", () => {
  test.each(shareOf(cases))(
    "blocks later runs from creating the user twice, until a decision settles it: $killed, $at",
    (one) => holds(one),
  );
});

async function holds(one: Case): Promise<void> {
  const acme = await runningOrganization(BASE);
  const proxy = await InterceptingProxy.before(acme.sandbox.service.orgUrl);
  acme.environment.ORGSEAT_ORG_URL = proxy.through(acme.sandbox.service.orgUrl);
  acme.write([...BASE, ...ROWS]);
  await killed(one, acme, proxy);
  if (one.isElsewhere) rmSync(join(acme.folder, ".orgseat"), { recursive: true, force: true });

  const again = await goOn(acme);
  await expectNobodyTwice(acme);
  if (one.killed === "command") {
    expect(again).toMatchObject({ code: 0 });
  } else {
    expect(again.code).toBe(1);
    for (const args of await decisions(acme, again.creations)) await resolve(acme, ...args);
    await acme.succeed("up", "--yes");
  }
  const { users } = await acme.sandbox.service.management.snapshot();
  expect(users.map(({ userId }) => userId).toSorted()).toEqual(idsIn(acme).toSorted());
  expect(users).toHaveLength(BASE.length + ROWS.length);
  acme.expectNoSecrets();
}

/** The run before can have ended before it came to the lock of the killed one. */
async function resolve(acme: TestOrganization, ...args: string[]): Promise<void> {
  const { code, stderr } = await acme.orgseat("resolve", ...args);
  if (code === 0) return;
  expect(stderr).toMatch(/another run holds its lock\. If that run was killed, .*pulumi cancel/);
  expect(await acme.pulumi("cancel", "--stack", "people", "--yes")).toMatchObject({ code: 0 });
  await acme.succeed("resolve", ...args);
}

/** Runs `up` to the creation of one machine user, and kills there. */
async function killed(one: Case, acme: TestOrganization, proxy: InterceptingProxy): Promise<void> {
  const isCreation = ({ method, path, body }: InterceptedRequest): boolean =>
    method === "POST" && path.endsWith("/users") && body.includes(JSON.stringify(VICTIM));
  const caught = proxy.hold(one.at === "before it is sent" ? "request" : "answer", isCreation);
  const running = acme.start("up", "--yes");
  const early = running.ended.then(({ stdout, stderr }) => {
    throw new Error(`the command ended before the creation: ${stdout}${stderr}`);
  });
  const held = await Promise.race([caught, early]);
  early.catch(() => undefined);
  await killAt(one, running.pid, held);
  await running.ended;
  if (one.killed === "command") await lockIsFree(acme);
  await proxy.quiet();
}

async function killAt({ killed, at }: Case, pid: number, held: HeldRequest): Promise<void> {
  if (killed === "engine") return killBelow(pid, new RegExp(`${ENGINE.source}|${PROVIDER.source}`));
  if (killed === "command") {
    process.kill(pid, "SIGKILL");
    return held.deliver();
  }
  if (at === "before its result is stored") {
    await halt(await pidBelow(pid, ENGINE));
    await held.deliver();
  }
  return killTree(pid);
}

const LOCKS = "state/.pulumi/locks/organization/orgseat/people";

async function lockIsFree({ folder, sandbox }: TestOrganization): Promise<void> {
  const locks = join(folder, LOCKS);
  while (existsSync(locks) && readdirSync(locks).length > 0) await sandbox.service.management.clock();
}

const creationSchema = z.object({
  key: z.string(),
  who: z.string(),
});
type Creation = z.output<typeof creationSchema>;
const runSchema = z.object({
  creations: z.array(creationSchema).default([]),
  failures: z.array(z.object({ text: z.string() })).default([]),
  /** Why it did not begin. */
  error: z.string().default(""),
});

const STATE = "state/.pulumi/stacks/orgseat/people.json";

/** The next `up`; what Pulumi leaves to people after a kill is done first. */
async function goOn(acme: TestOrganization) {
  let run = await acme.json(runSchema, "up", "--yes");
  if (run.error.includes("EOF")) {
    // Pulumi was killed between making and filling the file of attributes that it keeps beside the state.
    rmSync(join(acme.folder, `${STATE}.attrs`));
    run = await acme.json(runSchema, "up", "--yes");
  }
  if (run.failures.some(({ text }) => text.includes("another run holds the lock of the stack"))) {
    expect(await acme.pulumi("cancel", "--stack", "people", "--yes")).toMatchObject({ code: 0 });
    run = await acme.json(runSchema, "up", "--yes");
  }
  expect(run.error).toBe("");
  return run;
}

async function expectNobodyTwice({ sandbox }: TestOrganization): Promise<void> {
  const { users } = await sandbox.service.management.snapshot();
  for (const { purpose } of ROWS) {
    const wanted = ROWS.filter((row) => row.purpose === purpose).length;
    const there = users.filter(({ firstName }) => firstName === purpose).length;
    expect(there, `users for ${purpose}`).toBeLessThanOrEqual(wanted);
  }
}

/** The arguments of `resolve` after a look in the service's admin console. */
async function decisions(acme: TestOrganization, creations: readonly Creation[]): Promise<string[][]> {
  const ids = idsIn(acme);
  const { users } = await acme.sandbox.service.management.snapshot();
  const unknown = users.filter(({ userId }) => !ids.includes(userId));
  expect(creations.length).toBeGreaterThan(0);
  return creations.map(({ key, who }) => {
    const index = unknown.findIndex(({ firstName }) => firstName === who);
    const userId = index < 0 ? undefined : unknown.splice(index, 1)[0]?.userId;
    return userId === undefined ? [key, "--missing"] : [key, "--exists", userId];
  });
}

/** The user ids of the state. */
function idsIn({ folder }: TestOrganization): string[] {
  return stateResources(join(folder, STATE)).flatMap(({ type, id }) =>
    type.endsWith(":OrgUser") && id !== undefined ? [id] : [],
  );
}
