/** Whom `offboard` removes: present members, by the states, and what is known of names that no state has. */

import { CodedError } from "../../provider/util/error-codes.ts";
import { shellWord } from "../../provider/util/text.ts";
import { markersIn, type State } from "../members/state.ts";
import { membersIn, type StateMember } from "../members/state-members.ts";
import { describePart } from "../plan/guards/file-guards.ts";
import { unreadFiles } from "../roster/facts.ts";
import { readOffboarded } from "../roster/offboarded.ts";
import type { RosterPerson } from "../roster/roster.ts";
import { managedBefore } from "../service/audit-log.ts";
import { type ListedMember, listedAmong } from "../service/listed-among.ts";
import type { Organization } from "../stacks/organization.ts";
import { readableStateOf, type UnreadState } from "../stacks/stack-state.ts";
import { lookupsOf, lostMember } from "./lost-members.ts";
import {
  describeUnverifiedRemovals,
  formerMembersAmong,
  resolveMembers,
  unknownAmong,
} from "./resolve-members.ts";

export interface UnmanagedMember {
  /** The name as it was typed. */
  readonly who: string;
  readonly userId: string;
}

/** A listed member whom the state has no longer, although this roster managed the person. */
export interface ReturningMember {
  readonly key: string;
  readonly label: string;
  readonly userId: string;
  readonly role: string | null | undefined;
  readonly seat: boolean;
}

export function describeUnmanaged({ who, userId }: UnmanagedMember): string {
  return `${who} is a member of the organization (user id ${userId}), but the state does not contain this person. Delete the entries of this user id from the offboarded list if there are any, write \`user_id\` ${userId} in a row, run \`orgseat adopt\`, then \`orgseat offboard ${shellWord(who)}\` again`;
}

/** @throws if no name is of a present or removed member: otherwise a misspelt name does not delay the others */
export async function peopleNamed(
  organization: Organization,
  names: readonly string[],
  signal: AbortSignal | undefined,
) {
  const { engine, stack } = organization;
  const { state, unread } = await readableStateOf(engine, stack);
  refusePart(organization, state);
  const rows = new Map(organization.listed.map((row) => [row.key, row]));
  const known = membersIn(stack, state)
    .filter(({ held }) => held.users.length > 0)
    .map((member) => ({ ...member, ...namesIn(rows.get(member.key)) }));
  const missing = unknownAmong(names, known);
  const lookups = lookupsOf(missing, organization);
  const listed = await listedAmong(organization, lookups, signal);
  const usedKeys = new Set(known.map(({ key }) => key));
  const found = unread.length > 0 ? [] : await returningAmong(organization, listed, usedKeys);
  const isAmong = (some: readonly { readonly who: string }[]) => {
    const all = new Set(some.map(({ who }) => who));
    return (name: string) => all.has(name);
  };
  const isListed = isAmong(listed);
  const former = await formerMembersAmong(
    missing.filter((name) => !isListed(name)),
    organization,
  );
  const alreadyRemoved = former.filter(({ isRemoved }) => isRemoved);
  const isSettled = isAmong([...found, ...alreadyRemoved]);
  const lost = lookups.flatMap((lookup) => {
    const { who } = lookup;
    const user = listed.find((one) => one.who === who);
    const member = isSettled(who) ? undefined : lostMember(lookup, user, organization, unread);
    return member === undefined ? [] : [{ who, member }];
  });
  const isKnown = isAmong([...found, ...alreadyRemoved, ...lost]);
  const unmanaged = listed.flatMap(({ who, userId }) => (isKnown(who) ? [] : [{ who, userId }]));
  const unverified = former.filter(({ who }) => !isKnown(who));
  const present = names.filter((name) => !missing.includes(name));
  const isNoneLeft = [present, alreadyRemoved, found, lost].every(({ length }) => length === 0);
  if (isNoneLeft && unread.length > 0) throw unreadError(names, unread);
  if (isNoneLeft && unverified.length + unmanaged.length === names.length)
    throw new CodedError(
      "unknown-person",
      [...unmanaged.map(describeUnmanaged), ...describeUnverifiedRemovals(unverified)].join("\n"),
    );
  const asked = isNoneLeft ? names : present;
  const people: readonly StateMember[] = resolveMembers(asked, known, "the state", { takesAway: true });
  return {
    ...{ people, unread, unverified, unmanaged, alreadyRemoved },
    returning: [...new Map(found.map(({ member }) => [member.userId, member])).values()],
    lost: [...new Map(lost.map(({ member }) => [member.key, member])).values()],
    unknown: missing.filter((name) => !isKnown(name)),
  };
}

/** The state has no first names. */
function namesIn({ firstName, lastName }: Partial<RosterPerson> = {}) {
  return { firstName, lastName };
}

/** Nothing proves who these people are. */
function unreadError(names: readonly string[], unread: readonly UnreadState[]): CodedError {
  const reasons = unread.map(({ text }) => text).join("\n");
  return new CodedError(
    unread[0]?.code ?? "invalid-state",
    `cannot offboard ${names.join(", ")}: no row, and no member that the service lists, has this name, and the state cannot be read. ${reasons}`,
  );
}

/** The offboarded list of one file is not that of all: the next run of the folder would add the person again. */
function refusePart({ file, roster }: Organization, state: State | undefined): void {
  const facts = markersIn(state).map((marker) => marker.facts);
  const others = unreadFiles(roster, file, facts);
  if (others.length === 0) return;
  throw new CodedError(
    "short-roster",
    `${describePart(roster.file, others)}. No changes were made. Pass their folder with --roster`,
  );
}

/** Of listed members, those of whom the offboarded list or the audit log has the user id,  */
async function returningAmong(
  organization: Organization,
  listed: readonly ListedMember[],
  usedKeys: ReadonlySet<string>,
): Promise<{ readonly who: string; readonly member: ReturningMember }[]> {
  const { offboardedFile, listed: rows, isNew } = organization;
  if (listed.length === 0 || isNew) return [];
  const offboarded = await readOffboarded(offboardedFile);
  const managed = await managedBefore(organization);
  return listed.flatMap(({ who, userId, email, role, seat }) => {
    const label = email ?? userId;
    const entry = offboarded.findLast((person) => person.userId?.toLowerCase() === userId.toLowerCase());
    const row = rows.find((person) => person.email === label);
    const key = row?.key ?? entry?.key ?? label;
    const isTaken = usedKeys.has(key) || rows.some((person) => person !== row && person.key === key);
    if ((entry === undefined && !managed.has(userId)) || isTaken) return [];
    return [{ who, member: { key, label, userId, role, seat } }];
  });
}
