/** `orgseat list` and `orgseat show`. */
import { LISTED } from "../../../provider/util/text.ts";
import { peopleToText, personToText } from "../../automation/report/person.ts";
import { listPeople, showPerson } from "../../automation/verbs/people.ts";
import type { ListFlags } from "../line/flags.ts";
import { type CommonOptions, organizationOptions } from "../line/options.ts";
import { openForOutput } from "../open.ts";
import { print, printJson } from "../output.ts";

export async function listVerb({ filter, json, ...options }: ListFlags): Promise<void> {
  const people = await listPeople(await opened(options), filter);
  if (json) printJson(people);
  else print(peopleToText(people, limitOf(options)));
}

export async function showVerb(who: string, { json, ...options }: CommonOptions): Promise<void> {
  const person = await showPerson(await opened(options), who);
  if (json) printJson(person);
  else print(personToText(person, limitOf(options)));
}

function opened(options: CommonOptions) {
  return openForOutput({ ...organizationOptions(options), acceptEndedSubscription: true });
}

function limitOf({ verbose = false }: CommonOptions): number {
  return verbose ? Number.POSITIVE_INFINITY : LISTED;
}
