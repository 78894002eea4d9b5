/** Lost responses at a service that lists users and tokens: one effect each, and a decision only about a person who was added unseen. */
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { expect } from "vitest";
import type { FaultRule } from "../../sandbox/service/index.ts";
import type { DirectResource, DirectStack } from "../setup/direct.ts";
import { pausesOnly } from "../setup/direct-providers.ts";
import { type Cut, cutsOf, renewSubscription } from "./cuts.ts";
import {
  decided,
  expectOneOfEach,
  idOf,
  type ListedOrganization,
  member,
  operation,
  outsOf,
} from "./listed.ts";

const identity = await generateX25519Identity();
const recipient = await identityToRecipient(identity);

const WRITES = [5, 6, 7, 8, 9, 10, 11] as const;
type Case = Cut<(typeof WRITES)[number]>;
export const cases = cutsOf(WRITES);

/** One to three members, people and machine users in turn, every second with a sealed token; two machine users have the same names. */
function programOf({ call, cut, seed }: Case): DirectResource[] {
  const prefix = `c${call}-${cut}-${seed}`;
  return Array.from({ length: 1 + (seed % 3) }, (_, index) => {
    const isManaged = (index + seed) % 2 === 0;
    const who = isManaged ? { purpose: prefix } : { email: `${prefix}-${index}@acme.example` };
    return member(`m${index}`, who, { token: index % 2 === 0 ? { recipients: [recipient] } : {} });
  }).flat();
}

/** The number of responses that are cut, and whether the lists that would settle them fail too. */
function faultsOf({ call, cut, seed }: Case): FaultRule[] {
  const members = 1 + (seed % 3);
  const after = seed % members;
  const times = 1 + (Math.floor(seed / 3) % 4);
  // Before that: one list for each machine user, and one for all people and seats.
  const machines = Array.from({ length: after + 1 }, (_, index) => index + seed).filter((n) => n % 2 === 0);
  const isShared = call !== 5 || after > 0 || seed % 2 === 1;
  const read = machines.length + (isShared ? 1 : 0);
  const lists: FaultRule[] = [
    { match: { call: 17 }, after: read, times: "always", fault: { kind: "cut-before" } },
    { match: { call: 18 }, after: 2 * after + 1, times: "always", fault: { kind: "cut-before" } },
  ];
  const listsFail = call <= 7 && Math.floor(seed / 12) % 2 === 1;
  return [{ match: { call }, after, times, fault: { kind: cut } }, ...(listsFail ? lists : [])];
}

/** One loss of responses: the next run repairs it, and nothing is created twice. */
export async function expectRepaired(
  one: Case,
  organization: ListedOrganization,
  stack: DirectStack,
): Promise<void> {
  stack.time = pausesOnly;
  const { management } = organization.service;
  const program = programOf(one);
  const target = await prepare(one, organization, stack, program);
  const foreign = await foreignToken(one, organization, stack);
  await management.addFaults(...faultsOf(one));
  await stack.up(target);
  const hits = (await management.faults()).map((fault) => fault.hits);
  await management.clearFaults();
  expect(hits[0], "the fault was played").toBeGreaterThan(0);
  // It would keep its user from being removed.
  if (foreign)
    expect(await organization.neighbor.revokeToken(foreign.userId, operation, foreign.tokenId)).toBe(
      "deleted",
    );

  const settled = await decided(stack, target, organization);
  if (one.call !== 5) expect(settled).toEqual(target);
  expect(await stack.preview(settled)).toEqual([]);
  await expectOneOfEach(organization, stack, { members: settled.length / 3, identity });
  expect((await stack.refresh()).errors).toEqual([]);
  expect(await stack.preview(settled)).toEqual([]);
  expect((await stack.destroy()).errors).toEqual([]);
  expect((await organization.snapshot()).users).toEqual([]);
}

/** Brings the stack to where the call comes next. @returns the program that makes it come */
async function prepare(
  { call }: Case,
  { service }: ListedOrganization,
  stack: DirectStack,
  program: DirectResource[],
): Promise<DirectResource[]> {
  if (call <= 7) return program;
  expect((await stack.up(program)).errors).toEqual([]);
  if (call !== 8) return [];
  await renewSubscription(service, stack);
  return program;
}

/** In every second revocation, someone else's token on the first user, which must not be revoked. */
async function foreignToken({ call, seed }: Case, organization: ListedOrganization, stack: DirectStack) {
  if (call !== 9 || seed % 2 === 0) return undefined;
  const userId = idOf(stack, "m0-user");
  const before = new Set((await organization.snapshot()).tokens.map(({ tokenId }) => tokenId));
  await organization.neighbor.issueToken(userId, String(outsOf(stack, "m0-token").validUntil), operation);
  const { tokens } = await organization.snapshot();
  const tokenId = tokens.find((token) => !before.has(token.tokenId))?.tokenId ?? "";
  return { userId, tokenId };
}
