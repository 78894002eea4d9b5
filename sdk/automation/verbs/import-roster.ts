/**
 * `orgseat import-file` for a roster: the people whom the service has already, as entries of an import file for the program
 * of the roster. It reads the service and writes nothing there.
 */

import { dirname } from "node:path";
import { capabilitiesOf } from "../../../provider/config/settings.ts";
import {
  type FoundResource,
  findResources,
  type SoughtResource,
} from "../../../provider/direct/member-lookup.ts";
import { indexMembers, usersLike } from "../../../provider/resources/members/member-list.ts";
import type { ListedUser, ServiceMembers } from "../../../provider/service/members.ts";
import { CodedError } from "../../../provider/util/error-codes.ts";
import { shortList } from "../../../provider/util/text.ts";
import { MEMBER_TYPE } from "../plan/steps/steps.ts";
import { rosterParts } from "../roster/members.ts";
import { labelOf, MARKER_TYPE } from "../roster/roster.ts";
import type { AdoptionNote } from "../service/adoptable.ts";
import { membersOfService, memberVariables } from "../service/service-members.ts";
import type { Connection, Files, Organization, PlacedStacks } from "../stacks/organization.ts";
import { withRunFolder } from "../stacks/run.ts";
import { type ImportedResource, type ImportFile, importFileOf, type Target } from "./import-file.ts";

export interface RosterImport {
  readonly file: ImportFile;
  /** What the file does not have. */
  readonly notes: readonly AdoptionNote[];
}

type Member = ReturnType<typeof rosterParts>[number];

/** A resource of a member, by the name that it has in the program. */
interface Sought extends SoughtResource {
  readonly member: Member;
  readonly name: string;
}

/** @throws if the service cannot list its users, the roster has several stacks, or the service has none of its people */
export async function importFileOfRoster(organization: Organization, target: Target): Promise<RosterImport> {
  const { roster, offboarded, openedAt: now } = organization;
  refuseUnsuitable(organization);
  const declared = rosterParts(roster, { offboarded, now });
  const members = await membersOfService(organization, {
    tokensOf: (users) =>
      [...usersOf(declared, users)].flatMap(([{ parts }, { id }]) => (parts.token ? [id] : [])),
  });
  const users = usersOf(declared, members.users);
  if (users.size === 0)
    throw new CodedError(
      "wrong-organization",
      `cannot write an import file: the service lists none of the people of ${roster.file}. Check orgseat:organizationId`,
    );
  const sought = [...users].flatMap(([member, { id }]) => soughtOf(member, id));
  const found = await readResources(organization, members, sought);
  const notes = declared
    .filter((member) => !users.has(member))
    .map(({ person }) => ({ who: labelOf(person), text: whyNotFound(person, members.users) }));
  const resources = [...Map.groupBy(found, ({ member }) => member)].flatMap(([member, mine]) => {
    const missing = mine.flatMap(({ type, result }) => ("missing" in result ? [{ type, result }] : []));
    const who = labelOf(member.person);
    notes.push(...missing.map(({ type, result }) => ({ who, text: `${type}: ${result.missing}` })));
    return missing.some(({ type }) => type === "OrgUser") ? [] : resourcesOf(member, mine);
  });
  const marker = roster.id === undefined ? [] : [componentOf(MARKER_TYPE, roster.id)];
  return { file: importFileOf([...marker, ...resources], target), notes };
}

/** An email identifies a person; machine users can have the same names. */
function whyNotFound({ purpose, lastName, userId }: Member["person"], users: readonly ListedUser[]): string {
  if (purpose === undefined || userId !== undefined) return "not a member";
  const alike = usersLike(indexMembers(users), { purpose, lastName }).map(({ id }) => id);
  if (alike.length === 0) return "not a member";
  return `may be ${alike.length === 1 ? "user" : "one of the users"} ${shortList(alike)}: write its id into \`user_id\`, otherwise \`pulumi up\` creates another machine user`;
}

function refuseUnsuitable({ settings, stacks }: Connection & PlacedStacks): void {
  if (!capabilitiesOf(settings).canListUsers)
    throw new CodedError(
      "unsupported",
      "cannot read the people: this service (orgseat:platform) cannot list users. Write the file from a stack that has them: `orgseat import-file --from-stack NAME`",
    );
  if (stacks.length > 1)
    throw new CodedError(
      "cannot-adopt",
      `cannot write one import file for a roster with ${stacks.length} stacks. Run \`orgseat adopt\`, which adopts people into all of them`,
    );
}

/** By the user id of the row, otherwise by the email. */
function usersOf(declared: readonly Member[], users: readonly ListedUser[]): Map<Member, ListedUser> {
  const byId = new Map(users.map((user) => [user.id, user]));
  const byEmail = new Map(users.map((user) => [user.email.toLowerCase(), user]));
  return new Map(
    declared.flatMap((member) => {
      const { userId, email = "" } = member.person;
      const user = userId === undefined ? byEmail.get(email) : byId.get(userId);
      return user === undefined ? [] : [[member, user] as const];
    }),
  );
}

function soughtOf(member: Member, id: string): Sought[] {
  const { user, seat, token } = member.parts;
  const held = <Args extends object>({ name, args }: { name: string; args: Args }) => ({
    ...{ id, member, name },
    inputs: { ...args, userId: id },
  });
  return [
    { id, member, type: "OrgUser", name: user.name, inputs: { ...user.args } },
    ...(seat ? [{ type: "SeatAssignment" as const, ...held(seat) }] : []),
    ...(token ? [{ type: "UserToken" as const, ...held(token) }] : []),
  ];
}

async function readResources(
  { file, configuration, environment }: Files & Connection,
  members: ServiceMembers,
  sought: readonly Sought[],
): Promise<(Sought & { readonly result: FoundResource })[]> {
  const results = await withRunFolder(dirname(file), (folder) =>
    findResources(
      {
        config: (key) => configuration.config.get(key),
        environment: { ...environment, ...memberVariables(members, folder) },
      },
      sought,
    ),
  );
  return sought.flatMap((one, index) => {
    const result = results[index];
    return result === undefined ? [] : [{ ...one, result }];
  });
}

function resourcesOf(
  { key }: Member,
  found: readonly (Sought & { readonly result: FoundResource })[],
): ImportedResource[] {
  const objects = found.flatMap(({ type, id, name, result }): ImportedResource[] =>
    "missing" in result
      ? []
      : [{ key: `${key} ${type}`, name, parent: `${key} member`, content: { type, id, ...result } }],
  );
  return [{ ...componentOf(MEMBER_TYPE, key), key: `${key} member` }, ...objects];
}

function componentOf(component: string, name: string): ImportedResource {
  return { key: `${component} ${name}`, name, parent: undefined, content: { component } };
}
