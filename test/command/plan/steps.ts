/** Steps for tests of plans, as the engine would tell them. */
import type { PlanOrigin } from "../../../command/plan/document.ts";
import type { GuardContext } from "../../../command/plan/guards/guards.ts";
import { type PlanOptions, planOf } from "../../../command/plan/plan.ts";
import {
  type Properties,
  type ResourceType,
  rosterTokenOf,
  type Step,
} from "../../../command/plan/steps/steps.ts";

export const ORGANIZATION = "7f3a8e52-0000-4000-8000-000000000001";
export const NOW = Date.parse("2026-11-21T12:00:00Z");
const SUBSCRIPTION = "2027-01-31T23:59:59Z";

export const options: PlanOptions = { organizationId: ORGANIZATION, declaredSeats: undefined, now: NOW };

/** Where a plan that is about nothing special comes from. */
export const origin: PlanOrigin = {
  ...{ rosterId: "r1", organizationId: ORGANIZATION, platform: "basic", project: "orgseat", backend: "" },
  ...{ stacks: ["people"], time: "2026-11-23T00:00:00Z", refresh: false, refreshTokens: null },
  ...{ newStack: false, noRemovals: false, approve: null, pending: [], gone: [], isApplicable: true },
};

const row = {
  ...{ key: "owner", email: "owner@acme.example", seat: true, token: true, protected: false },
  place: "people.csv, line 3",
};

/** What guards know of a run that is about nothing special. */
export const guardContext: GuardContext = {
  ...{ roster: { file: "people.csv", organizationId: ORGANIZATION, people: [row] }, rowsDecide: true },
  ...{ allEnded: false, ownership: undefined, configuredOrganization: ORGANIZATION },
  ...{ clientId: undefined, listedUsers: undefined, rosterFacts: [] },
  ...{ protected: { names: [], keys: [] }, override: undefined, namedOneByOne: false, now: NOW },
};

interface Given {
  readonly stack?: string;
  readonly olds?: Properties;
  readonly news?: Properties;
  readonly id?: string;
  readonly isProtected?: Step["isProtected"];
  readonly isReplaced?: boolean;
}

const PARTS = { OrgUser: "user", SeatAssignment: "seat", UserToken: "token" } as const;

/** One step of a member. */
export function step(
  key: string,
  type: keyof typeof PARTS,
  action: Step["action"],
  {
    stack = "people",
    olds = {},
    news = {},
    id = `id-of-${key}`,
    isProtected = { before: false, after: false },
    isReplaced = false,
  }: Given = {},
): Step {
  const common = { organizationId: ORGANIZATION };
  const who = type === "OrgUser" ? { email: `${key}@acme.example` } : {};
  const dates = type === "UserToken" ? { subscriptionExpiresAt: SUBSCRIPTION } : {};
  return {
    ...{ stack, type, action, member: key, name: `${key}-${PARTS[type]}` },
    urn: `urn:pulumi:${stack}::orgseat::orgseat:index:RosterMember$${rosterTokenOf(type)}::${key}-${PARTS[type]}`,
    parent: `urn:pulumi:${stack}::orgseat::orgseat:index:RosterMember::${key}`,
    id: action === "create" ? undefined : id,
    olds: action === "create" ? undefined : { ...common, ...who, ...stateOf(type, key), ...dates, ...olds },
    news: action === "delete" ? undefined : { ...common, ...who, ...dates, ...news },
    isProtected,
    isReplaced,
    deleteFirst: action === "replace" && type !== "OrgUser",
  };
}

/** One step of a resource without a member. */
export function lone(type: ResourceType, name: string, action: Step["action"], given: Given = {}): Step {
  return { ...step(name, "OrgUser", action, given), type };
}

function stateOf(type: ResourceType, key: string): Properties {
  if (type === "UserToken") return { userId: `id-of-${key}`, validUntil: SUBSCRIPTION };
  return { adopted: false, ...(type === "SeatAssignment" ? { confirmed: true } : {}) };
}

/** A whole member: user, seat and token, each with the same step. */
export function member(key: string, action: Step["action"], given: Given = {}): Step[] {
  return (["OrgUser", "SeatAssignment", "UserToken"] as const).map((type) => step(key, type, action, given));
}

export function members(count: number, action: Step["action"], prefix = "p"): Step[] {
  return Array.from({ length: count }, (_, index) => member(`${prefix}${index}`, action)).flat();
}

export const plan = (steps: readonly Step[], more: Partial<PlanOptions> = {}) =>
  planOf(steps, { ...options, ...more });
