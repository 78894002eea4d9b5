/** Whom `offboard` names while no state that can be read has them: their state is unreadable, or missing. */

import { folded } from "../../provider/util/text.ts";
import type { OffboardedPerson } from "../roster/offboarded.ts";
import { labelOf, type RosterPerson } from "../roster/roster.ts";
import type { ListedMember } from "../service/listed-among.ts";
import type { Organization } from "../stacks/organization.ts";
import type { UnreadState } from "../stacks/stack-state.ts";
import { resolveMembers, unknownAmong } from "./resolve-members.ts";

/** A person of whom the service, the roster, or the offboarded list says who that is. */
export interface LostMember {
  readonly key: string;
  readonly label: string;
  readonly email: string | undefined;
  /** Undefined if nothing says it. */
  readonly userId: string | undefined;
  readonly role: string | null | undefined;
  /** Whether the stack does not exist: otherwise its state cannot be read. */
  readonly isMissing: boolean;
}

/** Which names are of people whose state is out of reach, with what is known of them. */
export interface Lookup {
  readonly who: string;
  readonly row: RosterPerson | undefined;
  readonly entry: OffboardedPerson | undefined;
  /** The emails and user ids that the service can have of the name. */
  readonly addresses: readonly string[];
}

/** @param names that no readable state has @throws for a name of several rows */
export function lookupsOf(
  names: readonly string[],
  { listed, roster, offboarded }: Pick<Organization, "listed" | "roster" | "offboarded">,
): Lookup[] {
  const known = listed.map((row) => ({ key: row.key, label: labelOf(row), userId: row.userId, row }));
  const unknown = new Set(unknownAmong(names, known));
  return names.map((who) => {
    const [found] = unknown.has(who) ? [] : resolveMembers([who], known, roster.file);
    const isNamed = (text: string | undefined) => folded(text ?? "") === folded(who);
    const entry = offboarded.findLast(({ key, email, userId }) => [key, email, userId].some(isNamed));
    const row = found?.row;
    const addresses = [who, row?.userId, row?.email, entry?.userId, entry?.email];
    return { who, row, entry, addresses: addresses.filter((one) => one !== undefined) };
  });
}

/**
 * @param user the one of the list, if there is one
 * @returns undefined for a person whose state was read
 */
export function lostMember(
  { who, row, entry }: Lookup,
  user: ListedMember | undefined,
  { isNew }: Pick<Organization, "isNew">,
  unread: readonly UnreadState[],
): LostMember | undefined {
  const email = row?.email ?? entry?.email ?? user?.email;
  const key = row?.key ?? entry?.key ?? email ?? who;
  const isMissing = unread.length === 0;
  const isKnown = row !== undefined || entry !== undefined;
  const userId = user?.userId ?? row?.userId ?? entry?.userId;
  if (isMissing ? !(isNew && isKnown && userId !== undefined) : !(isKnown || user)) return undefined;
  const label = row === undefined ? (email ?? who) : labelOf(row);
  return { key, label, email, userId, role: user?.role, isMissing };
}
