/** `orgseat list`. */
import { CodedError } from "../../../provider/util/error-codes.ts";
import { limitOf, shortList } from "../../../provider/util/text.ts";
import { describeLeftOut } from "../../plan/texts/text.ts";
import { type ReportedPerson, reportSchema } from "../../report/schema.ts";
import { missingStatesNote, peopleToText, personToText } from "../../report/texts/person.ts";
import { ignoredRows, listPeople, showPerson } from "../../verbs/people.ts";
import type { ListFlags } from "../line/flags.ts";
import { openForOutput } from "../open.ts";
import { print, printJson, printNote } from "../output.ts";
import { tableForm } from "../terminal.ts";

/** @param who one person, with the history. Default: everybody, a line each */
export async function listVerb(who: string | undefined, flags: ListFlags): Promise<void> {
  const { filter, json, verbose, ...options } = flags;
  const fields = typeof json === "string" ? fieldsIn(json) : undefined;
  const organization = await openForOutput(options, { acceptEndedSubscription: true });
  if (who !== undefined) {
    const shown = await showPerson(organization, who);
    if (fields !== undefined) printJson(onlyFields(shown.person, fields));
    else if (json) printJson(shown);
    else print(personToText(shown, limitOf({ verbose })));
    return;
  }
  const people = await listPeople(organization, filter);
  if (json) printJson(fields === undefined ? people : people.map((person) => onlyFields(person, fields)));
  else if (people.length === 0) printNote(peopleToText(people));
  else print(peopleToText(people, tableForm()));
  const note = filter === undefined ? missingStatesNote(people, organization.roster) : undefined;
  if (note !== undefined) printNote(note);
  const ignored = ignoredRows(organization);
  if (ignored.length > 0) printNote(describeLeftOut(shortList(ignored, limitOf({ verbose }))));
}

const known = Object.keys(reportSchema.shape.people.element.shape);

/** @throws if the text names none, or one that a person does not have */
function fieldsIn(text: string): readonly string[] {
  const fields = text.split(",").map((field) => field.trim());
  const strange = fields.find((field) => !known.includes(field));
  if (strange === undefined) return fields;
  throw new CodedError(
    "invalid-flag",
    `unknown field of --json: ${strange}. Use some of ${known.toSorted().join(", ")}, separated by commas, or no fields for all`,
  );
}

function onlyFields(person: ReportedPerson, fields: readonly string[]): object {
  return Object.fromEntries(Object.entries(person).filter(([name]) => fields.includes(name)));
}
