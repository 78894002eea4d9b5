// @module-tag ci
/** Runs that are killed: the next run, in a fresh folder, finds what they sent, or asks about it. */
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkCases } from "../setup/cases.ts";
import { CutoffProxy } from "../setup/cutoff-proxy.ts";
import type { DirectResource, DirectStack } from "../setup/direct.ts";
import { pausesOnly } from "../setup/direct-providers.ts";
import {
  ada,
  cutOff,
  decided,
  expectOneOfEach,
  idOf,
  type ListedOrganization,
  listedOrganization,
  member,
  operation,
  outsOf,
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
  const run = stack.copy();
  if (place === "answered") {
    const missing = program.filter(({ name }) => !run.state.has(name)).slice(0, write);
    const last = missing.at(-1)?.name;
    if (last === undefined) return run;
    await run.up(program.slice(0, program.findIndex(({ name }) => name === last) + 1));
    run.state.delete(last);
    return run;
  }
  return cutOff(run, program, proxy, { write, place });
}

test("a run killed at any write: the next run finds what it sent or asks about it, and creates nothing twice", async () => {
  const organization = await listedOrganization();
  const proxy = await CutoffProxy.to(organization.service.orgUrl);
  const identity = await generateX25519Identity();
  const token = { recipients: [await identityToRecipient(identity)] };
  let count = 0;
  await checkCases(
    { name: "killed runs", level: "R", cases: 500, quick: 10 },
    caseArbitrary,
    async (kills) => {
      const name = `k${++count}`;
      const program = [
        ...member("person", { email: `${name}@acme.example` }),
        ...member("one", { email: `${name}-one@acme.example` }, { token }),
        ...member("two", { email: `${name}-two@acme.example` }),
      ];
      let next = organization.stack();
      for (const kill of kills) next = await killed(next, program, proxy, kill);
      const settled = await decided(next, program, organization);
      await expectOneOfEach(organization, next, { members: 3, identity });
      expect(await next.preview(settled)).toEqual([]);
      expect((await next.destroy()).errors).toEqual([]);
      expect((await organization.snapshot()).users).toEqual([]);
    },
  );
});

describe("an adopted token", () => {
  test("gets replaced by the next run, and adopts nothing, after a run was killed while it revoked the token", async () => {
    const organization = await listedOrganization();
    const proxy = await CutoffProxy.to(organization.service.orgUrl);
    const { neighbor } = organization;
    const { id } = await neighbor.createUser({ email: ada.email }, operation);
    await neighbor.issueToken(id, "2027-01-31T23:59:59Z", operation);
    const adopt = (await neighbor.listTokens(id, operation))[0]?.id;
    const of = (token: Record<string, unknown>) => member("ada", { ...ada, adopt: id }, { token });
    const stack = organization.stack();
    expect((await stack.up(of({ adopt, keepValue: false }))).errors).toEqual([]);
    await neighbor.issueToken(id, "2027-02-28T23:59:59Z", operation);
    const next = await killed(stack, of({ adopt }), proxy, { write: 2, place: "before" });
    expect((await next.up(of({ adopt }))).errors).toEqual([]);
    expect(outsOf(next, "ada-token").value).toBeDefined();
    expect(outsOf(next, "ada-token").tokenId).not.toBe(adopt);
  });

  test("stays valid when it leaves the state and is adopted again", async () => {
    const organization = await listedOrganization();
    const stack = organization.stack();
    expect((await stack.up(member("ada", ada))).errors).toEqual([]);
    const { value: token, tokenId } = outsOf(stack, "ada-token");
    stack.state.delete("ada-token");
    const next = stack.copy();
    expect((await next.up(member("ada", ada, { token: { adopt: true } }))).errors).toEqual([]);
    expect(outsOf(next, "ada-token").tokenId).toBe(tokenId);
    expect(await organization.service.management.probe(String(token))).toMatchObject({ live: true });
    expect((await organization.snapshot()).tokens).toHaveLength(1);
  });
});

describe("the run after a killed one", () => {
  test("never revokes a token that somebody else issued", async () => {
    const organization = await listedOrganization();
    const proxy = await CutoffProxy.to(organization.service.orgUrl);
    const program = member("ada", ada);
    const run = await killed(organization.stack(), program, proxy, { write: 3, place: "before" });
    const userId = idOf(run, "ada-user");
    const { token } = await organization.neighbor.issueToken(userId, "2027-01-31T00:00:00Z", operation);
    expect((await run.up(program)).errors).toEqual([]);
    const { management } = organization.service;
    expect(await management.probe(token)).toMatchObject({ live: true });
    expect(await management.probe(String(outsOf(run, "ada-token").value))).toMatchObject({ live: true });
  });

  test("issues no token beside one that may be lost, until it is adopted", async () => {
    const organization = await listedOrganization();
    const proxy = await CutoffProxy.to(organization.service.orgUrl);
    const program = member("ada", ada);
    const run = await killed(organization.stack(), program, proxy, { write: 3, place: "after" });
    const [lost] = (await organization.snapshot()).tokens;
    for (let times = 0; times < 2; times++) {
      const { errors } = await run.up(program);
      expect(errors).toEqual([expect.stringContaining(`${lost?.tokenId} (expires ${lost?.expiresAt})`)]);
      expect(errors[0]).toContain(`set \`adopt: "${lost?.tokenId}"\``);
    }
    const adopting = member("ada", ada, { token: { adopt: lost?.tokenId } });
    expect((await run.up(adopting)).errors).toEqual([]);
    expect(outsOf(run, "ada-token").tokenId).toBe(lost?.tokenId);
    expect((await organization.snapshot()).tokens).toMatchObject([{ revoked: false }]);
  });
});

describe("a token whose answer was lost with the lists", () => {
  /** After an `up` that lost them. */
  async function lost(kind: "cut-before" | "cut-after") {
    const organization = await listedOrganization();
    const { management } = organization.service;
    const stack = organization.stack();
    stack.time = pausesOnly;
    await management.addFaults({ match: { call: 7 }, fault: { kind } });
    await management.addFaults({
      match: { call: 18 },
      after: 1,
      times: "always",
      fault: { kind: "cut-before" },
    });
    const { errors } = await stack.up(member("ada", ada));
    await management.clearFaults();
    expect(errors).toEqual([expect.stringContaining("it revokes that token and issues a new one")]);
    return { organization, stack, userId: idOf(stack, "ada-user") };
  }
  const liveIn = async (organization: ListedOrganization) =>
    (await organization.snapshot()).tokens.filter(({ revoked }) => !revoked).map(({ tokenId }) => tokenId);

  test.each(["cut-before", "cut-after"] as const)(
    "stays in a refresh, and goes with its person (%s)",
    async (kind) => {
      const { organization, stack } = await lost(kind);
      expect((await stack.refresh()).errors).toEqual([]);
      expect(await stack.preview(member("ada", ada))).toEqual(["ada-token"]);
      expect((await stack.destroy()).errors).toEqual([]);
      expect((await organization.snapshot()).users).toEqual([]);
      expect(await liveIn(organization)).toEqual([]);
    },
  );

  test("stays among several that it may be: an error lists them, and none is revoked until one remains", async () => {
    const { organization, stack, userId } = await lost("cut-after");
    const [own] = (await organization.snapshot()).tokens;
    await organization.neighbor.issueToken(userId, own?.expiresAt ?? "", operation);
    const both = await liveIn(organization);
    const { errors } = await stack.up(member("ada", ada));
    expect(errors).toHaveLength(1);
    for (const id of both) expect(errors[0]).toContain(id);
    expect(await liveIn(organization)).toEqual(both);
    await organization.neighbor.revokeToken(
      userId,
      operation,
      both.find((id) => id !== own?.tokenId),
    );
    expect((await stack.up(member("ada", ada))).errors).toEqual([]);
    expect(await liveIn(organization)).toEqual([outsOf(stack, "ada-token").tokenId]);
  });

  test("keeps no run from removing its person whom someone has removed", async () => {
    const { organization, stack, userId } = await lost("cut-after");
    for (const id of await liveIn(organization))
      await organization.neighbor.revokeToken(userId, operation, id);
    await organization.neighbor.removeSeat(userId, operation);
    await organization.neighbor.removeUser(userId, operation);
    expect((await stack.copy().destroy()).errors).toEqual([]);
    expect((await stack.refresh()).errors).toEqual([]);
    expect(stack.recorded()).toEqual([]);
  });

  test("gives way to another by the next run if its revocation failed", async () => {
    const organization = await listedOrganization();
    const { management } = organization.service;
    const stack = organization.stack();
    stack.time = pausesOnly;
    await management.addFaults({ match: { call: 7 }, fault: { kind: "cut-after" } });
    await management.addFaults({ match: { call: 9 }, times: "always", fault: { kind: "cut-before" } });
    const { errors } = await stack.up(member("ada", ada));
    expect(errors).toEqual([expect.stringContaining("it revokes that token and issues a new one")]);
    await management.clearFaults();
    expect((await stack.up(member("ada", ada))).errors).toEqual([]);
    expect(await liveIn(organization)).toEqual([outsOf(stack, "ada-token").tokenId]);
  });

  test("leaves a new token of another date", async () => {
    const { organization, stack, userId } = await lost("cut-before");
    await organization.neighbor.issueToken(userId, "2027-01-31T23:59:59Z", operation);
    const before = await liveIn(organization);
    expect((await stack.up(member("ada", ada))).errors).toEqual([expect.stringContaining(before[0] ?? "")]);
    expect(await liveIn(organization)).toEqual(before);
    const adopted = member("ada", ada, { token: { adopt: before[0], expiresAt: "2027-01-31T23:59:59Z" } });
    expect((await stack.up(adopted)).errors).toEqual([]);
    expect(outsOf(stack, "ada-token").tokenId).toBe(before[0]);
    expect(await stack.preview(adopted)).toEqual([]);
  });
});

test("a token from before is not the one whose response was lost, and stays", async () => {
  const organization = await listedOrganization();
  const { management, seed } = organization.service;
  const stack = organization.stack();
  const of = (token: Record<string, unknown>) => member("ada", ada, { token });
  expect((await stack.up(of({}))).errors).toEqual([]);
  const { token } = await organization.neighbor.issueToken(
    idOf(stack, "ada-user"),
    seed.subscriptionExpiresAt,
    operation,
  );
  await management.addFaults({ match: { call: 7 }, fault: { kind: "cut-after" } });
  expect((await stack.up(of({ rotation: "2" }))).errors).toEqual([]);
  expect(await management.probe(token)).toMatchObject({ live: true });
  expect(await management.probe(String(outsOf(stack, "ada-token").value))).toMatchObject({ live: true });
  const { tokens } = await organization.snapshot();
  expect(tokens.map(({ revoked }) => revoked)).toEqual([true, false, true, false]);
});
