/** Organizations for tests at the level of resources, and what their stacks have in them. */
import { armor, Decrypter } from "age-encryption";
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

/** @throws if the value is sealed for others */
export function opened(sealedValue: unknown, identity: string): Promise<string> {
  const decrypter = new Decrypter();
  decrypter.addIdentity(identity);
  return decrypter.decrypt(armor.decode(String(sealedValue)), "text");
}
