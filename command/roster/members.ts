/** The members that the program of a roster declares, without Pulumi: plans compare them with states. */

import { CodedError } from "../../provider/util/error-codes.ts";
import type { TokenOptions } from "../../sdk/user-token.ts";
import { partsOfMember, type RosterMemberArgs } from "./parts/member-parts.ts";
import { type Identity, type Roster, type RosterPerson, withAccess } from "./roster.ts";

interface MembersOptions {
  /** People to omit, even if the roster has them. Default: none. */
  readonly offboarded?: readonly Identity[] | undefined;
  /** When to judge who has access, in milliseconds since 1970. Default: now. */
  readonly now?: number | undefined;
}

/** The members of the program: the name of each, its inputs and its options. */
export function rosterMembers(roster: Roster, { offboarded = [], now = Date.now() }: MembersOptions = {}) {
  return withAccess(roster.people, offboarded, now).map((person) => ({
    person,
    key: person.key,
    args: memberArgs(person, roster),
    // The state keeps it, so a deleted row keeps its protection.
    options: person.protected ? { protect: true } : {},
  }));
}

/** The same members, each as its resources: names and inputs, without the user id in seat and token. */
export function rosterParts(roster: Roster, options: MembersOptions = {}) {
  return rosterMembers(roster, options).map(({ person, key, args }) => ({
    person,
    key,
    parts: partsOfMember(key, args),
  }));
}

function memberArgs(
  person: RosterPerson,
  { organizationId, onDelete: given, membership, subscriptionExpiresAt }: Roster,
): RosterMemberArgs {
  const { key, userId, seat, token, accessUntil, place } = person;
  if (membership !== undefined && userId === undefined) {
    throw new CodedError(
      "invalid-roster",
      `${key} (${place}) has no user_id, and with \`membership: directory\` orgseat adds no one. Run \`orgseat up\`, which finds the user id, or write it`,
    );
  }
  const onDelete = onDeleteOf(given, userId !== undefined);
  const who = {
    ...nameOf(person),
    organizationId,
    ...(userId === undefined ? {} : { adopt: userId }),
    ...(membership === undefined ? onDelete : { onDelete: "retain" as const }),
    ...(accessUntil === undefined ? {} : { accessEnd: accessUntil }),
  };
  if (!seat) return { ...who, seat: false };
  const held = { ...(userId === undefined ? {} : { adopt: true }), ...onDelete, ...emailOf(person) };
  return {
    ...who,
    seat: Object.keys(held).length === 0 ? true : held,
    ...(token ? { token: tokenOf(person, subscriptionExpiresAt) } : {}),
  };
}

/** Empty for the default: a created membership is removed, an adopted one stays. */
function onDeleteOf(given: Roster["onDelete"], isAdopted: boolean): { onDelete?: "delete" | "retain" } {
  if (given === "retain") return { onDelete: "retain" };
  return isAdopted ? { onDelete: "delete" } : {};
}

function nameOf({ key, email, purpose, firstName, lastName, place }: RosterPerson) {
  if (email !== undefined) {
    return {
      email,
      ...(firstName === undefined ? {} : { firstName }),
      ...(lastName === undefined ? {} : { lastName }),
    };
  }
  if (purpose !== undefined) return { purpose };
  throw new CodedError(
    "invalid-roster",
    `${key} (${place}) has neither an email nor a purpose. Add one of them`,
  );
}

function tokenOf(person: RosterPerson, subscriptionExpiresAt: string | undefined): TokenOptions {
  const { expires, window, toleranceMonths, rotation, rotateEvery, keepPrevious, recipients, keepValue } =
    person;
  return {
    ...(subscriptionExpiresAt === undefined ? {} : { subscriptionExpiresAt }),
    ...(expires === undefined ? {} : { expiresAt: expires }),
    ...(window === undefined ? {} : { renewBefore: window }),
    ...(rotation === undefined ? {} : { rotation }),
    ...(rotateEvery === undefined ? {} : { rotateEvery }),
    ...(keepPrevious === undefined ? {} : { keepPreviousFor: keepPrevious }),
    ...(recipients === undefined ? {} : { recipients: [...recipients] }),
    ...(keepValue === undefined ? {} : { keepValue }),
    ...(toleranceMonths === undefined ? {} : { expirationToleranceMonths: toleranceMonths }),
    ...emailOf(person),
    ...existingTokenOf(person),
  };
}

function emailOf({ sendEmail }: RosterPerson): { sendEmail?: boolean } {
  return sendEmail === undefined ? {} : { sendEmail };
}

/** Of a person who was a member before: the token is adopted, or revoked for a new one. */
function existingTokenOf({ userId, adoptToken }: RosterPerson): TokenOptions {
  if (userId === undefined) return {};
  return adoptToken ? { adopt: true } : { replaceExisting: true };
}
