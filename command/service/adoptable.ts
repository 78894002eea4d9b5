/** Whom `orgseat adopt` can adopt: the members whom the service lists and the stack does not have, as rows of a roster. Pure. */

import { hiddenIn, oddItemText, REPORT_ITEM } from "../../provider/api/schemas/forgiving-list.ts";
import { emailSchema } from "../../provider/api/schemas/schemas.ts";
import { isPrivileged, nameOfListed, roleOf } from "../../provider/resources/members/member-list.ts";
import { type SeatStatus, seatsIn } from "../../provider/resources/members/seat-codes.ts";
import { liveTokens } from "../../provider/resources/members/token-list.ts";
import { ownExpiry } from "../../provider/resources/user-token/dates.ts";
import type { ListedToken, ListedUser, ServiceMembers } from "../../provider/service/members.ts";
import { folded } from "../../provider/util/text.ts";
import { issuesOfAdded } from "../roster/edit/edit.ts";
import {
  among,
  describeEnded,
  hasAccessEnded,
  type Identity,
  type Roster,
  type RosterPerson,
} from "../roster/roster.ts";
import { isFormula, type NewPerson } from "../roster/write.ts";

export interface AdoptionOptions {
  readonly roster: Roster;
  readonly offboarded: readonly Identity[];
  /** The ids of the users whom the state has. */
  readonly managed: ReadonlySet<string>;
  /** Of them, those without a token whose row wants one. */
  readonly tokenless: ReadonlySet<string>;
  /** The code whose seats count; undefined: any. */
  readonly product: string | undefined;
  /** The end of the subscription, if the roster has none. */
  readonly subscriptionExpiresAt: string | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Whether rows of the roster stay as they are. */
  readonly onlyUnmanaged: boolean;
}

/** Rows to add, rows that get the id of their user, and what is left out. */
export interface Adoption {
  readonly added: readonly NewPerson[];
  readonly completed: readonly CompletedRow[];
  readonly notes: readonly AdoptionNote[];
}

/** A row of the roster whose member the service lists. */
export interface CompletedRow {
  readonly key: string;
  readonly userId: string;
  /** Whether the member has a seat. */
  readonly seat: boolean;
  /** Whether the row wants a token, and the member has one. */
  readonly adoptToken: boolean;
}

/** Why a member or a token is not adopted. */
export interface AdoptionNote {
  readonly who: string;
  readonly text: string;
}

/** The members to adopt, whose tokens are needed. */
export function adoptableUsers(
  users: readonly ListedUser[],
  { managed, tokenless }: Pick<AdoptionOptions, "managed" | "tokenless">,
): ListedUser[] {
  return users.filter(({ id }) => !managed.has(id) || tokenless.has(id));
}

export function adoptionOf(members: ServiceMembers, options: AdoptionOptions): Adoption {
  const { users, tokens } = members;
  const added: NewPerson[] = [];
  const completed: CompletedRow[] = [];
  const rows = new Map(options.roster.people.map((person) => [person.email ?? "", person]));
  const reasonFor = refusals(options, rows);
  const seatFor = seatsIn(users, options.product);
  const notes = [...hiddenNotes(members)];
  for (const user of adoptableUsers(users, options)) {
    const isManaged = options.managed.has(user.id);
    const email = folded(user.email ?? "");
    const row = rows.get(email);
    if (isManaged && (options.onlyUnmanaged || row === undefined)) continue;
    const seat = seatFor(user);
    const reason = reasonFor(user) ?? unreadIn(user, seat, members);
    if (reason !== undefined) {
      notes.push({ who: nameOfListed(user), text: `not adopted: ${reason}` });
      continue;
    }
    if (row !== undefined && options.onlyUnmanaged) continue;
    const context = { tokens: tokens.get(user.id) ?? [], seat: seat === "yes", options, notes };
    const found = rowOf(user, email, context);
    if (row === undefined) added.push(found);
    else {
      const adoptToken = row.token && found.token;
      if (isManaged && !adoptToken) continue;
      completed.push({ key: row.key, userId: user.id, seat: found.seat, adoptToken });
    }
  }
  return { added: writable(added, options, notes), completed, notes };
}

/** Why a member cannot have a row; undefined for one who can. */
function refusals(
  { offboarded, now }: AdoptionOptions,
  rows: ReadonlyMap<string, RosterPerson>,
): (user: ListedUser) => string | undefined {
  const isOffboarded = among(offboarded);
  const seen = new Set<string>();
  return ({ id: userId, email: listed }) => {
    if (!listed) return NO_EMAIL;
    const { data: email, error } = emailSchema.safeParse(listed);
    if (email === undefined)
      return `${error?.issues[0]?.message}. A roster cannot hold this address; correct it in the service`;
    if (seen.has(email))
      return "another member has the same email, except for letter case or the form of accents";
    seen.add(email);
    if (isOffboarded({ key: email, email, userId })) return "on the offboarded list";
    const row = rows.get(email);
    if (row?.accessUntil !== undefined && hasAccessEnded(row, now)) return describeEnded(row.accessUntil);
    return row?.userId === undefined || row.userId === userId
      ? undefined
      : `the roster lists this email with the user id ${row.userId}`;
  };
}

const NO_EMAIL =
  "the list shows no email. If it is a machine user, write a row with a purpose, a key, and this `user_id`, then run `orgseat adopt` again";

/** What a row would have to claim although the service does not say it. */
function unreadIn(
  { id }: ListedUser,
  seat: SeatStatus,
  { odd, unreadable }: ServiceMembers,
): string | undefined {
  const item = odd.find((one) => one.id === id);
  if (item !== undefined) return `orgseat cannot read it: ${oddItemText(item)}. ${REPORT_ITEM}`;
  if (seat === "unknown") return "the list of users does not say whether this person has a seat";
  return unreadable.get(id);
}

/** Items that no one can be recognized in. */
function hiddenNotes({ odd }: ServiceMembers): AdoptionNote[] {
  return hiddenIn(odd).map((item) => ({
    who: item.email ?? `item ${item.position} of the list of users`,
    text: `not adopted: orgseat cannot read it: ${oddItemText(item)}. ${REPORT_ITEM}`,
  }));
}

interface RowContext {
  readonly tokens: readonly ListedToken[];
  readonly seat: boolean;
  readonly options: AdoptionOptions;
  readonly notes: AdoptionNote[];
}

function rowOf(user: ListedUser, email: string, { tokens, seat, options, notes }: RowContext): NewPerson {
  const live = liveTokens(tokens);
  const reason = tokenRefusal(live, seat, options.now);
  if (reason !== undefined) notes.push({ who: email, text: `adopted without the token: ${reason}` });
  const token = reason === undefined ? live[0] : undefined;
  return {
    key: email,
    email,
    firstName: user.first_name?.trim() || undefined,
    lastName: user.last_name?.trim() || undefined,
    seat,
    token: token !== undefined,
    adoptToken: token !== undefined || undefined,
    expires: ownExpiry(
      token?.expires_at,
      options.roster.subscriptionExpiresAt ?? options.subscriptionExpiresAt,
    ),
    userId: user.id,
    protected: isPrivileged(roleOf(user)),
  };
}

/** The rows that the roster can hold: without a name that it cannot hold, because the service has the name. */
function writable(
  people: readonly NewPerson[],
  { roster }: AdoptionOptions,
  notes: AdoptionNote[],
): NewPerson[] {
  const issues = issuesOfAdded(roster, people);
  return people.flatMap((person, place) => {
    const found = [...(issues.get(place) ?? []), ...formulasIn(person)];
    const lost = new Set(found.map(({ field }) => field));
    const isHeld = [...lost].every((field) => field === "first_name" || field === "last_name");
    for (const { field, text } of found)
      notes.push({
        who: person.key,
        text: `${isHeld ? `adopted without ${field}` : "not adopted"}: ${text}`,
      });
    const { firstName, lastName } = person;
    const names = {
      firstName: lost.has("first_name") ? undefined : firstName,
      lastName: lost.has("last_name") ? undefined : lastName,
    };
    return isHeld ? [{ ...person, ...names }] : [];
  });
}

/** Members choose their names, and administrators open rosters in spreadsheets. */
function formulasIn({ firstName = "", lastName = "" }: NewPerson) {
  const names = { first_name: firstName, last_name: lastName };
  return Object.entries(names).flatMap(([field, name]) =>
    isFormula(name) ? [{ field, text: "a spreadsheet would evaluate it as a formula" }] : [],
  );
}

/** Why the row has no token, although the member has one. */
function tokenRefusal(live: readonly ListedToken[], seat: boolean, now: number): string | undefined {
  const [first] = live;
  if (first === undefined) return undefined;
  if (live.length > 1) return `the member has ${live.length} tokens, but a roster supports one per person`;
  if (!seat) return "the member has no seat";
  const { expires_at: end } = first;
  return end !== undefined && Date.parse(end) <= now ? `it expired at ${end}` : undefined;
}
