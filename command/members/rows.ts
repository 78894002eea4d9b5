/** What a row of a roster wants, as the inputs of its OrgMember. Pure. */
import { currentUser, type Held } from "../../provider/member/held.ts";
import { instantMs, parseInstant } from "../../provider/util/instants.ts";
import type { Roster, RosterPerson } from "../roster/roster.ts";

/** Inputs of an OrgMember as a program passes them. */
export type MemberArgs = Readonly<Record<string, unknown>>;

/** What a row cannot say. */
export interface RowFacts {
  /** Of the member. */
  readonly ref: string;
  /** What the member holds; undefined of a new one. */
  readonly held: Held | undefined;
  /** The listed user of a directory to adopt. */
  readonly adopts: string | undefined;
  /** The end of the subscription in the configuration. */
  readonly subscriptionExpiresAt: string | undefined;
}

type Settings = Pick<Roster, "organizationId" | "onDelete" | "membership" | "subscriptionExpiresAt">;

/** The inputs of a row. */
export function argsOfRow(person: RosterPerson, roster: Settings, facts: RowFacts): MemberArgs {
  const { key, seat, accessUntil, sendEmail } = person;
  const { organizationId, membership, subscriptionExpiresAt = facts.subscriptionExpiresAt } = roster;
  const adopt = facts.adopts ?? person.userId;
  // The users of a directory are all adopted, in the run that adopts them and in later ones.
  const onDelete = onDeleteOf(roster.onDelete, adopt !== undefined || membership !== undefined);
  return withoutUndefined({
    ref: facts.ref,
    ...{ key, organizationId, adopt, accessUntil, subscriptionExpiresAt },
    ...identityOf(person),
    directory: membership === undefined ? undefined : true,
    onDelete: membership === undefined ? onDelete : undefined,
    protected: person.protected ? true : undefined,
    seat: seat && withoutUndefined({ onDelete, sendEmail }),
    token: seat && person.token ? tokenOf(person, facts.held, adopt !== undefined) : undefined,
  });
}

/** The inputs of a member whose row is gone. */
export function argsOfLeaver(
  held: Held,
  { organizationId, membership }: Pick<Roster, "organizationId" | "membership">,
): MemberArgs {
  const directory = membership === undefined ? undefined : true;
  return withoutUndefined({ ref: held.ref, key: held.key, organizationId, directory, leaving: true });
}

function identityOf({ email, purpose, firstName, lastName }: RosterPerson): MemberArgs {
  return email === undefined ? { purpose } : { email, firstName, lastName };
}

/** Undefined for the default: a created membership is removed. An adopted one is removed too, because its row says who is in. */
function onDeleteOf(given: Roster["onDelete"], isAdopted: boolean): "delete" | "retain" | undefined {
  if (given === "retain") return "retain";
  return isAdopted ? "delete" : undefined;
}

function tokenOf(person: RosterPerson, held: Held | undefined, isAdopted: boolean): MemberArgs {
  const { expires, window, toleranceMonths, rotateEvery, keepPrevious, recipients, keepValue } = person;
  return withoutUndefined({
    expiresAt: expires,
    renewBefore: window,
    expirationToleranceMonths: toleranceMonths,
    rotation: markInForce(markOf(held), person.rotation),
    rotateEvery,
    keepPreviousFor: keepPrevious,
    recipients,
    keepValue,
    sendEmail: person.sendEmail,
    // Of a person who was a member before: the token is adopted, or revoked for a new one.
    adopt: isAdopted && person.adoptToken ? true : undefined,
    replaceExisting: isAdopted && !person.adoptToken ? true : undefined,
  });
}

/** The last rotation of the member's token. */
export function markOf(held: Held | undefined): string | undefined {
  return held && currentUser(held)?.tokens[0]?.mark;
}

/**
 * A rotation goes in one direction, so that a roster without the last one does not rotate a token again: the later of two
 * timestamps. Other texts have no order, so a changed one counts.
 */
export function markInForce(inState: string | undefined, inRoster: string | undefined): string | undefined {
  if (inState === undefined || inRoster === undefined) return inRoster ?? inState;
  const [before, after] = [parseInstant(inState), parseInstant(inRoster)];
  if (before === undefined) return inRoster;
  return after !== undefined && instantMs(after) > instantMs(before) ? inRoster : inState;
}

function withoutUndefined(values: MemberArgs): MemberArgs {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
