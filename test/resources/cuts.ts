/** Every write, cut before it, after its commit or in the middle of its answer. */
import { expect } from "vitest";
import { formatInstant } from "../../provider/util/instants.ts";
import type { ServiceSnapshot } from "../../sandbox/service/index.ts";
import type { DirectResource, DirectStack, Said } from "../setup/direct.ts";
import type { Sandbox } from "../setup/sandbox.ts";
import { member } from "./listed.ts";

const WRITES = [1, 3, 5, 6, 7, 8, 9, 10, 11] as const;
const CUTS = ["cut-before", "cut-after", "cut-middle"] as const;
const SEEDS = 200;

/** A write, and where its connection is cut. */
export interface Cut<Call = number> {
  readonly call: Call;
  readonly cut: (typeof CUTS)[number];
  readonly seed: number;
}
type Case = Cut<(typeof WRITES)[number]>;

export function cutsOf<Call>(writes: readonly Call[]): Cut<Call>[] {
  return writes.flatMap((call) =>
    CUTS.flatMap((cut) => Array.from({ length: SEEDS }, (_, seed) => ({ call, cut, seed }))),
  );
}

export const cases = cutsOf(WRITES);

/** A program of one service account and up to five members, people and machine users in turn. */
class Program {
  readonly #case: Case;
  readonly #prefix: string;
  readonly members: number;
  /** What a person adds after reading an error: by resource. */
  readonly remedies = new Map<string, Record<string, unknown>>();

  constructor(one: Case) {
    this.#case = one;
    this.members = 1 + (one.seed % 5);
    this.#prefix = `c${one.call}-${one.cut}-${one.seed}`;
  }

  /** Whether an email, a purpose or a name is of this program. */
  owns(name: string | null): boolean {
    return name?.startsWith(`${this.#prefix}-`) ?? false;
  }

  resources(without: { account?: boolean; members?: boolean } = {}): DirectResource[] {
    const account: DirectResource = {
      type: "ServiceAccount",
      name: "bot",
      args: { name: `${this.#prefix}-bot` },
    };
    const members = Array.from({ length: without.members ? 0 : this.members }, (_, index) =>
      this.#member(index),
    );
    return [...(without.account ? [] : [account]), ...members.flat()];
  }

  #member(index: number): DirectResource[] {
    const managed = (index + this.#case.seed) % 2 === 0;
    const who = managed
      ? { purpose: `${this.#prefix}-builds-${index}` }
      : { email: `${this.#prefix}-m${index}@acme.example` };
    return member(`m${index}`, who).map((resource) => ({
      ...resource,
      args: { ...resource.args, ...this.remedies.get(resource.name) },
    }));
  }
}

/** One cut, and what a person does then: nothing is lost or doubled. */
export async function expectRepaired(one: Case, organization: Sandbox, stack: DirectStack): Promise<void> {
  const { management } = organization.service;
  stack.configuration.ORGSEAT_MAX_REMOVALS = "25";
  const program = new Program(one);
  const target = await prepare(one, organization, stack, program);
  const rule = { match: { call: one.call }, after: one.seed % program.members, fault: { kind: one.cut } };
  if (one.call === 1 || one.call === 3) rule.after = 0;
  await organization.requests();
  await management.addFaults(rule);

  const first = await stack.up(target());
  expect(
    (await management.faults()).map(({ hits }) => hits),
    "the fault was played",
  ).toEqual([1]);
  await management.clearFaults();
  await expectNoBlindRepeat(organization, program);
  const second = await stack.up(target());
  await expectNoBlindRepeat(organization, program);

  expectAllKnown(program, stack, await management.snapshot(), said(first, second));
  const replace = follow(second, program, stack, await management.snapshot());
  expect((await stack.run(target(), { replace })).errors).toEqual([]);
  expect(await stack.preview(target())).toEqual([]);
  expect((await stack.destroy()).errors).toEqual([]);
}

/** Brings the stack to where the call comes next. @returns the program that makes it come */
async function prepare(
  { call }: Case,
  { service }: Sandbox,
  stack: DirectStack,
  program: Program,
): Promise<() => DirectResource[]> {
  if (call === 1 || call === 5 || call === 6 || call === 7) return () => program.resources();
  expect((await stack.up(program.resources())).errors).toEqual([]);
  if (call === 3) return () => program.resources({ account: true });
  if (call !== 8) return () => program.resources({ members: true });
  await renewSubscription(service, stack);
  return () => program.resources();
}

/** Moves the end of the subscription by a day, at the service and in the configuration. */
export async function renewSubscription({ management, seed }: Sandbox["service"], stack: DirectStack) {
  const [organization] = (await management.snapshot()).organizations;
  const renewed = formatInstant(Date.parse(organization?.subscriptionExpiresAt ?? "") + 86_400_000);
  await management.changeSubscription(seed.organizationId, { expiresAt: renewed });
  stack.configuration.ORGSEAT_SUBSCRIPTION_EXPIRES_AT = renewed;
}

function said(...runs: Said[]): string {
  return runs.flatMap(({ errors, messages }) => [...errors, ...messages.map(({ text }) => text)]).join("\n");
}

/** In one run no POST is sent again after one got no answer, unless a list proved what it did. */
async function expectNoBlindRepeat(organization: Sandbox, program: Program): Promise<void> {
  const lost = new Set<string>();
  const requests = await organization.requests();
  for (const { method, path, call, status, fault } of requests) {
    if (call === 2) lost.clear();
    if (method !== "POST" || call === "token" || call === 5) continue;
    expect(lost.has(path), `POST ${path} repeated blindly`).toBe(false);
    if (fault !== null || status === null) lost.add(path);
  }
  // Call 5 has one path for all: each member may be asked for once.
  expect(requests.filter(({ call }) => call === 5).length).toBeLessThanOrEqual(program.members);
}

/** Every object at the service is in the state, or a sentence names its person or id. */
function expectAllKnown(
  program: Program,
  stack: DirectStack,
  snapshot: ServiceSnapshot,
  sentences: string,
): void {
  const of = (type: string) => [...stack.state.values()].filter(({ declared }) => declared.type === type);
  const [accounts, users] = ["ServiceAccount", "OrgUser"].map(
    (type) => new Set(of(type).map(({ id }) => id)),
  );
  const [seats, tokens] = ["SeatAssignment", "UserToken"].map(
    (type) => new Set(of(type).map(({ outs }) => outs.userId)),
  );
  for (const { clientId, name } of snapshot.serviceAccounts) {
    if (program.owns(name)) expect(accounts?.has(clientId) || sentences.includes(name), name).toBe(true);
  }
  const own = snapshot.users.filter(({ email, firstName }) => program.owns(email ?? firstName));
  for (const { userId, email, firstName, seat } of own) {
    const who = email ?? firstName ?? "";
    const named = sentences.includes(who);
    expect(users?.has(userId) || named, `user ${who}`).toBe(true);
    if (seat) expect(seats?.has(userId) || named, `seat of ${who}`).toBe(true);
    if (snapshot.tokens.some((token) => token.userId === userId)) {
      expect(tokens?.has(userId) || named, `token of ${who}`).toBe(true);
    }
  }
  const names = own.map(({ email, firstName }) => email ?? firstName);
  expect(new Set(names).size, "nobody twice").toBe(names.length);
}

/**
 * Does what the errors say: adopts whom they name, decides whether a machine user exists, replaces a token whose value is
 * lost. @returns what `--replace` names
 */
function follow(
  { errors }: Said,
  program: Program,
  stack: DirectStack,
  snapshot: ServiceSnapshot,
): ReadonlySet<string> {
  const replace = new Set<string>();
  for (const error of errors) {
    const person = snapshot.users.find(
      ({ email }) => email !== null && error.includes(`${email} is already a member`),
    );
    const holder = snapshot.users.find(({ userId }) => error.includes(`/users/${userId}/token`));
    const [, purpose] = /requested (\S+) and got no answer.* run `pulumi up --replace /.exec(error) ?? [];
    if (person && error.includes("set `adopt`")) {
      const resource = program.resources().find(({ args }) => args.email === person.email);
      program.remedies.set(resource?.name ?? "", { adopt: person.userId, onDelete: "delete" });
    } else if (holder && error.includes("`replaceExisting: true`")) {
      const [name = ""] =
        [...stack.state].find(
          ([, { id, declared }]) => id === holder.userId && declared.type === "OrgUser",
        ) ?? [];
      program.remedies.set(name.replace("user", "token"), { replaceExisting: true });
    } else if (purpose !== undefined) {
      const made = snapshot.users.find(({ firstName }) => firstName === purpose);
      const resource = program.resources().find(({ args }) => args.purpose === purpose);
      if (made === undefined) replace.add(resource?.name ?? "");
      else program.remedies.set(resource?.name ?? "", { adopt: made.userId, onDelete: "delete" });
    } else {
      throw new Error(`the second run failed without a way to go on: ${error}`);
    }
  }
  return replace;
}
