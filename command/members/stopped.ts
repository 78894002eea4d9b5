/** Rows that a run leaves as they are, and why. Pure. */
import { plainText } from "../../provider/member/held.ts";
import { CONTRADICTION } from "../../provider/resources/members/rights.ts";
import type { ErrorCode } from "../../provider/util/error-codes.ts";
import { labelOf, type RosterPerson } from "../roster/roster.ts";
import type { SeenList } from "./seen.ts";
import type { StateMember } from "./state-members.ts";

/** A row that a run leaves as it is, with what the state has of the person. */
export interface StoppedRow {
  readonly key: string;
  readonly who: string;
  /** The place of the row. */
  readonly place: string | undefined;
  /** Why, and what to do next. */
  readonly text: string;
  readonly code: ErrorCode;
}

/** @param text after the place of the row */
export function stopped(person: RosterPerson, code: ErrorCode, text: string): StoppedRow {
  const { key, place } = person;
  return { key, who: labelOf(person), place, text: `${place}: ${text}`, code };
}

interface Situation {
  readonly members: readonly StateMember[];
  readonly list: SeenList | undefined;
}

/** A row of a directory whose user the list does not report, or about whom it contradicts itself. */
export function unclearIn(
  person: RosterPerson,
  member: { readonly name: string } | undefined,
  { members, list }: Situation,
): StoppedRow | undefined {
  if (list === undefined) return undefined;
  const { email, userId } = person;
  const held = members.find(({ name }) => name === member?.name)?.held.users ?? [];
  const [contradicted] = held.filter(({ id }) => list.members.contradicted.has(id));
  if (contradicted !== undefined) {
    const who = `${labelOf(person)} (user ${contradicted.id})`;
    const text = `cannot tell whether ${who} is a member: ${CONTRADICTION}. Check the user in the service`;
    return { ...stopped(person, "incomplete-list", ""), text };
  }
  const present = held.filter(({ id }) => !list.members.gone.has(id));
  const alike = email === undefined ? [] : (list.byName.get(plainText(email)) ?? []);
  if (userId !== undefined || present.length > 0 || alike.length < 2) return undefined;
  const ids = alike.map(({ id }) => id).join(", ");
  const text = `the service lists several users with the email ${email}: ${ids}. Write the right one into user_id`;
  return stopped(person, "cannot-adopt", text);
}

/** A directory gives and takes addresses without orgseat, so this row alone waits. */
export function stoppedByHolder(person: RosterPerson, other: string): StoppedRow {
  const text = `${person.email} is the address of ${other}, whose row keeps another one. Correct the email of one of the two rows`;
  return stopped(person, "address-in-use", text);
}

export function stoppedTwice(person: RosterPerson, other: string): StoppedRow {
  const text = `${labelOf(person)} is the same member as ${other}. Remove one of the two rows, or correct its key, email, or user_id`;
  return stopped(person, "duplicate-declaration", text);
}
