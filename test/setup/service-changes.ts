/** What someone changes in the service behind our back, and what a preview with refresh calls it. */
import fc, { type GeneratorValue } from "fast-check";
import type { DriftKind } from "../../command/plan/drift.ts";
import type { OrganizationApi, TimeLimit } from "../../provider/api/index.ts";
import { requireList } from "../../provider/resources/members/member-list.ts";
import type { Sandbox } from "./sandbox.ts";

interface Organization {
  readonly sandbox: Sandbox;
  /** Calls of someone else. */
  behindOurBack<T>(work: (api: OrganizationApi, operation: TimeLimit) => Promise<T>): Promise<T>;
}

interface Person {
  readonly key: string;
  readonly purpose?: string | undefined;
  readonly seat: boolean;
  readonly token: boolean;
}

/** @returns the kinds that the preview names; undefined if it does not fit the person */
type Change = (
  organization: Organization,
  userId: string,
  person: Person,
) => Promise<DriftKind[] | undefined>;

const LATER = "2027-09-01T00:00:00Z";
const MUCH_LATER = "2039-01-01T00:00:00Z";
const EARLIER = "2027-02-01T00:00:00Z";

async function tokenIdOf(organization: Organization, userId: string): Promise<string | undefined> {
  const listed = requireList(
    await organization.behindOurBack((api, operation) => api.listTokens(userId, operation)),
  );
  return listed.find(({ revoked }) => revoked !== true)?.id;
}

const changes: Readonly<Record<string, Change>> = {
  removed: async ({ sandbox: { service } }, userId) => {
    await service.management.removeUser(userId);
    return ["memberRemoved"];
  },
  "seat removed": async (organization, userId, { seat }) => {
    if (!seat) return undefined;
    await organization.behindOurBack((api, operation) => api.removeSeat(userId, operation));
    return ["seatRemoved"];
  },
  "seat assigned": async (organization, userId, { seat }) => {
    if (seat) return undefined;
    await organization.behindOurBack((api, operation) => api.assignSeat(userId, operation));
    return ["seatAssigned"];
  },
  "token revoked": async (organization, userId, { token }) => {
    const id = token ? await tokenIdOf(organization, userId) : undefined;
    if (id === undefined) return undefined;
    await organization.behindOurBack((api, operation) => api.revokeToken(userId, operation, id));
    return ["tokenRevoked"];
  },
  "token shortened": async (organization, userId, { token }) => {
    const id = token ? await tokenIdOf(organization, userId) : undefined;
    if (id === undefined) return undefined;
    await organization.sandbox.service.management.changeToken(id, { expiresAt: EARLIER });
    return ["tokenShortened"];
  },
  "token extended": async (organization, userId, { token }) => {
    const id = token ? await tokenIdOf(organization, userId) : undefined;
    if (id === undefined) return undefined;
    await organization.sandbox.service.management.changeToken(id, { expiresAt: MUCH_LATER });
    return ["tokenExtended"];
  },
  "another token": async (organization, userId, { token }) => {
    if (!token) return undefined;
    await organization.behindOurBack((api, operation) => api.issueToken(userId, LATER, operation));
    return ["tokenIssued"];
  },
  "email changed": async ({ sandbox: { service } }, userId, { purpose }) => {
    if (purpose !== undefined) return undefined;
    await service.management.changeUser(userId, { email: `${userId}@elsewhere.example` });
    return ["emailChanged"];
  },
  renamed: async ({ sandbox: { service } }, userId, { purpose }) => {
    if (purpose === undefined) return undefined;
    await service.management.changeUser(userId, { firstName: "Renamed by hand" });
    return ["nameChanged"];
  },
  "role changed": async ({ sandbox: { service } }, userId) => {
    await service.management.changeUser(userId, { role: "billing_manager" });
    return ["roleChanged"];
  },
};

/** The kinds that stay: orgseat revokes no token that someone issued, and changes no address. A seat or a later expiry goes into the state. */
export const LASTING: ReadonlySet<string> = new Set<DriftKind>(["tokenIssued", "emailChanged"]);

export const changeNames = Object.keys(changes);

/**
 * Changes some of the people.
 * @param ids the user id of each key
 * @param first the change of the first person whom it fits. Default: drawn
 * @returns `<key> <kind>` of each change, in order
 */
export async function changeSome(
  organization: Organization,
  draw: GeneratorValue,
  people: readonly Person[],
  ids: ReadonlyMap<string, string>,
  first?: string,
): Promise<string[]> {
  const expected: string[] = [];
  let wanted: string | undefined = first;
  for (const person of people) {
    const name: string | null = wanted ?? draw(() => fc.option(fc.constantFrom(...changeNames), { freq: 3 }));
    const userId = ids.get(person.key);
    const change = name === null ? undefined : changes[name];
    if (change === undefined || userId === undefined) continue;
    const kinds = await change(organization, userId, person);
    if (kinds === undefined) continue;
    wanted = undefined;
    expected.push(...kinds.map((kind) => `${person.key} ${kind}`));
  }
  return expected.toSorted();
}
