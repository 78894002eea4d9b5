/** Plans of rows and of what the state has, as a command makes them, without a service. */
import { inputCheck } from "../../../command/members/check.ts";
import { type Decision, type MemberPlan, planRoster } from "../../../command/members/plan.ts";
import { type SeenList, seenList } from "../../../command/members/seen.ts";
import { MEMBER_TYPE, type StateMember } from "../../../command/members/state-members.ts";
import type { PlanOrigin } from "../../../command/plan/document.ts";
import type { GuardContext } from "../../../command/plan/guards/guards.ts";
import { type Plan, type PlanOptions, planOf } from "../../../command/plan/plan.ts";
import { labelOf, type Roster, type RosterPerson } from "../../../command/roster/roster.ts";
import { type PlatformName, platforms } from "../../../provider/api/calls/platform.ts";
import { foreseen } from "../../../provider/member/foreseen.ts";
import { type Held, heldSchema } from "../../../provider/member/held.ts";
import type { ListedUser } from "../../../provider/service/members.ts";

export const ORGANIZATION = "7f3a8e52-0000-4000-8000-000000000001";
export const NOW = Date.parse("2026-11-21T12:00:00Z");
const SUBSCRIPTION = "2027-01-31T23:59:59Z";
const STACK = "people";

/** Where a plan that is about nothing special comes from. */
export const origin: PlanOrigin = {
  ...{ rosterId: "r1", organizationId: ORGANIZATION, platform: "basic", project: "orgseat", backend: "" },
  ...{ stack: STACK, time: "2026-11-23T00:00:00Z", refresh: false, refreshTokens: null },
  ...{ newStack: false, noRemovals: false, approve: null, pending: [], gone: [], isApplicable: true },
};

/** A row with a seat and a token. */
export function row(key: string, more: Partial<RosterPerson> = {}): RosterPerson {
  const place = `people.csv, ${key}`;
  return { key, email: `${key}@acme.example`, seat: true, token: true, protected: false, place, ...more };
}

/** One of a machine user. */
export function machine(key: string, purpose: string, more: Partial<RosterPerson> = {}): RosterPerson {
  return row(key, { email: undefined, purpose, ...more });
}

/** So many rows: p0, p1, and so on. */
export function rows(count: number, prefix = "p"): RosterPerson[] {
  return Array.from({ length: count }, (_, index) => row(`${prefix}${index}`));
}

export function rosterOf(people: readonly RosterPerson[], more: Partial<Roster> = {}): Roster {
  return {
    ...{ file: "people.csv", organizationId: ORGANIZATION, subscriptionExpiresAt: SUBSCRIPTION },
    ...{ onDelete: "delete", people, ...more },
  };
}

/** What guards know of a run that is about nothing special. */
export const guardContext: GuardContext = {
  ...{ roster: rosterOf([row("owner")]), rowsDecide: true, ownership: undefined, inUse: [] },
  ...{ configuredOrganization: ORGANIZATION, rosterFacts: [], protected: { names: [], keys: [] } },
  ...{ override: undefined, namedOneByOne: false, now: NOW },
};

interface Given extends Partial<Omit<PlanOptions, "state">> {
  /** The rows of an earlier run, whose members the state has. Default: none. */
  readonly had?: readonly RosterPerson[];
  /** The rows now. Default: the earlier ones. */
  readonly has?: readonly RosterPerson[];
  /** The settings of both, and those of the earlier run alone. */
  readonly roster?: Partial<Roster>;
  readonly before?: Partial<Roster>;
  /** What the state has of a member in place of what its row has left. */
  readonly held?: (held: Held, key: string) => Held;
  /** The users whom the service lists. Default: the list is not read. */
  readonly listed?: readonly ListedUser[];
  /** By key. */
  readonly decisions?: Readonly<Record<string, Decision>>;
  readonly platform?: PlatformName;
}

const checkOn = (platform: PlatformName) =>
  inputCheck({
    ...{ environment: {}, now: () => NOW },
    config: (key) => (key === "orgseat:platform" ? platform : undefined),
  });
const checks = { basic: checkOn("basic"), anaconda: checkOn("anaconda") } satisfies Record<
  PlatformName,
  unknown
>;

/** The members of the state after a run of these rows, each of whose steps succeeded. */
export async function stateOf({ had = [], roster, before, held, platform }: Given): Promise<StateMember[]> {
  const { members } = await planRoster(inputOf({ ...roster, ...before }, had, { platform }));
  return members.map((member) => {
    const after = memberAfter(member, NOW);
    return { ...after, held: held?.(after.held, after.key) ?? after.held };
  });
}

/** What the state has after each step of a plan succeeded. @param id of a new user. Default: from the key */
export function memberAfter(
  { key, name, inputs, observed, plan, row: person }: MemberPlan,
  now: number,
  id = `id-of-${key}`,
): StateMember {
  const held = withIds(foreseen(observed.held, plan, now).held, key, id);
  const { email, purpose, lastName, organizationId = ORGANIZATION } = inputs ?? {};
  return {
    ...{ key, name, stack: STACK, urn: `urn:pulumi:${STACK}::orgseat::${MEMBER_TYPE}::${name}` },
    ...{ label: person === undefined ? key : labelOf(person), userId: held.users[0]?.id },
    ...{ email, purpose, lastName: purpose === undefined ? undefined : lastName, organizationId },
    ...{ held, sealedValue: undefined, created: undefined },
  };
}

/** The service's ids in place of those that nobody knew. */
function withIds(held: Held, key: string, id: string): Held {
  const users = held.users.map((user) => ({
    ...{ ...user, id: user.id === "new" ? id : user.id },
    tokens: user.tokens.map((token) => ({ ...token, id: `token-of-${key}` })),
  }));
  return heldSchema.parse({ ...held, users });
}

export function inputOf(
  settings: Partial<Roster> = {},
  people: readonly RosterPerson[],
  {
    platform = "basic",
    listed,
  }: { platform?: PlatformName | undefined; listed?: Given["listed"] | undefined },
) {
  const list = listed && listOf(listed);
  return {
    ...{ roster: rosterOf(people, settings), people, members: [] as readonly StateMember[], list, now: NOW },
    ...{ can: platforms[platform], subscriptionExpiresAt: SUBSCRIPTION },
    check: checks[platform],
    creationOf: () => undefined,
  };
}

/** Of a service that lists no tokens. */
function listOf(users: readonly ListedUser[]): SeenList {
  const none: ReadonlySet<string> = new Set();
  const members = { users, odd: [], tokens: new Map(), unreadable: new Map(), organizationId: ORGANIZATION };
  return seenList({ ...members, unread: none, gone: none, contradicted: none, kept: none }, undefined);
}

/** The plan of a run, with the members of the state. */
export async function planned(given: Given): Promise<{ plan: Plan; state: readonly StateMember[] }> {
  const { had = [], has = had, roster, listed, decisions = {}, platform } = given;
  const state = await stateOf(given);
  const refs = Object.entries(decisions).map(([key, decision]) => {
    return [state.find((one) => one.key === key)?.held.ref ?? "", decision] as const;
  });
  const { members } = await planRoster({
    ...inputOf(roster, has, { platform, listed }),
    ...{ members: state, isRefreshed: listed !== undefined, decisions: new Map(refs) },
  });
  const { declaredSeats, order, seatHolders, fileOf, settings = [] } = given;
  const options = { organizationId: ORGANIZATION, stack: STACK, state, settings };
  return { plan: planOf(members, { ...options, declaredSeats, order, seatHolders, fileOf }), state };
}

export async function plan(given: Given): Promise<Plan> {
  return (await planned(given)).plan;
}
