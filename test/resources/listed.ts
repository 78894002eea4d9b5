/** Organizations for tests at the level of resources, and what their stacks have in them. */
import { armor, Decrypter } from "age-encryption";
import { expect } from "vitest";
import {
  createClient,
  type OrganizationApi,
  type PlatformName,
  platforms,
} from "../../provider/api/index.ts";
import type { ServiceSnapshot } from "../../sandbox/service/index.ts";
import type { Cutoff, CutoffProxy } from "../setup/cutoff-proxy.ts";
import { configurationOf, type DirectResource, DirectStack } from "../setup/direct.ts";
import { hangMs } from "../setup/limits.ts";
import { makeServiceAccount, type Sandbox, sandbox } from "../setup/sandbox.ts";

export const operation = { deadline: Number.POSITIVE_INFINITY };

/** An organization of a platform. */
export interface DirectOrganization extends Sandbox {
  readonly account: { readonly clientId: string; readonly clientSecret: string };
  /** A stack with nothing in its state. */
  stack(more?: Readonly<Record<string, string>>): DirectStack;
}

/** One whose service lists users and tokens. */
export interface ListedOrganization extends DirectOrganization {
  readonly configuration: Readonly<Record<string, string>>;
  /** Another client of the same organization. */
  readonly neighbor: OrganizationApi;
  /** The users and their tokens, without those that existed at the beginning. */
  snapshot(): Promise<Pick<ServiceSnapshot, "users" | "tokens">>;
}

export async function organizationOn(
  platform: PlatformName,
  seed: Parameters<typeof sandbox>[0] = { seats: 100_000 },
): Promise<DirectOrganization & Pick<ListedOrganization, "configuration">> {
  const organization = await sandbox(seed, undefined, platform);
  const account = await makeServiceAccount(organization);
  // A test moves the clock of its stacks alone.
  await organization.service.management.setSwitches({ dateHeader: "none" });
  await organization.requests();
  const configuration = configurationOf(organization, account);
  const stack = (more = {}) => new DirectStack({ ...configuration, ...more });
  return { ...organization, account, configuration, stack };
}

export async function listedOrganization(): Promise<ListedOrganization> {
  const organization = await organizationOn("anaconda");
  const { account, organizationId, service } = organization;
  const client = createClient({ ...service, platform: platforms.anaconda, timeoutMs: hangMs });
  const neighbor = client.organization(organizationId, { user: undefined, serviceAccount: account });
  const before = new Set((await service.management.snapshot()).users.map(({ userId }) => userId));
  return {
    ...organization,
    neighbor,
    snapshot: async () => {
      const { users, tokens } = await service.management.snapshot();
      return { users: users.filter(({ userId }) => !before.has(userId)), tokens };
    },
  };
}

/** A member with seat and token; `who` are the inputs of the user. */
export function member(
  key: string,
  who: Record<string, unknown>,
  {
    seat = {},
    token = {},
  }: { readonly seat?: Record<string, unknown>; readonly token?: Record<string, unknown> } = {},
): [user: DirectResource, seat: DirectResource, token: DirectResource] {
  return [
    { type: "OrgUser", name: `${key}-user`, args: who },
    { type: "SeatAssignment", name: `${key}-seat`, args: { userId: `$${key}-user.id`, ...seat } },
    { type: "UserToken", name: `${key}-token`, args: { userId: `$${key}-seat.userId`, ...token } },
  ];
}

export const ada = { email: "ada@acme.example", firstName: "Ada", lastName: "Lovelace" };
export const builds = { purpose: "Linux builds" };

/** The outputs of a resource in the state. */
export function outsOf(stack: DirectStack, name: string): Record<string, unknown> {
  const recorded = stack.state.get(name);
  if (recorded === undefined) throw new Error(`${name} is not in the state`);
  return recorded.outs;
}

/** The id of a resource in the state. */
export function idOf(stack: DirectStack, name: string): string {
  return stack.state.get(name)?.id ?? "";
}

/** The same stack after a run that is cut off at a write: nothing that it does from then on reaches the service or the next run. */
export async function cutOff(
  stack: DirectStack,
  program: readonly DirectResource[],
  proxy: CutoffProxy,
  cutoff: Cutoff,
): Promise<DirectStack> {
  const run = stack.copy();
  const orgUrl = run.configuration.ORGSEAT_ORG_URL ?? "";
  const isCutOff = new Promise<void>((resolve) => {
    run.configuration.ORGSEAT_ORG_URL = proxy.addressFor(orgUrl, cutoff, resolve);
  });
  await Promise.race([run.up(program), isCutOff]);
  return run.copy({ ORGSEAT_ORG_URL: orgUrl });
}

/** The service has the members of the state and their live tokens, and no other ones. @param identity opens sealed tokens */
export async function expectOneOfEach(
  organization: ListedOrganization,
  stack: DirectStack,
  { members, identity }: { readonly members: number; readonly identity: string },
): Promise<void> {
  const { users, tokens } = await organization.snapshot();
  const there = new Set(users.map(({ userId }) => userId));
  const live = tokens.filter(({ userId, revoked }) => there.has(userId) && !revoked);
  const ids = [...stack.state.values()].filter(({ declared }) => declared.type === "OrgUser");
  expect([...there].toSorted()).toEqual(ids.map(({ id }) => id).toSorted());
  expect(ids).toHaveLength(members);
  expect(users.every(({ seat }) => seat)).toBe(true);
  const own = [...stack.state.values()].flatMap(({ outs }) => (outs.tokenId ? [outs.tokenId] : []));
  expect(live.map(({ tokenId }) => tokenId).toSorted()).toEqual(own.toSorted());
  for (const { outs, inputs } of stack.state.values()) {
    if (outs.tokenId === undefined) continue;
    expect(outs.value === undefined).toBe(inputs.recipients !== undefined);
    const value = await tokenValue(outs, identity);
    expect(await organization.service.management.probe(value)).toMatchObject({ live: true });
  }
}

/** A run without errors, after which neither a preview nor a refresh finds a difference. */
export async function expectSettled(stack: DirectStack, run: readonly DirectResource[]): Promise<void> {
  expect((await stack.up(run)).errors).toEqual([]);
  expect(await stack.preview(run)).toEqual([]);
  await expectNoDrift(stack);
  expect(await stack.preview(run)).toEqual([]);
}

/** A refresh changes nothing. */
async function expectNoDrift(stack: DirectStack): Promise<void> {
  const before = statesOf(stack);
  expect((await stack.refresh()).errors).toEqual([]);
  expect(statesOf(stack)).toEqual(before);
}

/** The outputs by resource. A refresh alone knows the role and the names that the list has of a user: they are left out. */
export function statesOf(stack: DirectStack): Record<string, Record<string, unknown>> {
  const read = [...stack.state].map(([name, { outs }]) => [name, withoutListed(outs)] as const);
  return Object.fromEntries(read);
}

function withoutListed(outs: Record<string, unknown>): Record<string, unknown> {
  const { held } = outs as { readonly held?: { readonly users: readonly Record<string, unknown>[] } };
  if (held === undefined) return outs;
  const users = held.users.map(({ role: _role, listed: _listed, ...user }) => user);
  return { ...outs, held: { ...held, users } };
}

/** The value of a token, opened with a private key if it is sealed. */
async function tokenValue(
  { value, sealedValue }: Record<string, unknown>,
  identity: string,
): Promise<string> {
  return typeof value === "string" ? value : opened(sealedValue, identity);
}

/** @throws if the value is sealed for others */
export function opened(sealedValue: unknown, identity: string): Promise<string> {
  const decrypter = new Decrypter();
  decrypter.addIdentity(identity);
  return decrypter.decrypt(armor.decode(String(sealedValue)), "text");
}

/** Adopts the machine user whom a refresh found for a placeholder, unless another resource has it. */
function adopting(messages: readonly { readonly text: string }[], stack: DirectStack) {
  const taken = new Set([...stack.state.values()].map(({ outs }) => outs.userId));
  const found = messages.flatMap(({ text }) => {
    const [, who, listed = ""] =
      /^a run at \S+ requested (.+?) and .* the new one: (.+?)\. /.exec(text) ?? [];
    const [id, ...more] = listed.split(", ").filter((one) => one !== "" && !taken.has(one));
    return who === undefined || id === undefined || more.length > 0 ? [] : [[who, id] as const];
  });
  const ids = new Map(found);
  return (one: DirectResource): DirectResource => {
    const adopt = ids.get(String(one.args.purpose));
    const isPlaceholder = placeholders(stack).includes(one.name);
    return adopt === undefined || !isPlaceholder
      ? one
      : { ...one, args: { ...one.args, adopt, onDelete: "delete" } };
  };
}

function placeholders(stack: DirectStack): string[] {
  return [...stack.state].flatMap(([name, { id }]) => (id.startsWith("undecided-") ? name : []));
}

/**
 * Runs until nothing is left to decide, as someone who reads errors and warnings: adopts the member that they name, and
 * revokes the token of which no one has the value.
 */
export async function decided(
  stack: DirectStack,
  program: readonly DirectResource[],
  { neighbor }: ListedOrganization,
): Promise<DirectResource[]> {
  let resources = [...program];
  for (let decisions = 0; decisions <= program.length; decisions++) {
    const { errors, messages } = await stack.up(resources);
    const left = messages.find(({ text }) => text.includes("The new token may end it."));
    const error = errors[0] ?? left?.text;
    if (error === undefined) return resources;
    if (error.includes("`pulumi up --refresh` settles it")) {
      const before = resources;
      resources = resources.map(adopting((await stack.refresh()).messages, stack));
      // All that the list has are of other resources.
      const left = placeholders(stack);
      if (resources.every((one, index) => one === before[index]) && left.length > 0)
        await stack.run(resources, { replace: new Set(left) });
      continue;
    }
    const [, member, userId] = /(\S+@\S+) is already a member .*`adopt: "([^"]+)"`/.exec(error) ?? [];
    const [, holder = "", tokenId] =
      /\(user (\S+)\) has (\S+) \(expires [^)]*\), which this run/.exec(error) ?? [];
    if (member === undefined && tokenId === undefined) throw new Error(error);
    if (tokenId !== undefined) await neighbor.revokeToken(holder, operation, tokenId);
    const adopted = { adopt: userId, onDelete: "delete" };
    resources = resources.map((one) =>
      member !== undefined && one.args.email === member ? { ...one, args: { ...one.args, ...adopted } } : one,
    );
  }
  throw new Error("no end of decisions");
}
