// The members of people.csv, and an entry in a store for each token. `pulumi up` writes the entry of a new token, changes it
// after a rotation, and deletes it before the token of a person whose row is gone.
import * as pulumi from "@pulumi/pulumi";
import { readRoster, rosterProgram } from "orgseat/automation";
import { StoreEntry } from "./store.ts";

const folder = new pulumi.Config().require("store");
const roster = await readRoster("people.csv");
const members = rosterProgram(roster);

/** The files of the store. */
export const entries: string[] = [];

for (const person of roster.people) {
  // A row has no member after its access_until.
  const member = members.get(person.key);
  if (member === undefined || !person.token) continue;
  const file = `${folder}/${person.key}.token`;
  // The state has no value of a token that is adopted, sealed, or not kept. Its entry is empty until a rotation.
  const token = member.tokenValue.apply((value) => value ?? "");
  // The entry depends on the member through its token. So does a resource of any other provider: see docs/automation.md.
  new StoreEntry(person.key, { file, token });
  entries.push(file);
}
