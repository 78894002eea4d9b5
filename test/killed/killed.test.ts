import { existsSync, readFileSync, rmSync } from "node:fs";
import { expect, test } from "vitest";
import type { ServiceSnapshot } from "../../sandbox/service/index.ts";
import { checkEach, type Suite } from "../setup/cases.ts";
import { type Copy, prepareCopies } from "../setup/copies.ts";
import type { Gate, Passed } from "../setup/gate.ts";
import { halt, killTree } from "../setup/process-tree.ts";
import type { Sandbox } from "../setup/sandbox.ts";
import { findSecrets, markedSecrets } from "../setup/secrets.ts";
import {
  type Declared,
  type Outcome,
  onEachEngine,
  type StateResource,
  type TestStack,
} from "../setup/stack.ts";

/** Resource names of the five; one of them is a managed user. */
const MEMBERS = ["ada", "grace", "edsger", "barbara", "linux-builds"] as const;
type Member = (typeof MEMBERS)[number];
const MANAGED: Member = "linux-builds";
const PURPOSE = "Linux builds";
const ACCOUNT = "build-bot";

const MOMENTS = ["before it is sent", "after its commit", "before its result is stored"] as const;

interface Case {
  readonly call: keyof typeof routes;
  readonly member: Member | null;
  readonly moment: (typeof MOMENTS)[number];
}

/** The writes as the wire shows them; `{}` is the id of the user or account. */
const routes = {
  1: "POST /service-accounts",
  3: "DELETE /service-accounts/{}",
  5: "POST /users",
  6: "POST /users/{}/seats",
  7: "POST /users/{}/token",
  9: "DELETE /users/{}/token",
  10: "DELETE /users/{}/seats",
  11: "DELETE /users/{}",
} as const;
const isRemoval = ({ call }: Case): boolean => routes[call].startsWith("DELETE");

const writes = ([5, 6, 7, 9, 10, 11] as const).flatMap((call) => MEMBERS.map((member) => ({ call, member })));
const cases: Case[] = [
  { call: 1, member: null } as const,
  ...writes,
  { call: 3, member: null } as const,
].flatMap((write) => MOMENTS.map((moment) => ({ ...write, moment })));

onEachEngine("killed halfway", (engine) => {
  const suite: Suite = {
    name: engine.name === "stand-in" ? "killed" : `killed, ${engine.name}`,
    level: "E",
    cases: cases.length,
  };

  test("each write, before it is sent, after its commit, before its result is stored: nothing is lost, doubled or repeated blindly", async () => {
    const copy = await prepareCopies(engine, program(new Map()), "inline");
    await checkEach(suite, cases, async (one) => holds(one, await copy(isRemoval(one))));
  });
});

type Remedies = Map<Member, { user?: Record<string, unknown>; token?: Record<string, unknown> }>;

/** One account and five members. @param remedies what a person adds after reading an error */
function program(remedies: Remedies): Declared[] {
  return [
    { type: "ServiceAccount", name: "bot", args: { name: ACCOUNT } },
    ...MEMBERS.map((member): Declared => {
      const who = member === MANAGED ? { firstName: PURPOSE } : { email: emailOf(member) };
      const { user = {}, token = {} } = remedies.get(member) ?? {};
      return { type: "OrgMember", name: member, args: { ...who, ...user, seat: true, token } };
    }),
  ];
}

const emailOf = (member: Member): string => `${member}@acme.example`;

async function holds(one: Case, { organization, stack, gate }: Copy): Promise<void> {
  const { management } = organization.service;
  const remedies: Remedies = new Map();
  const declare = () => stack.declare(isRemoval(one) ? [] : program(remedies));
  declare();
  const before = readFileSync(stack.stateFile, "utf8");
  await killed(one, organization, stack, gate);
  const written = readFileSync(stack.stateFile, "utf8") !== before;
  expectNoBlindRepeat(gate.passed.splice(0));

  let run = await goOn(stack);
  const noted = written || run.output.includes("and merged what it had recorded:");
  expect(noted, "the engine has noted what it was about to do").toBe(true);
  expectNoBlindRepeat(gate.passed.splice(0));
  await expectAllKnown(await management.snapshot(), stack.resources(), run.output);
  // An error stops a run, so that each may show the next one only.
  for (let steps = 0; run.code !== 0 && steps < 4; steps++) {
    follow(run.output, remedies, await management.snapshot());
    declare();
    run = await stack.up();
    expectNoBlindRepeat(gate.passed.splice(0));
  }
  expect(run).toMatchObject({ code: 0 });
  expect(await stack.preview("--expect-no-changes")).toMatchObject({ code: 0 });
  const printed = stack.printed.join("\n");
  expect(findSecrets(markedSecrets, { texts: { printed }, folders: [stack.folder] })).toEqual([]);
  if (isRemoval(one)) expect(await management.snapshot()).toMatchObject({ users: [], tokens: [] });
}

/** Runs the engine up to the moment of the write, and there ends it with everything that it started. */
async function killed(one: Case, { service }: Sandbox, stack: TestStack, gate: Gate): Promise<void> {
  const place = one.moment === "before it is sent" ? "request" : "answer";
  const caught = gate.hold(place, async (passed) =>
    isWrite(passed, one, await service.management.snapshot()),
  );
  const engine = stack.start("up", "--yes", "--skip-preview");
  const early = engine.ended.then(({ output }) => {
    throw new Error(`the engine ended before the write: ${output}`);
  });
  const held = await Promise.race([caught, early]);
  early.catch(() => undefined);
  if (one.moment === "before its result is stored") {
    await halt(engine.pid);
    await held.deliver();
  }
  await killTree(engine.pid);
  await engine.ended;
  await gate.quiet();
}

function isWrite(
  { method, path, body }: Passed,
  { call, member }: Case,
  { users }: ServiceSnapshot,
): boolean {
  const id = /\/(?:users|service-accounts)\/([^/]+)/.exec(path)?.[1];
  const route = `${method} ${path.replace(/^.*\/organizations\/[^/]+/, "").replace(id ?? "{}", "{}")}`;
  if (route !== routes[call]) return false;
  if (member === null) return true;
  const name = member === MANAGED ? PURPOSE : emailOf(member);
  if (call === 5) return body.includes(JSON.stringify(name));
  return users.some(({ userId, email, firstName }) => userId === id && (email ?? firstName) === name);
}

/** The next `up`; what the engine leaves to people after a kill is done first. */
async function goOn(stack: TestStack): Promise<Outcome> {
  const run = await stack.up();
  if (run.output.includes("failed to load checkpoint: EOF")) {
    // The real CLI was killed between making and filling the file of attributes that it keeps beside the state.
    rmSync(`${stack.stateFile}.attrs`);
    return goOn(stack);
  }
  if (run.code === 0 || !run.output.includes("currently locked")) return run;
  expect(await stack.pulumi("cancel", "--yes")).toMatchObject({ code: 0 });
  return stack.up();
}

/** In one run no POST goes out again, unless the service refused it; and call 1 comes after a look at the list. */
function expectNoBlindRepeat(passed: readonly Passed[]): void {
  const sent = new Set<string>();
  let listed = false;
  for (const { method, path, body, answer } of passed) {
    if (method === "GET" && path.endsWith("/service-accounts")) listed = true;
    if (method !== "POST" || (path.endsWith("/token") && !path.includes("/users/"))) continue;
    const post = `${path} ${body}`;
    expect(sent.has(post), `POST ${post} repeated blindly`).toBe(false);
    if (answer === undefined || answer.status < 400) sent.add(post);
    if (path.endsWith("/service-accounts")) expect(listed, "a list before call 1").toBe(true);
  }
}

/** Every object at the service is in the state, or a sentence of the run is about it. */
async function expectAllKnown(
  { users, tokens, serviceAccounts }: ServiceSnapshot,
  resources: readonly StateResource[],
  output: string,
): Promise<void> {
  const ids = (type: string) =>
    new Set(resources.filter((resource) => resource.type.endsWith(`:${type}`)).map(({ id }) => id));
  const accounts = ids("ServiceAccount");
  for (const { name, clientId } of serviceAccounts.filter(({ name }) => name === ACCOUNT)) {
    const known = accounts.has(clientId) || output.includes(`(client id ${clientId})`);
    expect(known, `account ${name} ${clientId} in ${output}`).toBe(true);
  }
  for (const { userId, email, firstName, seat } of users) {
    const member = MEMBERS.find((one) => (one === MANAGED ? firstName === PURPOSE : email === emailOf(one)));
    const who = email ?? firstName ?? "";
    const expectKnown = (type: string, part: string, refused: string) => {
      const pending = output.includes(
        `OrgMember$pulumi-nodejs:orgseat:${type}::${member}-${part}, interrupted`,
      );
      const named = output.split("\n").some((line) => line.includes(who) && line.includes(refused));
      expect(ids(type).has(userId) || pending || named, `${part} of ${who} in ${output}`).toBe(true);
    };
    expectKnown("OrgUser", "user", "`adopt:");
    if (seat) expectKnown("SeatAssignment", "seat", "`adopt: true`");
    if (tokens.some((token) => token.userId === userId)) {
      expectKnown("UserToken", "token", "`replaceExisting: true`");
    }
  }
  const names = users.map(({ email, firstName }) => email ?? firstName);
  expect(new Set(names).size, "nobody twice").toBe(names.length);
}

/** Does what the errors say: adopts whom they name, decides whether the managed user exists, replaces a token whose value is lost. */
function follow(output: string, remedies: Remedies, { users }: ServiceSnapshot): void {
  const before = JSON.stringify([...remedies]);
  const [, record = ""] = /a managed user named Linux builds .* delete (\S+)\. /.exec(output) ?? [];
  const made = users.find(({ firstName }) => firstName === PURPOSE);
  if (existsSync(record)) {
    if (made === undefined) {
      rmSync(record);
      return;
    }
    remedies.set(MANAGED, { ...remedies.get(MANAGED), user: { adopt: made.userId, onDelete: "remove" } });
  }
  for (const member of MEMBERS) {
    const who = member === MANAGED ? PURPOSE : emailOf(member);
    const remedy = remedies.get(member) ?? {};
    const adoptable = output.includes(`${who} is a member`) && users.find(({ email }) => email === who);
    if (adoptable) remedy.user = { adopt: adoptable.userId, onDelete: "remove" };
    const holder = new RegExp(`${who} \\(user [^)]*\\) has a token already`).test(output);
    if (holder) remedy.token = { replaceExisting: true };
    remedies.set(member, remedy);
  }
  expect(JSON.stringify([...remedies]), `a way to go on in ${output}`).not.toBe(before);
}
