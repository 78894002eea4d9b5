/** The roster: the people of an organization, and the settings for all of them. */

import { accessAt } from "../../provider/resources/org-user/access-end.ts";
import { shortInstant } from "../../provider/util/instants.ts";
import { folded } from "../../provider/util/text.ts";

/** One row: a person by email, or a machine user by the purpose of its token. */
export interface RosterPerson {
  /** Permanent, because it names the person's resources. Default: the email in lower case. */
  readonly key: string;
  /** Lower case. Exactly one of `email` and `purpose` is there. */
  readonly email?: string | undefined;
  /** The purpose of the token of a machine user. */
  readonly purpose?: string | undefined;
  readonly firstName?: string | undefined;
  readonly lastName?: string | undefined;
  /** For people alone: nothing is written anywhere when it changes. */
  readonly team?: string | undefined;
  /** Whether the person holds a seat. Default: yes. */
  readonly seat: boolean;
  /** Whether the person has a token, which needs the seat. Default: as `seat`. */
  readonly token: boolean;
  /** Whether the token exists already; its value is unknown. Default: no. */
  readonly adoptToken?: boolean | undefined;
  /** When the token ends, a timestamp in UTC. Default: with the subscription. */
  readonly expires?: string | undefined;
  /** How long before `expires` the token is renewed, such as `30d`. */
  readonly window?: string | undefined;
  /** How many months longer than its end the token is valid. Default: 0. */
  readonly toleranceMonths?: number | undefined;
  /** Whether the service sends an email about a new seat or token. Default: no. */
  readonly sendEmail?: boolean | undefined;
  /** Public keys of age, for which the token is sealed. */
  readonly recipients?: readonly string[] | undefined;
  /** Whether the state keeps the token. Default: yes. */
  readonly keepValue?: boolean | undefined;
  /** A later timestamp, or another text, issues a new token, with a new value. */
  readonly rotation?: string | undefined;
  /** How often the token is rotated automatically, such as `90d`. Default: never. */
  readonly rotateEvery?: string | undefined;
  /** How long a rotated token stays valid, such as `7d`. */
  readonly keepPrevious?: string | undefined;
  /** The user id of an existing membership to adopt. */
  readonly userId?: string | undefined;
  /** The user id that the state has under the key; undefined if no state has the person, or nothing needs it. */
  readonly currentUserId?: string | undefined;
  /** After this timestamp in UTC no program declares the person. Default: the access has no end. */
  readonly accessUntil?: string | undefined;
  /** Whether no run may take anything away from this person. Default: no. */
  readonly protected: boolean;
  /** Whether `reclaim` leaves the seat. Default: as `protected`. */
  readonly exempt?: boolean | undefined;
  /** Since when `reclaim` has known that the seat is idle, a timestamp. */
  readonly idleNotice?: string | undefined;
  /** In a roster of several files, the file of the row. */
  readonly file?: string | undefined;
  /** The place of the row, such as `people.csv, line 7`. */
  readonly place: string;
}

type Named = Pick<RosterPerson, "email" | "purpose" | "firstName" | "lastName">;

/** Of a machine user whom a service lists with an email: the user's id at some domain. */
const EMAIL_OF_ID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}@/i;

/** The email, unless the service made it of an id; otherwise the purpose or the names. Undefined without any. */
export function personName({ email, purpose, firstName, lastName }: Named): string | undefined {
  const isMade = email !== undefined && EMAIL_OF_ID.test(email);
  if (email !== undefined && !isMade) return email;
  return [purpose, firstName, lastName].filter((name) => name !== undefined).join(" ") || email;
}

/** The name, otherwise the key. */
export function labelOf(person: Named & Pick<RosterPerson, "key">): string {
  return personName(person) ?? person.key;
}

/** Of people whose email is the key of another row: a sentence, because that name means neither of the two. */
export function sharedNamesIn(people: readonly RosterPerson[]): string[] {
  const byKey = new Map(people.map((person) => [folded(person.key), person]));
  return people.flatMap((person) => {
    const other = byKey.get(folded(labelOf(person)));
    return other === undefined || other === person
      ? []
      : `${person.place}: ${labelOf(person)} is also the key of ${labelOf(other)} (${other.place}). A command that takes a name refuses this one: pass ${person.key} or ${labelOf(other)}`;
  });
}

/** One file of a roster of several. */
export interface RosterFile {
  /** Below the folder that the caller named. */
  readonly file: string;
  /** Whether it has the settings of the whole roster. */
  readonly isHead: boolean;
  /** Who answers for the file. */
  readonly owner?: string | undefined;
  /** How many people the file says it lists. */
  readonly rows?: number | undefined;
  /** The most seats of its people. */
  readonly seats?: number | undefined;
  /** The most of its people who may lose access in one run. */
  readonly maxRemovals?: number | undefined;
}

export interface Roster {
  /** The file or the folder it was read from, as the caller named it. */
  readonly file: string;
  /** The files of a folder; undefined for a roster of one file. */
  readonly files?: readonly RosterFile[] | undefined;
  /** Who answers for the file, for its readers. */
  readonly owner?: string | undefined;
  /** Such as `acme-data`, or a GUID. */
  readonly organizationId: string;
  /** Identifies the list, a GUID in lower case; undefined until the first `up` has written it into the file. */
  readonly id?: string | undefined;
  /** When the subscription ends, a timestamp in UTC. */
  readonly subscriptionExpiresAt?: string | undefined;
  /** Seats bought. */
  readonly seats?: number | undefined;
  /** How many people the file says it lists; a file that was cut off lists fewer. */
  readonly rows?: number | undefined;
  /** The most people who may lose access in one run, if the removal limit is not lower. */
  readonly maxRemovals?: number | undefined;
  /** Whether each token needs a recipient. Default: no. */
  readonly requireSealedTokens?: boolean | undefined;
  /** Without the row, a person is removed, or stays a member. Default: `delete`. */
  readonly onDelete?: "delete" | "retain" | undefined;
  /** `directory`: an identity provider adds and removes the members. Default: orgseat does. */
  readonly membership?: "directory" | undefined;
  readonly people: readonly RosterPerson[];
}

/** The file with the settings of the whole roster. */
export function headFileOf({ file, files = [] }: Pick<Roster, "file" | "files">): string {
  return files.find(({ isHead }) => isHead)?.file ?? file;
}

/** Pulumi's type of it. Its name is the id of the roster. */
export const MARKER_TYPE = "orgseat:index:Roster";

/** What a marker keeps of a roster, so that a later plan shows what has changed. */
export interface RosterFacts {
  readonly requireSealedTokens?: true | undefined;
  readonly membership?: Roster["membership"];
  /** The public keys of all rows so far, as `knownKey` writes them. */
  readonly keys?: readonly string[] | undefined;
  /** Of a roster of several files: whose row was in which of them, as `knownFile` writes it. */
  readonly files?: readonly string[] | undefined;
}

export interface Identity {
  readonly key?: string | undefined;
  /** In any letter case. */
  readonly email?: string | undefined;
  /** In any letter case. */
  readonly userId?: string | undefined;
  /** Comes before `userId`, which a row has only to adopt a member. */
  readonly currentUserId?: string | undefined;
}

/**
 * Two user ids decide alone: somebody else can have a key or an email by now.
 * @returns whether an entry is one of `people`
 */
export function among(people: Iterable<Identity>): (somebody: Identity) => boolean {
  const known = Map.groupBy(
    [...people].flatMap((person) => traits(person).map((trait) => ({ trait, person }))),
    ({ trait }) => trait,
  );
  return (somebody) =>
    traits(somebody).some((trait) =>
      known.get(trait)?.some(({ person }) => {
        const [one, other] = [userIdOf(person), userIdOf(somebody)];
        return one === undefined || other === undefined || one === other;
      }),
    );
}

function userIdOf({ currentUserId, userId }: Identity): string | undefined {
  return (currentUserId || userId || undefined)?.toLowerCase();
}

/** The people with the user ids that the state has under their keys. */
export function withCurrentUsers(
  people: readonly RosterPerson[],
  members: readonly { readonly key: string; readonly userId: string | undefined }[],
): RosterPerson[] {
  const ids = new Map(members.map(({ key, userId }) => [key, userId]));
  return people.map((person) => {
    const currentUserId = ids.get(person.key);
    return currentUserId === undefined ? person : { ...person, currentUserId };
  });
}

/** @returns the people who are on no offboarded list */
export function withoutOffboarded<Person extends Identity>(
  people: readonly Person[],
  offboarded: readonly Identity[],
): Person[] {
  const isOffboarded = among(offboarded);
  return people.filter((person) => !isOffboarded(person));
}

/** Whether `access_until` has passed. @param now milliseconds since 1970 */
export function hasAccessEnded({ accessUntil }: Pick<RosterPerson, "accessUntil">, now: number): boolean {
  return accessAt(accessUntil, now) === "ended";
}

/** `access ended on 2026-12-31 (access_until)`. */
export function describeEnded(accessUntil: string): string {
  return `access ended on ${shortInstant(accessUntil)} (access_until)`;
}

/** The people whom a program declares: on no offboarded list, and their access has not ended. @param now milliseconds since 1970 */
export function withAccess<Person extends Identity & Pick<RosterPerson, "accessUntil">>(
  people: readonly Person[],
  offboarded: readonly Identity[],
  now: number,
): Person[] {
  return withoutOffboarded(people, offboarded).filter((person) => !hasAccessEnded(person, now));
}

/** An empty value is none: two people without an email are two people. */
function traits(identity: Identity): string[] {
  const { key, email } = identity;
  const userId = userIdOf(identity);
  return [
    ...(key ? [`key ${key}`] : []),
    ...(email ? [`email ${folded(email)}`] : []),
    ...(userId ? [`id ${userId}`] : []),
  ];
}
