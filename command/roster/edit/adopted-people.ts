/** Writes adopted people into a roster: new rows, and the user ids of rows without one. */
import { CodedError } from "../../../provider/util/error-codes.ts";
import { THEN_RUN_AGAIN } from "../../../provider/util/text.ts";
import { ADOPTED_TOKEN } from "../field-forms.ts";
import { formatOf, oneFile, type RosterText } from "../formats/roster-text.ts";
import { rosterIn } from "../read.ts";
import type { Roster, RosterPerson } from "../roster.ts";
import { type NewPerson, newRoster } from "../write.ts";
import { addPeople, setEach } from "./edit.ts";

interface AdoptedPeople {
  /** People of a file, each with a user id. */
  readonly people?: readonly RosterPerson[] | undefined;
  /** The user ids of these people for rows without one, by key. */
  readonly ids: ReadonlyMap<string, string>;
  /** Members whom the service lists: those without a row, and the rows of the others. */
  readonly added?: readonly NewPerson[];
  readonly completed?: readonly {
    readonly key: string;
    readonly userId: string;
    readonly adoptToken: boolean;
  }[];
}

/** @param roster what the text had before @throws Error if a person of the file has no user id */
export function withAdopted(
  text: RosterText,
  roster: Roster,
  { people = [], ids, added = [], completed = [] }: AdoptedPeople,
): RosterText {
  refuseIncomplete(people);
  const known = new Set(roster.people.map(({ key }) => key));
  // As for the rows that exist already.
  const listed = people.filter(({ key }) => !known.has(key)).map((person) => ({ ...person, token: false }));
  const userIds = new Map([...ids, ...completed.map(({ key, userId }) => [key, userId] as const)]);
  const tokens = new Map([
    ...withoutTokens(ids, roster).map(({ key }) => [key, "no"] as const),
    ...completed.flatMap(({ key, adoptToken }) => (adoptToken ? [[key, ADOPTED_TOKEN] as const] : [])),
  ]);
  return withPeople(setEach(setEach(text, "user_id", userIds), "token", tokens), [...listed, ...added]);
}

/** The user ids that people of a file give to rows without one, by key. */
export function idsOf(
  people: readonly RosterPerson[],
  roster: Roster,
  managed: ReadonlySet<string>,
): ReadonlyMap<string, string> {
  const rows = new Map(roster.people.map((row) => [row.key, row]));
  return new Map(
    people.flatMap(({ key, userId }) => {
      const row = rows.get(key);
      const isMissing = row !== undefined && row.userId === undefined && !managed.has(key);
      return isMissing && userId !== undefined ? [[key, userId]] : [];
    }),
  );
}

/** The rows that get an id and want a new token: the existing one would be revoked for it. */
export function withoutTokens(ids: ReadonlyMap<string, string>, { people }: Roster): RosterPerson[] {
  return people.filter(({ key, token, adoptToken }) => ids.has(key) && token && !adoptToken);
}

/** The columns of a new roster, for people to fill in. */
const COLUMNS = ["key", "email", "first_name", "last_name", "team", "seat", "token", "user_id"] as const;

/** A roster that this command has just created gets all columns in their order. */
function withPeople(text: RosterText, people: readonly NewPerson[]): RosterText {
  if (people.length === 0) return text;
  const { people: rows, file, files, ...header } = rosterIn(text);
  if (files === undefined && rows.length === 0) {
    const format = formatOf(file);
    const isCreated = text.files[0]?.text === newRoster({ ...header, people: [] }, format);
    if (isCreated) return oneFile(newRoster({ ...header, people }, format, COLUMNS), file);
  }
  return addPeople(text, people);
}

function refuseIncomplete(people: readonly RosterPerson[]): void {
  const without = people.filter(({ userId }) => userId === undefined);
  if (without.length === 0) return;
  const places = without.map(({ place }) => place).join("; ");
  throw new CodedError(
    "invalid-roster",
    `cannot adopt people without a user id: ${places}. Copy the ids from the service into user_id, ${THEN_RUN_AGAIN}`,
  );
}
