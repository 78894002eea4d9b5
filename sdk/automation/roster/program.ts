/** The Pulumi program of a roster: one OrgMember per person, named by the key. */
import { ComponentResource, RunError, runtime } from "@pulumi/pulumi";
import { mapConcurrently } from "../../../provider/util/lists.ts";
import { memberParts, OrgMember, type OrgMemberArgs } from "../../org-member.ts";
import type { TokenOptions } from "../../user-token.ts";
import { type Deliver, deliverTo, MemberResources, requireParent, type Undelivered } from "./deliver.ts";
import {
  type Identity,
  MARKER_TYPE,
  type Roster,
  type RosterFacts,
  type RosterPerson,
  withAccess,
} from "./roster.ts";

/** More would only wait in memory: an unregistered resource takes 70 KB, and the engine works on fewer at once. */
const MEMBERS_AT_ONCE = 25;

export interface RosterProgramOptions {
  /** People to omit, even if the roster has them. Default: none. */
  readonly leavers?: readonly Identity[] | undefined;
  /** Is called for each member. Required if the roster names a module in `deliver`. Default: none. */
  readonly deliver?: Deliver | undefined;
  /**
   * Gets the members for whom `deliver` failed, after all members are registered. The program then ends well, and Pulumi
   * deletes what an earlier run delivered to them. Default: the program fails, and Pulumi deletes nothing.
   */
  readonly onUndelivered?: ((undelivered: readonly Undelivered[]) => void) | undefined;
  /** When to judge who has access, in milliseconds since 1970. Default: now. */
  readonly now?: number | undefined;
  /** What the state keeps of the roster. Default: nothing. */
  readonly facts?: RosterFacts | undefined;
}

/**
 * The program of a roster, for the Automation API or your own program. Team and order are in no resource, so a change of
 * them writes nothing. `protected` is Pulumi's `protect`. The id of the roster becomes a component of the stack.
 */
export function rosterProgram(roster: Roster, options: RosterProgramOptions = {}): () => Promise<void> {
  const { deliver } = options;
  return async () => {
    if (roster.deliver !== undefined && deliver === undefined) {
      throw new RunError(`${roster.file} names ${roster.deliver}. Pass its function as the option deliver`);
    }
    if (deliver) runtime.registerStackTransformation(requireParent);
    // In the state before the first member, so that even a killed run has marked its stack.
    if (roster.id !== undefined) await new Marker(roster.id, options.facts).isRegistered;
    const members = rosterMembers(roster, options);
    const failed = await mapConcurrently(members, MEMBERS_AT_ONCE, async ({ person, key, args, options }) => {
      const resources = new MemberResources();
      const member = new OrgMember(key, args, { ...options, ...resources.options });
      const text = deliver && (await deliverTo(person, member, deliver));
      await resources.registered();
      return text === undefined ? [] : [{ member: key, text }];
    });
    endWith(failed.flat(), options);
  };
}

function endWith(undelivered: readonly Undelivered[], { onUndelivered }: RosterProgramOptions): void {
  if (undelivered.length === 0) return;
  if (onUndelivered === undefined) throw new RunError(undelivered.map(({ text }) => text).join("\n"));
  onUndelivered(undelivered);
}

class Marker extends ComponentResource {
  /** Resolves when the state has it. */
  readonly isRegistered: Promise<void>;

  constructor(rosterId: string, facts: RosterFacts = {}) {
    super(MARKER_TYPE, rosterId, { ...facts });
    this.isRegistered = new Promise((resolve) => void this.urn.apply(() => resolve()));
    this.registerOutputs();
  }
}

/** The members of that program: the name of each OrgMember, its inputs and its options. */
export function rosterMembers(roster: Roster, { leavers = [], now = Date.now() }: RosterProgramOptions = {}) {
  return withAccess(roster.people, leavers, now).map((person) => ({
    person,
    key: person.key,
    args: memberArgs(person, roster),
    // The state keeps it, so a deleted row keeps its protection.
    options: person.protected ? { protect: true } : {},
  }));
}

/** The same members, each as its resources: names and inputs, without the user id in seat and token. */
export function rosterParts(roster: Roster, options: RosterProgramOptions = {}) {
  return rosterMembers(roster, options).map(({ person, key, args }) => ({
    person,
    key,
    parts: memberParts(key, args),
  }));
}

function memberArgs(
  person: RosterPerson,
  { organizationId, removal, subscriptionExpiresAt }: Roster,
): OrgMemberArgs<undefined> {
  const { userId, seat, token, accessUntil } = person;
  const onDelete = onDeleteOf(removal, userId !== undefined);
  const who = {
    ...nameOf(person),
    organizationId,
    ...(userId === undefined ? {} : { adopt: userId }),
    ...onDelete,
    ...(accessUntil === undefined ? {} : { accessEnd: accessUntil }),
  };
  if (!seat) return { ...who, seat: false };
  const held = { ...(userId === undefined ? {} : { adopt: true }), ...onDelete, ...emailOf(person) };
  return {
    ...who,
    seat: Object.keys(held).length === 0 ? true : held,
    ...(token ? { token: tokenOf(person, subscriptionExpiresAt) } : {}),
  };
}

/** Empty for the default: a created membership is removed, an adopted one stays. */
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
  const { expires, window, toleranceMonths, rotation, rotateEvery, recipient, keepToken } = person;
  return {
    ...(subscriptionExpiresAt === undefined ? {} : { subscriptionExpiresAt }),
    ...(expires === undefined ? {} : { expiresAt: expires }),
    ...(window === undefined ? {} : { renewBefore: window }),
    ...(rotation === undefined ? {} : { rotation }),
    ...(rotateEvery === undefined ? {} : { rotateEvery }),
    ...(recipient === undefined ? {} : { recipient: [...recipient] }),
    ...(keepToken === undefined ? {} : { keepToken }),
    ...(toleranceMonths === undefined ? {} : { expirationToleranceMonths: toleranceMonths }),
    ...emailOf(person),
    ...existingTokenOf(person),
  };
}

function emailOf({ sendEmail }: RosterPerson): { sendEmail?: boolean } {
  return sendEmail === undefined ? {} : { sendEmail };
}

/** Of a person who was a member before: the token is adopted, or revoked for a new one. */
function existingTokenOf({ userId, adoptToken }: RosterPerson): TokenOptions {
  if (userId === undefined) return {};
  return adoptToken ? { adopt: true } : { replaceExisting: true };
}
