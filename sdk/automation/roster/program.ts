/** The Pulumi program of a roster: one OrgMember a person, named by the key. */
import { ComponentResource, RunError, recover } from "@pulumi/pulumi";
import { mapConcurrently } from "../../../provider/util/map-concurrently.ts";
import { OrgMember, type OrgMemberArgs } from "../../org-member.ts";
import type { TokenOptions } from "../../user-token.ts";
import { type Identity, MARKER_TYPE, type Roster, type RosterPerson, withoutLeavers } from "./roster.ts";

/** More would only wait in memory: an unregistered resource takes 70 KB, and the engine works on fewer at once. */
const MEMBERS_AT_ONCE = 25;

export interface RosterProgramOptions {
  /** Left out, whatever the roster says. Default: nobody. */
  readonly leavers?: readonly Identity[] | undefined;
}

/**
 * The program of a roster, for the Automation API or to be called in a program of one's own; of one stack of several,
 * where the roster's people are those of `peopleOfShard`. Team and place reach no resource: to change them writes
 * nothing at all; `protected` is Pulumi's own. The id of the roster becomes a component, by which the stack remembers it.
 */
export function rosterProgram(roster: Roster, options: RosterProgramOptions = {}): () => Promise<void> {
  return async () => {
    // In the state before the first member is created, so that a run which is killed has marked its stack.
    if (roster.id !== undefined) await new Marker(roster.id).isRegistered;
    await mapConcurrently(rosterMembers(roster, options), MEMBERS_AT_ONCE, ({ key, args, options }) =>
      registered(new OrgMember(key, args, options)),
    );
  };
}

/** Resolves once the engine has answered for all resources of the member, even if it refused one. */
function registered({ user, seat, token }: OrgMember): Promise<void> {
  const { urn } = token ?? seat ?? user;
  return new Promise((resolve) => {
    const end = (): void => resolve();
    recover(urn.apply(end), end);
  });
}

class Marker extends ComponentResource {
  /** Resolves once the engine has it in its state. */
  readonly isRegistered: Promise<void>;

  constructor(rosterId: string) {
    super(MARKER_TYPE, rosterId);
    this.isRegistered = new Promise((resolve) => void this.urn.apply(() => resolve()));
    this.registerOutputs();
  }
}

/** The members of that program: the name of each OrgMember, its inputs and its options. */
export function rosterMembers(roster: Roster, { leavers = [] }: RosterProgramOptions = {}) {
  return withoutLeavers(roster.people, leavers).map((person) => ({
    key: person.key,
    args: memberArgs(person, roster),
    // Pulumi remembers it, so that a row which is lost takes its protection along no sooner than it says so.
    options: person.protected ? { protect: true } : {},
  }));
}

function memberArgs(
  person: RosterPerson,
  { organizationId, removal, subscriptionExpiresAt }: Roster,
): OrgMemberArgs {
  const { userId, seat, token } = person;
  const onDelete = onDeleteOf(removal, userId !== undefined);
  const who = {
    ...nameOf(person),
    organizationId,
    ...(userId === undefined ? {} : { adopt: userId }),
    ...onDelete,
  };
  if (!seat) return { ...who, seat: false };
  const held = { ...(userId === undefined ? {} : { adopt: true }), ...onDelete };
  return {
    ...who,
    seat: Object.keys(held).length === 0 ? true : held,
    ...(token ? { token: tokenOf(person, subscriptionExpiresAt) } : {}),
  };
}

/** Nothing where the default is meant: a membership that was made here goes, one that was taken over stays. */
function onDeleteOf(removal: Roster["removal"], isAdopted: boolean): { onDelete?: "remove" | "keep" } {
  if (removal === "release") return { onDelete: "keep" };
  return isAdopted ? { onDelete: "remove" } : {};
}

function nameOf({ key, email, purpose, firstName, lastName, place }: RosterPerson) {
  if (email !== undefined) {
    return {
      email,
      ...(firstName === undefined ? {} : { firstName }),
      ...(lastName === undefined ? {} : { lastName }),
    };
  }
  if (purpose !== undefined) return { firstName: purpose };
  throw new RunError(`${key} (${place}) has neither an email nor a purpose. Write one of them`);
}

function tokenOf(person: RosterPerson, subscriptionExpiresAt: string | undefined): TokenOptions {
  const { expires, window, rotation, userId } = person;
  return {
    ...(subscriptionExpiresAt === undefined ? {} : { subscriptionExpiresAt }),
    ...(expires === undefined ? {} : { expiresAt: expires }),
    ...(window === undefined ? {} : { renewBefore: window }),
    ...(rotation === undefined ? {} : { rotation }),
    ...(userId === undefined ? {} : { replaceExisting: true }),
  };
}
