/**
 * This folder is what rosters still register: a component for each member. It goes when rosters register OrgMember. This
 * file has no Pulumi: plans compare the members with states.
 */
import type { SeatOptions } from "../../../sdk/seat-assignment.ts";
import type { TokenOptions } from "../../../sdk/user-token.ts";

/** The type of the component. */
export const MEMBER_TYPE = "orgseat:index:RosterMember";

interface Membership {
  readonly organizationId: string;
  /** The user id of an existing membership. */
  readonly adopt?: string;
  readonly onDelete?: "delete" | "retain";
  /** The declared end of the access. */
  readonly accessEnd?: string;
}

interface Person extends Membership {
  readonly email: string;
  readonly firstName?: string;
  readonly lastName?: string;
}

interface MachineUser extends Membership {
  readonly purpose: string;
}

/** Inputs of a member: the person or machine user, the seat and the token. */
export type RosterMemberArgs = (Person | MachineUser) & {
  readonly seat: boolean | SeatOptions;
  /** Needs a seat. */
  readonly token?: TokenOptions;
};

/**
 * The resources of a member, each by its name and inputs, without the references between them. Where the removal retains
 * the membership, seat and token do not guard an administrator: a delete of Pulumi knows its own resource alone.
 */
export function partsOfMember(name: string, { seat, token, ...person }: RosterMemberArgs) {
  const { organizationId, onDelete } = person;
  const shared = { organizationId, ...(onDelete === "retain" ? { allowAdminRemoval: true } : {}) };
  const part = <Args extends object>(what: string, args: Args) => ({ name: `${name}-${what}`, args });
  return {
    user: part("user", person),
    seat: seat ? part("seat", { ...shared, ...(seat === true ? {} : seat) }) : undefined,
    token: seat && token ? part("token", { ...shared, ...token }) : undefined,
  };
}
