/** The members of a roster as resources of a program of your own. */
import type { CustomResourceOptions } from "@pulumi/pulumi";
import { programError } from "../../../sdk/base/program-error.ts";
import { OrgMember, type OrgMemberArgs } from "../../../sdk/org-member.ts";
import { argsOfRow } from "../../members/rows.ts";
import { type Identity, labelOf, type Roster, type RosterPerson, withAccess } from "../roster.ts";

export interface RosterProgramOptions {
  /** People to omit, even if the roster has them. Default: none. */
  readonly offboarded?: readonly Identity[] | undefined;
  /** When to judge who has access, in milliseconds since 1970. Default: now. */
  readonly now?: number | undefined;
  /** Options of Pulumi for every member, such as `parent`. */
  readonly resource?: CustomResourceOptions | undefined;
}

/**
 * Registers the members of a roster in the program that calls it, each under its key. Call it from another
 * stack than that of `orgseat up`. Team and order are in no resource.
 * @returns by key, so that the program can hand each `tokenValue` to another resource
 * @throws an error of the program for a row of a directory without a user id
 */
export function rosterProgram(
  roster: Roster,
  { offboarded = [], now = Date.now(), resource }: RosterProgramOptions = {},
): ReadonlyMap<string, OrgMember> {
  const people = withAccess(roster.people, offboarded, now);
  const memberOf = (person: RosterPerson) => new OrgMember(person.key, memberArgs(person, roster), resource);
  return new Map(people.map((person) => [person.key, memberOf(person)]));
}

function memberArgs(person: RosterPerson, roster: Roster): OrgMemberArgs {
  if (roster.membership !== undefined && person.userId === undefined)
    throw programError(
      "invalid-roster",
      `${labelOf(person)} (${person.place}) has no user_id, and with \`membership: directory\` orgseat adds no one. Write it`,
    );
  const facts = { ref: "", held: undefined, adopts: undefined, subscriptionExpiresAt: undefined };
  const { ref: _, key: __, directory, ...args } = argsOfRow(person, roster, facts);
  // The inputs of a checked row are those of the class.
  return { ...args, ...(directory === true && { onDelete: "retain" }) } as unknown as OrgMemberArgs;
}
