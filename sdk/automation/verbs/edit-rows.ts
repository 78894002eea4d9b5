/** `orgseat add` and `orgseat remove`: rows of the roster. Nothing is sent, and no state is read. */
import { CodedError } from "../../../provider/util/error-codes.ts";
import { resolveMembers } from "../preview/resolve-members.ts";
import { addPeople, removePeople, type TextEdit } from "../roster/edit/edit.ts";
import { readText, rewriteText } from "../roster/formats/text-file.ts";
import { parseRoster } from "../roster/read.ts";
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
  readonly team?: string | undefined;
}

/** @returns the unified diff @throws RosterError if the roster would have errors: then it stays as it is */
export async function addRows(file: string, rows: NewRows): Promise<string> {
  const people = peopleOf(rows);
  return edit(file, (text) => {
    refuseListed(parseRoster(text, file), people);
    return addPeople(text, file, people);
  });
}

/**
 * @param names emails, purposes, or keys
 * @returns the unified diff @throws for a name of no row, or of several: then the roster stays as it is
 */
export async function removeRows(file: string, names: readonly string[]): Promise<string> {
  return edit(file, (text) => {
    const known = parseRoster(text, file).people.map((person) => ({
      key: person.key,
      label: labelOf(person),
      userId: person.userId,
    }));
    const keys = resolveMembers(names, known, file).map(({ key }) => key);
    return removePeople(text, file, keys);
  });
}

function refuseListed({ people }: Roster, added: readonly NewPerson[]): void {
  const listed = added.flatMap((one) => {
    const key = one.key.toLowerCase();
    const row = people.find((person) => person.email === key || person.key.toLowerCase() === key);
    return row === undefined ? [] : `${labelOf(row)} (${row.place})`;
  });
  if (listed.length === 0) return;
  throw new CodedError(
    "invalid-flag",
    `already in the roster: ${listed.join(", ")}. No row was added. Edit the existing row, or leave this person out`,
  );
}

async function edit(file: string, change: (text: string) => TextEdit): Promise<string> {
  const before = await readText(file);
  const { text, diff } = change(before);
  parseRoster(text, file);
  await rewriteText(file, before, text);
  return diff;
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
