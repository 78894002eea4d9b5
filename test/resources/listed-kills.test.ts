/** Runs that are killed: what they sent and no state has is found by the next run. */
import { readdirSync } from "node:fs";
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkCases } from "../setup/cases.ts";
import { CutoffProxy } from "../setup/cutoff-proxy.ts";
import type { DirectResource, DirectStack } from "../setup/direct.ts";
import {
  ada,
  builds,
  idOf,
  type ListedOrganization,
  listedOrganization,
  member,
  operation,
  outsOf,
  tokenValue,
} from "./listed.ts";

/** At which write a run is killed: before the service gets it, after it has done it, or before the state has it. */
interface Kill {
  readonly write: number;
  readonly place: "before" | "after" | "answered";
}

/** Runs that are killed one after another. */
const caseArbitrary: fc.Arbitrary<Kill[]> = fc.array(
  fc.record({
    write: fc.integer({ min: 1, max: 9 }),
    place: fc.constantFrom("before", "after", "answered"),
  }),
  { minLength: 1, maxLength: 3 },
);

/** The same stack after a run that is killed at a write. */
async function killed(
  stack: DirectStack,
  program: readonly DirectResource[],
  proxy: CutoffProxy,
  { write, place }: Kill,
): Promise<DirectStack> {
  const creations = stack.configuration.ORGSEAT_CREATIONS ?? stack.creations;
  const run = stack.copy({ ORGSEAT_CREATIONS: creations, PULUMI_STACK: "people" });
  if (place === "answered") {
    const missing = program.filter(({ name }) => !run.state.has(name)).slice(0, write);
    const last = missing.at(-1)?.name;
    if (last === undefined) return run;
    await run.up(program.slice(0, program.findIndex(({ name }) => name === last) + 1));
    run.state.delete(last);
    return run;
  }
  const orgUrl = run.configuration.ORGSEAT_ORG_URL ?? "";
  const isCutOff = new Promise<void>((resolve) => {
    run.configuration.ORGSEAT_ORG_URL = proxy.addressFor(orgUrl, { write, place }, resolve);
  });
  // Nothing that the run does from then on reaches the service or the next run.
  await Promise.race([run.up(program), isCutOff]);
  return run.copy({ ORGSEAT_CREATIONS: creations, ORGSEAT_ORG_URL: orgUrl });
}

async function expectOne(
  organization: ListedOrganization,
  stack: DirectStack,
  members: number,
  identity: string,
): Promise<void> {
  const { users, tokens } = await organization.snapshot();
  expect(users).toHaveLength(members);
  expect(users.every(({ seat }) => seat)).toBe(true);
  const there = new Set(users.map(({ userId }) => userId));
  const live = tokens.filter(({ userId, revoked }) => there.has(userId) && !revoked);
  const own = [...stack.state.values()].flatMap(({ outs }) => (outs.tokenId ? [outs.tokenId] : []));
  expect(live.map(({ tokenId }) => tokenId).toSorted()).toEqual(own.toSorted());
  for (const { outs } of stack.state.values()) {
    if (outs.tokenId === undefined) continue;
    expect(outs.token === undefined).toBe(outs.recipient !== undefined);
    const value = await tokenValue(outs, identity);
    expect(await organization.service.management.probe(value)).toMatchObject({ live: true });
  }
}

test("a run killed at any write: the next run finds what it sent, and the journal is gone afterwards", async () => {
  const organization = await listedOrganization();
  const proxy = await CutoffProxy.to(organization.service.orgUrl);
  const identity = await generateX25519Identity();
  const token = { recipient: await identityToRecipient(identity) };
  let count = 0;
  await checkCases({ name: "killed runs", level: "R", cases: 500 }, caseArbitrary, async (kills) => {
    const name = `k${++count}`;
    const program = [
      ...member("person", { email: `${name}@acme.example` }),
      ...member("one", { firstName: name }, { token }),
      ...member("two", { firstName: name }),
    ];
    const stack = organization.stack({ PULUMI_STACK: "people" });
    let next = stack;
    for (const kill of kills) next = await killed(next, program, proxy, kill);
    expect((await next.up(program)).errors).toEqual([]);
    await expectOne(organization, next, 3, identity);
    expect(await next.preview(program)).toEqual([]);
    expect(readdirSync(stack.creations)).toEqual([]);
    expect((await next.destroy()).errors).toEqual([]);
    expect((await organization.snapshot()).users).toEqual([]);
  });
});

test("a run killed while it issues a token for another recipient: the next run issues one for this recipient", async () => {
  const organization = await listedOrganization();
  const proxy = await CutoffProxy.to(organization.service.orgUrl);
  const identities = await Promise.all([generateX25519Identity(), generateX25519Identity()]);
  const [first = "", then = ""] = await Promise.all(identities.map(identityToRecipient));
  for (const write of [1, 2]) {
    for (const place of ["before", "after"] as const) {
      const of = (recipient: string) =>
        member("ada", { email: `${write}-${place}@acme.example` }, { token: { recipient } });
      const stack = organization.stack({ PULUMI_STACK: "people" });
      expect((await stack.up(of(first))).errors).toEqual([]);
      const next = await killed(stack, of(then), proxy, { write, place });
      expect((await next.up(of(then))).errors).toEqual([]);
      await expectOne(organization, next, 1, identities[1] ?? "");
      expect(await next.preview(of(then))).toEqual([]);
      expect((await next.destroy()).errors).toEqual([]);
    }
  }
});

test("a run killed while it issues a new token instead of an adopted one: the next run says so, and adopts no other", async () => {
  const organization = await listedOrganization();
  const { neighbor } = organization;
  const proxy = await CutoffProxy.to(organization.service.orgUrl);
  const recipient = await identityToRecipient(await generateX25519Identity());
  for (const isNamed of [true, false]) {
    const { id } = await neighbor.createUser({ email: `${isNamed}@acme.example` }, operation);
    await neighbor.assignSeat(id, operation);
    await neighbor.issueToken(id, "2027-01-31T23:59:59Z", operation);
    const [existing] = await neighbor.listTokens(id, operation);
    const adopt = isNamed ? existing?.id : true;
    const of = (token: Record<string, unknown>) => {
      const who = { email: `${isNamed}@acme.example`, adopt: id, onDelete: "remove" };
      return member("ada", who, { seat: { adopt: true, onDelete: "remove" }, token: { adopt, ...token } });
    };
    const stack = organization.stack({ PULUMI_STACK: "people" });
    expect((await stack.up(of({ keepToken: false }))).errors).toEqual([]);
    await neighbor.issueToken(id, "2027-02-28T23:59:59Z", operation);
    const changed = isNamed ? of({}) : of({ recipient });
    const next = await killed(stack, changed, proxy, { write: 2, place: "before" });
    const { errors, messages } = await next.up(changed);
    expect(errors).toEqual([]);
    expect(messages.map(({ text }) => text)).toContainEqual(expect.stringContaining("orgseat issues it now"));
    const { token, sealed } = outsOf(next, "ada-token");
    expect([token, sealed].filter((value) => value !== undefined)).toHaveLength(1);
    expect(await next.preview(changed)).toEqual([]);
  }
});

describe("the journal of a killed run", () => {
  test("of another stack: is not this one's business", async () => {
    const organization = await listedOrganization();
    const first = organization.stack({ PULUMI_STACK: "one" });
    const program = member("ada", ada);
    expect((await first.up(program)).errors).toEqual([]);
    const second = organization.stack({ PULUMI_STACK: "two", ORGSEAT_CREATIONS: first.creations });
    expect((await second.up(program)).errors).toEqual([expect.stringContaining("adopt")]);
  });

  test("several new managed users of its names: an error lists them, and adopt settles it", async () => {
    const organization = await listedOrganization();
    const proxy = await CutoffProxy.to(organization.service.orgUrl);
    const stack = organization.stack({ PULUMI_STACK: "people" });
    const program = member("builds", builds);
    await killed(stack, program, proxy, { write: 1, place: "after" });
    const { id } = await organization.neighbor.createUser({ first_name: builds.firstName }, operation);
    const { errors } = await stack.up(program);
    expect(errors).toEqual([expect.stringContaining("several new users of these names")]);
    const made = (await organization.snapshot()).users.find(({ userId }) => userId !== id)?.userId;
    const adopted = member("builds", { ...builds, adopt: made, onDelete: "remove" });
    expect((await stack.up(adopted)).errors).toEqual([]);
    expect(idOf(stack, "builds-user")).toBe(made);
    expect(await stack.preview(adopted)).toEqual([]);
    expect(readdirSync(stack.creations)).toEqual([]);
  });

  test("a token of a neighbor since then: is never revoked", async () => {
    const organization = await listedOrganization();
    const proxy = await CutoffProxy.to(organization.service.orgUrl);
    const stack = organization.stack({ PULUMI_STACK: "people" });
    const program = member("ada", ada);
    const run = await killed(stack, program, proxy, { write: 3, place: "after" });
    const userId = idOf(run, "ada-user");
    const { token } = await organization.neighbor.issueToken(userId, "2027-01-31T00:00:00Z", operation);
    expect((await run.up(program)).errors).toEqual([]);
    const { management } = organization.service;
    expect(await management.probe(token)).toMatchObject({ live: true });
    expect(await management.probe(String(outsOf(run, "ada-token").token))).toMatchObject({ live: true });
    const { tokens } = await organization.snapshot();
    expect(tokens.filter(({ revoked }) => !revoked)).toHaveLength(2);
  });

  test("several tokens that may be its own: an error lists them, revokes none, and the next run goes on", async () => {
    const organization = await listedOrganization();
    const proxy = await CutoffProxy.to(organization.service.orgUrl);
    const stack = organization.stack({ PULUMI_STACK: "people" });
    const program = member("ada", ada);
    const run = await killed(stack, program, proxy, { write: 3, place: "after" });
    const [lost] = (await organization.snapshot()).tokens;
    await organization.neighbor.issueToken(idOf(run, "ada-user"), lost?.expiresAt ?? "", operation);
    expect((await run.up(program)).errors).toEqual([
      expect.stringContaining(`${lost?.tokenId} (expires ${lost?.expiresAt})`),
    ]);
    expect((await organization.snapshot()).tokens.map(({ revoked }) => revoked)).toEqual([false, false]);
    expect((await run.up(program)).errors).toEqual([]);
    expect((await organization.snapshot()).tokens.map(({ revoked }) => revoked)).toEqual([
      false,
      false,
      false,
    ]);
  });
});
