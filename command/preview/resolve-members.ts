/** From the names that a user types to members: an email, a key, or a user id, in any letter case, of present and former members. */

import { CodedError } from "../../provider/util/error-codes.ts";
import { nearest } from "../../provider/util/nearest.ts";
import { folded, shortList } from "../../provider/util/text.ts";
import type { Member } from "../plan/members.ts";
import { readOffboarded } from "../roster/offboarded.ts";
import { readAudit, removedUsers } from "../service/audit-log.ts";

type Name = string | null | undefined;
type Named = Pick<Member, "key" | "label"> &
  Partial<Pick<Member, "userId">> & { readonly firstName?: Name; readonly lastName?: Name };

interface ResolveOptions {
  /** Whether the command takes something away: then no error suggests a colleague with a similar name. Default: false. */
  readonly takesAway?: boolean;
}

/** @param where the known members are from @throws for a name of no member, or of several */
export function resolveMembers<Known extends Named>(
  names: readonly string[],
  known: readonly Known[],
  where: string,
  options: ResolveOptions = {},
): Known[] {
  requireKnown(names, known, where, options);
  const found = names.map((name) => ({ name, fitting: fittingOf(name, known) }));
  const unclear = found.filter(({ fitting }) => keysIn(fitting).length > 1);
  if (unclear.length > 0) {
    const sentences = unclear.map(({ name, fitting }) => describeAmbiguous(name, fitting, known));
    throw new CodedError("unknown-person", sentences.join("\n"));
  }
  return [...new Set(found.flatMap(({ fitting }) => fitting.slice(0, 1)))];
}

/** The same for one name. */
export function resolveMember<Known extends Named>(
  name: string,
  known: readonly Known[],
  where: string,
): Known {
  const [member] = resolveMembers([name], known, where);
  if (member !== undefined) return member;
  throw new CodedError("unknown-person", `${name} is not in ${where}`);
}

/**
 * A key in the same letter case comes before other keys, but not before other people's emails: a row can keep as its key
 * an address that someone else has now.
 */
function fittingOf<Known extends Named>(name: string, known: readonly Known[]): Known[] {
  const hasExactKey = known.some(({ key }) => key === name);
  return known.filter(
    ({ key, label, userId }) =>
      isOneOf(name, [label, userId]) || (hasExactKey ? key === name : isOneOf(name, [key])),
  );
}

function keysIn(members: readonly Named[]): string[] {
  return [...new Set(members.map(({ key }) => key))];
}

function describeAmbiguous(name: string, fitting: readonly Named[], known: readonly Named[]): string {
  const people = fitting.map(({ key, label }) => `${key} (${label})`);
  const isClear = (other: string): boolean => keysIn(fittingOf(other, known)).length === 1;
  const clear = fitting.flatMap(
    ({ key, label, userId }) => [key, label, userId].find((one) => one !== undefined && isClear(one)) ?? [],
  );
  return `${name} is ambiguous: ${[...new Set(people)].join(", ")}. Use ${[...new Set(clear)].join(" or ")}`;
}

/** @throws for names of no member, with those who may be meant */
export function requireKnown(
  names: readonly string[],
  known: readonly Named[],
  where: string,
  options: ResolveOptions = {},
): void {
  const unknown = unknownAmong(names, known);
  if (unknown.length === 0) return;
  const sentences = unknown.map((name) => `${name} is not in ${where}${describeMeant(name, known, options)}`);
  throw new CodedError("unknown-person", sentences.join("\n"));
}

function describeMeant(name: string, known: readonly Named[], { takesAway = false }: ResolveOptions): string {
  const namesakes = known.filter((one) => isOneOf(name, shortNamesOf(one)));
  if (namesakes.length > 0) {
    const people = namesakes.map(({ key, label, userId }) =>
      userId === undefined ? `${label} (key ${key})` : `${label} (user id ${userId})`,
    );
    return `. People with exactly this name: ${shortList(people)}. Pass the email, the key, or the user id`;
  }
  if (takesAway) return ". Check the spelling; `orgseat list` shows everybody";
  const meant = nearest(folded(name), [...namesOf(known)]);
  return meant === undefined ? "" : `; did you mean ${meant}?`;
}

/** What people call someone, although it does not say for certain who that is. */
function shortNamesOf({ label, firstName, lastName }: Named): string[] {
  const fullName = firstName && lastName && `${firstName} ${lastName}`;
  return [/^([^@]+)@/.exec(label)?.[1], firstName, fullName].filter((name) => typeof name === "string");
}

export function unknownAmong(names: readonly string[], known: readonly Named[]): string[] {
  const all = namesOf(known);
  return names.filter((name) => !all.has(folded(name)));
}

function namesOf(known: readonly Named[]): Set<string> {
  return new Set(
    known.flatMap(({ key, label, userId }) =>
      [key, label, userId].flatMap((name) => (name === undefined ? [] : folded(name))),
    ),
  );
}

function isOneOf(name: string, names: readonly (string | undefined)[]): boolean {
  return names.some((one) => one !== undefined && folded(one) === folded(name));
}

/** An offboarded person whom the state does not have. */
export interface FormerMember {
  /** The name as it was typed. */
  readonly who: string;
  readonly userId: string | undefined;
  /** A timestamp in UTC. */
  readonly leftAt: string;
  /** Whether the audit log shows that a run of this organization ended the membership. */
  readonly isRemoved: boolean;
}

/** The offboarded people among names that the state does not have. */
export async function formerMembersAmong(
  names: readonly string[],
  { offboardedFile, auditFile }: { readonly offboardedFile: string; readonly auditFile: string },
): Promise<FormerMember[]> {
  if (names.length === 0) return [];
  const offboarded = await readOffboarded(offboardedFile);
  const found = names.flatMap((who) => {
    const person = offboarded.findLast(({ key, email, userId }) => isOneOf(who, [key, email, userId]));
    return person === undefined ? [] : [{ who, userId: person.userId, leftAt: person.leftAt }];
  });
  if (found.length === 0) return [];
  const removed = removedUsers((await readAudit(auditFile))?.lines ?? []);
  return found.map((one) => ({ ...one, isRemoved: one.userId !== undefined && removed.has(one.userId) }));
}

/** About offboarded people whose removal the audit log does not show. */
export function describeUnverifiedRemovals(former: readonly FormerMember[]): string[] {
  return former.map(({ who, userId, leftAt }) => {
    const id = userId === undefined ? "" : ` of user id ${userId}`;
    return `${who} has been on the offboarded list since ${leftAt}, but the stack does not contain this person, and the audit log shows no removal${id}. Check in the service whether this person is still a member, perhaps under another user id`;
  });
}
