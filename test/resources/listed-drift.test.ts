/** What someone else changes at the service: a refresh names it and nothing else, and the next run repairs it. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { checkCases } from "../setup/cases.ts";
import type { DirectResource, DirectStack } from "../setup/direct.ts";
import {
  idOf,
  type ListedOrganization,
  listedOrganization,
  member,
  operation,
  outsOf,
  statesOf,
} from "./listed.ts";

const SHORTER = "2029-05-31T12:00:00Z";
const EXPLICIT = "2030-01-31T12:00:00Z";
const LONGER = "2030-03-31T12:00:00Z";
const END = "2030-06-30T23:59:59Z";

const kinds = [
  "user removed",
  "first name changed",
  "role changed",
  "seat removed",
  "token revoked",
  "token shortened",
  "token extended",
  "token of a neighbor",
  "nothing",
] as const;
type Kind = (typeof kinds)[number];
const KEYS = ["person", "managed", "dated"] as const;
type Key = (typeof KEYS)[number];

/** Of each member one change. */
const caseArbitrary = fc.record({
  person: fc.constantFrom(...kinds),
  managed: fc.constantFrom(...kinds),
  dated: fc.constantFrom(...kinds),
});

const admin = { allowAdminRemoval: true };
function programOf(name: string): DirectResource[] {
  return [
    ...member("person", { email: `${name}@acme.example`, firstName: "Ada", ...admin }),
    ...member("managed", { purpose: name, ...admin }),
    ...member("dated", { email: `${name}-dated@acme.example`, ...admin }, { token: { expiresAt: EXPLICIT } }),
  ];
}

/** Changes one member behind the back of the stack. @returns what a refresh must say: outputs by resource, or "gone" */
async function change(
  kind: Kind,
  key: Key,
  stack: DirectStack,
  { service, neighbor }: ListedOrganization,
): Promise<Readonly<Record<string, Record<string, unknown> | "gone">>> {
  const [user, seat, token] = [`${key}-user`, `${key}-seat`, `${key}-token`];
  const id = idOf(stack, user);
  const tokenId = String(outsOf(stack, token).tokenId);
  const { management } = service;
  switch (kind) {
    case "user removed":
      await management.removeUser(id);
      return { [user]: "gone", [seat]: "gone", [token]: "gone" };
    case "first name changed":
      await management.changeUser(id, { firstName: "Grace" });
      return { [user]: { serviceFirstName: "Grace" } };
    case "role changed":
      await management.changeUser(id, { role: "admin" });
      return { [user]: { role: "admin" } };
    case "seat removed":
      await neighbor.removeSeat(id, operation);
      return { [seat]: "gone" };
    case "token revoked":
      await neighbor.revokeToken(id, operation, tokenId);
      return { [token]: "gone" };
    case "token shortened":
    case "token extended": {
      const validUntil = kind === "token shortened" ? SHORTER : LONGER;
      await management.changeToken(tokenId, { expiresAt: validUntil });
      return { [token]: { validUntil, reportedExpiresAt: validUntil } };
    }
    case "token of a neighbor":
      await neighbor.issueToken(id, END, operation);
      return {};
    default:
      return {};
  }
}

/** The outputs by resource, without what only the provider reads. */
function shownIn(stack: DirectStack): Record<string, Record<string, unknown>> {
  const shown = [...stack.state].map(
    ([
      name,
      {
        outs: { held: _, ...outs },
      },
    ]) => [name, outs] as const,
  );
  return Object.fromEntries(shown);
}

async function expectSteady(stack: DirectStack, program: readonly DirectResource[]): Promise<void> {
  const before = statesOf(stack);
  expect((await stack.refresh()).errors).toEqual([]);
  expect(statesOf(stack)).toEqual(before);
  expect(await stack.preview(program)).toEqual([]);
}

test("drift: a refresh names each change and nothing else, and a run repairs it", async () => {
  const organization = await listedOrganization();
  const { service, neighbor, organizationId } = organization;
  await service.management.changeSubscription(organizationId, { expiresAt: END });
  let count = 0;
  await checkCases({ name: "drift", level: "R", cases: 500 }, caseArbitrary, async (one) => {
    const program = programOf(`drift-${++count}`);
    const stack = organization.stack({ ORGSEAT_SUBSCRIPTION_EXPIRES_AT: END });
    expect((await stack.up(program)).errors).toEqual([]);
    // The service reports the address of a machine user with the list only.
    expect((await stack.refresh()).errors).toEqual([]);
    await expectSteady(stack, program);

    const expected = shownIn(stack);
    for (const key of KEYS) {
      for (const [name, outs] of Object.entries(await change(one[key], key, stack, organization))) {
        if (outs === "gone") delete expected[name];
        else expected[name] = { ...expected[name], ...outs };
      }
    }
    const neighbors = await foreignTokens(organization, stack);
    expect((await stack.refresh()).errors).toEqual([]);
    expect(shownIn(stack), "names each change, and nothing else").toEqual(expected);

    expect((await stack.up(program)).errors).toEqual([]);
    // A user added again may have an address of the service.
    expect((await stack.refresh()).errors).toEqual([]);
    await expectSteady(stack, program);
    await expectWhole(organization, stack);
    expect(await foreignTokens(organization, stack), "tokens of others stay").toEqual(neighbors);

    for (const { userId, tokenId } of neighbors) await neighbor.revokeToken(userId, operation, tokenId);
    for (const key of KEYS) {
      if (one[key] === "role changed")
        await service.management.changeUser(idOf(stack, `${key}-user`), { role: "member" });
    }
    expect((await stack.destroy()).errors).toEqual([]);
    expect((await organization.snapshot()).users).toEqual([]);
  });
});

/** The live tokens that the stack does not have. */
async function foreignTokens(organization: ListedOrganization, stack: DirectStack) {
  const own = new Set([...stack.state.values()].map(({ outs }) => outs.tokenId));
  const { tokens } = await organization.snapshot();
  return tokens.filter(({ tokenId, revoked }) => !revoked && !own.has(tokenId));
}

/** One user, one seat and one live token of each member, with the declared expiry. */
async function expectWhole(organization: ListedOrganization, stack: DirectStack): Promise<void> {
  const { users, tokens } = await organization.snapshot();
  expect(users).toHaveLength(KEYS.length);
  expect(users.filter(({ seat }) => seat)).toHaveLength(KEYS.length);
  for (const key of KEYS) {
    const outs = outsOf(stack, `${key}-token`);
    const own = tokens.find(({ tokenId }) => tokenId === outs.tokenId);
    expect(own).toMatchObject({
      userId: idOf(stack, `${key}-user`),
      expiresAt: outs.validUntil,
      revoked: false,
    });
    if (key === "dated") expect(outs.validUntil).toBe(EXPLICIT);
    const value = await organization.service.management.probe(String(outs.value));
    expect(value).toMatchObject({ live: true });
  }
}
