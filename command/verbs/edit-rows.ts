/** `orgseat add` and `orgseat remove`: rows of the roster. Nothing is sent, and no state is read. */
import { extname, join, relative } from "node:path";
import { CodedError } from "../../provider/util/error-codes.ts";
import { folded, shortList } from "../../provider/util/text.ts";
import { resolveMembers } from "../preview/resolve-members.ts";
import { addPeople, diffOf, removePeople } from "../roster/edit/edit.ts";
import { type RosterText, readRosterText, rewriteRoster } from "../roster/formats/roster-text.ts";
import { realPathOf } from "../roster/formats/text-file.ts";
import { describeOffboarded, lastEntryOf, offboardedFile, readOffboarded } from "../roster/offboarded.ts";
import { rosterIn } from "../roster/read.ts";
import { labelOf, type Roster } from "../roster/roster.ts";
import { keyFor } from "../roster/rows/checks.ts";
import type { NewPerson } from "../roster/write.ts";

/** People to add: persons by email, or one machine user. */
export interface NewRows {
  readonly emails?: readonly string[] | undefined;
  /** What the token of the machine user is for. */
  readonly purpose?: string | undefined;
  /** The permanent key of the machine user. Default: the purpose in lower case, with hyphens. */
  readonly key?: string | undefined;
  /** In a folder, the name of the file that gets the rows, without its ending. */
  readonly team?: string | undefined;
}

/**
 * @returns the unified diff
 * @throws RosterError if the roster would have errors, CodedError for a person who is in it or was offboarded: then it stays
 * as it is
 */
export async function addRows(file: string, rows: NewRows): Promise<string> {
  await refuseOffboarded(offboardedFile(realPathOf(file)), peopleOf(rows));
  return edit(file, (text) => {
    const { team, into } = placeFor(text, rows.team);
    const people = peopleOf({ ...rows, team });
    refuseListed(rosterIn(text), people);
    return addPeople(text, people, into);
  });
}

/**
 * @param names emails, purposes, or keys
 * @returns the unified diff @throws for a name of no row, or of several: then the roster stays as it is
 */
export async function removeRows(file: string, names: readonly string[]): Promise<string> {
  return edit(file, (text) => {
    const known = rosterIn(text).people.map((person) => ({ ...person, label: labelOf(person) }));
    const keys = resolveMembers(names, known, file, { takesAway: true }).map(({ key }) => key);
    return removePeople(text, keys);
  });
}

function refuseListed({ people }: Roster, added: readonly NewPerson[]): void {
  const listed = added.flatMap((one) => {
    const key = folded(one.key);
    const row = people.find((person) => person.email === key || folded(person.key) === key);
    return row === undefined ? [] : `${labelOf(row)} (${row.place})`;
  });
  if (listed.length === 0) return;
  throw new CodedError(
    "invalid-flag",
    `already in the roster: ${listed.join(", ")}. No row was added. Edit the existing row, or leave this person out`,
  );
}

/** No run would add them. */
async function refuseOffboarded(list: string, added: readonly NewPerson[]): Promise<void> {
  const offboarded = await readOffboarded(list);
  const left = added.flatMap((one) => {
    const entry = lastEntryOf(one, offboarded);
    return entry === undefined ? [] : `${labelOf(one)} (${describeOffboarded(entry)})`;
  });
  if (left.length === 0) return;
  throw new CodedError(
    "invalid-flag",
    `on the offboarded list, so every run would ignore the row: ${shortList(left)}. No row was added. If a person comes back, delete the person's entries from ${list}, then add the row if it is missing`,
  );
}

async function edit(file: string, change: (text: RosterText) => RosterText): Promise<string> {
  const before = await readRosterText(file);
  const after = change(before);
  rosterIn(after);
  await rewriteRoster(file, before, after);
  return diffOf(before, after);
}

/** In a folder, a team is one of its files, and no column needs to say so. The only file has rows of any team. */
function placeFor({ roster, isFolder, files }: RosterText, team: string | undefined) {
  if (!isFolder) return { team, into: undefined };
  const names = files.map(({ file }) => relative(roster, file));
  const nameOf = (name: string) => name.slice(0, -extname(name).length);
  const [first = "", ...others] = names;
  const found = names.find((name) => nameOf(name) === team);
  if (found !== undefined) return { team: undefined, into: join(roster, found) };
  if (others.length === 0) return { team, into: join(roster, first) };
  const known = shortList(names.map(nameOf));
  throw new CodedError(
    "invalid-flag",
    `cannot tell which file of ${roster} gets the row. Pass --team with the name of a file: ${known}`,
  );
}

function peopleOf({ emails = [], purpose, key, team }: NewRows): NewPerson[] {
  const common = { team, seat: true, token: true, protected: false };
  if (purpose === undefined && key === undefined && emails.length > 0)
    return emails.map((email) => ({ ...common, key: email, email }));
  if (purpose !== undefined && emails.length === 0)
    return [{ ...common, key: key ?? keyFor(purpose), purpose }];
  throw new CodedError(
    "invalid-flag",
    "cannot tell whom to add: pass emails, or --purpose and, if you like, --key for one machine user",
  );
}
