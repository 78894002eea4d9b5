/** The members whom the service lists, by the names that a user types. */
import { capabilitiesOf } from "../../provider/config/settings.ts";
import { roleOf } from "../../provider/resources/members/member-list.ts";
import { seatsIn } from "../../provider/resources/members/seat-codes.ts";
import { folded } from "../../provider/util/text.ts";
import type { Organization } from "../stacks/organization.ts";
import { membersOfService } from "./service-members.ts";

export interface ListedMember {
  /** The name as it was typed. */
  readonly who: string;
  readonly userId: string;
  /** In lower case; undefined if the list shows none. */
  readonly email: string | undefined;
  readonly role: string;
  /** Whether the list does not deny the seat: a removal finds out. */
  readonly seat: boolean;
}

/** A name that the state does not have, with the emails and user ids that the service can have of it. */
interface Sought {
  readonly who: string;
  readonly addresses: readonly string[];
}

/** Of such names, the members whom the service lists; none if it cannot list them. */
export async function listedAmong(
  organization: Organization,
  sought: readonly Sought[],
  signal: AbortSignal | undefined,
): Promise<ListedMember[]> {
  const { settings } = organization;
  if (sought.length === 0 || !capabilitiesOf(settings).canListUsers) return [];
  const { users } = await membersOfService(organization, { tokensOf: () => [], signal });
  const seatFor = seatsIn(users, settings.product);
  const find = (address: string) =>
    users.find(({ id, email }) => [id, email].some((one) => folded(one ?? "") === folded(address)));
  return sought.flatMap(({ who, addresses }) => {
    const user = addresses.map(find).find((found) => found !== undefined);
    if (user === undefined) return [];
    const email = folded(user.email ?? "") || undefined;
    return [{ who, userId: user.id, email, role: roleOf(user), seat: seatFor(user) !== "no" }];
  });
}
