/**
 * `orgseat offboard`: revokes tokens immediately, without waiting for the locks of stacks, then removes seats and
 * memberships in a run, which does wait. Later runs ignore the rows of these people.
 */

import { currentUser } from "../../provider/member/held.ts";
import { isPrivileged, UNKNOWN_ROLE } from "../../provider/resources/members/member-list.ts";
import { CodedError } from "../../provider/util/error-codes.ts";
import type { Engine } from "../engine/engine.ts";
import type { Decision } from "../members/plan.ts";
import { membersIn, type StateMember } from "../members/state-members.ts";
import { isIn } from "../plan/guards/guards.ts";
import { type PlanChoice, unitsOf } from "../preview/choice.ts";
import type { LostMember } from "../preview/lost-members.ts";
import { peopleNamed, type ReturningMember, type UnmanagedMember } from "../preview/people-to-remove.ts";
import { previewOf } from "../preview/preview.ts";
import type { FormerMember } from "../preview/resolve-members.ts";
import { diffOf, removePeople } from "../roster/edit/edit.ts";
import { readEmail } from "../roster/field-forms.ts";
import { readRosterText } from "../roster/formats/roster-text.ts";
import { addOffboarded, readOffboarded } from "../roster/offboarded.ts";
import type { Identity } from "../roster/roster.ts";
import type { Applied } from "../run/apply.ts";
import type { MemberResult } from "../run/member-results.ts";
import { auditLinesIn, removedUsers, revokedUsers } from "../service/audit-log.ts";
import { hidesUsers, listedMembers, rolesOf } from "../service/service-members.ts";
import { type Declaration, type Organization, protectionOf } from "../stacks/organization.ts";
import { stateOf, type UnreadState } from "../stacks/stack-state.ts";
import { adoptToRemove } from "./adopt.ts";
import { incompleteError, type Revoked, revoke, revokedIn } from "./revocation.ts";
import { applyWhenUnlocked, type UpOptions, type UpResult } from "./up.ts";

export interface OffboardOptions extends UpOptions {
  /** How long to wait for the locks of stacks, in milliseconds. Default: ten minutes. */
  readonly lockTimeoutMs?: number | undefined;
  /** Whether the people lose their tokens alone. Default: false, even if a deleted row would retain them. */
  readonly keepMember?: boolean | undefined;
  /** Who asks for it, for the offboarded list. */
  readonly by?: string | undefined;
  /** Runs before the first request, with the emails or purposes. If it throws, everything stays as it is. */
  readonly beforeRevoke?: ((who: readonly string[]) => Promise<void>) | undefined;
  /** Gets the number of users whose tokens are revoked, or cannot be revoked, from 0, and of all. */
  readonly onRevoking?: ((settled: number, all: number) => void) | undefined;
  /** Gets the revocations before the run starts. */
  readonly onRevoked?: ((revocations: readonly Revoked[]) => void) | undefined;
}

export interface OffboardResult extends UpResult {
  readonly revoked: readonly Revoked[];
  /** Names that no stack has; the other people were offboarded. */
  readonly unknown: readonly string[];
  /** Of these names, those on the offboarded list whose removal the audit log does not show. */
  readonly unverified: readonly FormerMember[];
  /** Of these names, the members whom no stack has, so that orgseat does not remove them. */
  readonly unmanaged: readonly UnmanagedMember[];
  /** People whom an earlier run removed, so that there was nothing to do. */
  readonly alreadyRemoved: readonly FormerMember[];
  /** People whose state could not be read: their seats and memberships are left to do. */
  readonly left: readonly LeftMember[];
  /** The people whose membership a directory has to end: emails or purposes. */
  readonly leftToDirectory: readonly string[];
  /** The edit of the roster that is left to do, as a diff; empty if the people have no rows. */
  readonly edit: string;
}

/** A person whose state is out of reach. The offboarded list has the person, so the next `up` that can read it continues. */
export interface LeftMember {
  readonly who: string;
  /** Undefined if neither the service nor the roster says it: then the token is not revoked. */
  readonly userId: string | undefined;
  readonly stack: string;
  /** Whether the stack does not exist: otherwise its state cannot be read. */
  readonly isMissing: boolean;
  /** What the person may still have. */
  readonly what: readonly ("token" | "seat" | "membership")[];
}

export async function offboardPeople(
  organization: Organization,
  given: readonly string[],
  options: OffboardOptions,
): Promise<OffboardResult> {
  const named = await peopleNamed(organization, given, options.signal);
  const { people: present, returning, lost, unread, ...names } = named;
  refuseProtected(organization, [...present, ...returning, ...lost]);
  // Those of a directory stay members.
  if (!options.keepMember && organization.roster.membership === undefined)
    await refuseAdministrators(organization, present, [...returning, ...lost], options.signal);
  const everyone = [...present, ...returning, ...lost].map(({ label }) => label);
  if (everyone.length > 0) await options.beforeRevoke?.(everyone);
  await noteLeft(organization, lost, options);
  const taken = await adoptAgain(organization, returning, options);
  const people = [...present, ...taken];
  const revoked = await revoke(organization, people, lost, unread, options.onRevoking);
  if (revoked.length > 0) options.onRevoked?.(revoked);
  const { result, edit } = await removeAccess(organization, { people, lost, unread }, revoked, options).catch(
    (error: unknown) => {
      throw revoked.length === 0 ? error : incompleteError(error, revoked);
    },
  );
  const isRevoked = revoked.every(({ outcome }) => outcome !== "failed");
  // A member who was not there may be there under another user id, with everything, unless an earlier run took it from this one.
  const gone = (result.applied?.results ?? []).filter(({ status: found }) => found === "already-gone");
  const isFound = gone.length === 0 || isTakenBefore(organization, people, gone, options);
  const isWhole = isRevoked && isFound && names.unknown.length === 0 && lost.length === 0;
  const left = lost.map((one) => leftOf(one, organization, revoked, options));
  const leftToDirectory = organization.roster.membership === undefined || options.keepMember ? [] : everyone;
  const status = isWhole ? result.status : "failed";
  return { ...result, ...names, status, revoked, left, leftToDirectory, edit };
}

function leftOf(
  { label: who, userId, isMissing }: LostMember,
  { roster, stack }: Organization,
  revoked: readonly Revoked[],
  { keepMember }: OffboardOptions,
): LeftMember {
  const isRevoked = revoked.some((one) => one.userId === userId && one.outcome !== "failed");
  const token = isRevoked ? [] : (["token"] as const);
  const seat = keepMember ? [] : (["seat"] as const);
  const membership = keepMember || roster.membership !== undefined ? [] : (["membership"] as const);
  return { who, userId, stack, isMissing, what: [...token, ...seat, ...membership] };
}

/** Whether earlier runs took from all of them what this one did not find. */
function isTakenBefore(
  { auditFile }: Organization,
  people: readonly StateMember[],
  gone: readonly MemberResult[],
  { keepMember }: OffboardOptions,
): boolean {
  const taken = (keepMember ? revokedUsers : removedUsers)(auditLinesIn(auditFile));
  return gone.every(({ key }) => people.some((one) => one.key === key && taken.has(one.userId ?? "")));
}

/**
 * Adopts members whom this roster has managed, so that the run removes them like everybody else. They
 * are on the offboarded list before: if the command is interrupted, the next `up` removes them.
 */
async function adoptAgain(
  organization: Organization,
  returning: readonly ReturningMember[],
  options: OffboardOptions,
): Promise<StateMember[]> {
  if (returning.length === 0) return [];
  const left = returning.map(({ key, label, userId }) => ({ key, email: label, userId }));
  await noteLeft(organization, left, options);
  await adoptToRemove(organization, returning, options);
  const ids = new Set(returning.map(({ userId }) => userId));
  const { engine, stack } = organization;
  return membersIn(stack, await stateOf(engine, stack)).filter(({ userId }) => ids.has(userId ?? ""));
}

function noteLeft(
  { offboardedFile, now }: Organization,
  left: readonly Identity[],
  { by, keepMember }: OffboardOptions,
): Promise<void> {
  const leftAt = new Date(now()).toISOString();
  return addOffboarded(
    offboardedFile,
    left.map(({ key, email = "", userId }) => ({
      // The service can list an email that the list cannot hold.
      ...{ key, email: readEmail(email), userId, leftAt, by, keepMember: keepMember || undefined },
    })),
  );
}

interface Leaving {
  readonly people: readonly StateMember[];
  readonly lost: readonly LostMember[];
  readonly unread: readonly UnreadState[];
}

/** Adds the people to the offboarded list, and removes seats and memberships in a run, as far as the state can be read. */
async function removeAccess(
  organization: Organization,
  { people, lost, unread }: Leaving,
  revoked: readonly Revoked[],
  options: OffboardOptions,
): Promise<{ readonly result: UpResult; readonly edit: string }> {
  const { offboardedFile } = organization;
  const keepMember = options.keepMember || undefined;
  await noteLeft(organization, people.map(identityOf), options);
  const keys = new Set(people.map(({ key }) => key));
  const edit = await editWithout(organization, new Set([...people, ...lost].map(({ key }) => key)));
  if (people.length === 0 && lost.length > 0)
    return { edit, result: await nothingRemoved(organization, lost, unread, options) };
  // Whatever user an `up` that still runs gives these people.
  const named = [...keys].map((key) => ({ key, leftAt: "", keepMember }));
  const offboarded = [...(await readOffboarded(offboardedFile)), ...named];
  const choice = choiceOf(people, revoked, options);
  const result = await applyWhenUnlocked({ ...organization, offboarded }, options, choice);
  const ids = new Set(people.map(({ userId }) => userId));
  const others = result.preview.plan.members.flatMap(({ key, steps }) => {
    const user = steps.member && currentUser(steps.member.held);
    return user !== undefined && keys.has(key) && !ids.has(user.id)
      ? [{ key, email: steps.member?.email, userId: user.id }]
      : [];
  });
  await noteLeft(organization, others, options);
  return { edit, result };
}

function identityOf({ key, email, userId }: StateMember): Identity {
  return { key, email, userId };
}

/** The deletion of the rows, as a diff. */
async function editWithout({ file, roster }: Organization, keys: ReadonlySet<string>): Promise<string> {
  const listed = roster.people.filter(({ key }) => keys.has(key)).map(({ key }) => key);
  if (listed.length === 0) return "";
  const before = await readRosterText(file, roster.file);
  return diffOf(before, removePeople(before, listed));
}

/** The result without a run: the state that has the people cannot be read, or does not exist. */
async function nothingRemoved(
  organization: Organization,
  lost: readonly LostMember[],
  unread: readonly UnreadState[],
  { signal }: OffboardOptions,
): Promise<UpResult> {
  const state = async () => undefined;
  const empty = { ...organization, engine: withoutState(organization.engine), state };
  const preview = await previewOf(empty, { signal }, { ...OF_NAMED, part: () => undefined });
  const applied = nothingApplied(unread, lost);
  return { status: "failed", preview, applied };
}

/** The same engine, whose stack has no one. */
function withoutState(engine: Engine): Engine {
  const nothing = async () => undefined;
  return Object.assign(Object.create(engine), { exportStack: nothing, exportWithSecrets: nothing });
}

function nothingApplied(unread: readonly UnreadState[], lost: readonly LostMember[]): Applied | undefined {
  const [first] = unread;
  if (first === undefined) return undefined;
  return {
    failure: { ...first, people: lost.map(({ label }) => label) },
    ...{ results: [], warnings: [], cancelled: false, locked: false, swapped: false, isMarked: false },
  };
}

function refuseProtected(
  declaration: Declaration,
  people: readonly (Pick<StateMember, "key" | "label"> & Partial<Pick<StateMember, "held">>)[],
): void {
  const protection = protectionOf(declaration);
  const hit = people.filter(
    ({ key, label, held }) => held?.agreed.protected || isIn(protection, { key, names: [key, label] }),
  );
  if (hit.length === 0) return;
  const who = hit.map(({ label }) => label).join(", ");
  throw new CodedError(
    "protected-person",
    `cannot offboard ${who}: protected. No changes were made. Remove the protection in ${declaration.roster.file} first`,
  );
}

/** Whom the run would not remove afterwards: they lose nothing. */
async function refuseAdministrators(
  organization: Organization,
  people: readonly StateMember[],
  returning: readonly Pick<ReturningMember, "label" | "role">[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const removed = people.filter(({ held }) => held.users.length > 0);
  const ids = new Set(removed.flatMap(({ userId }) => userId ?? []));
  // A failed list does not keep a token valid. The run reads the roles again before it removes anything.
  const members =
    ids.size === 0 ? undefined : await listedMembers(organization, ids, signal).catch(() => undefined);
  const roles = members && rolesOf(members);
  // An item that cannot be read may be this user.
  const hidden = hidesUsers(members) ? UNKNOWN_ROLE : undefined;
  const known = removed.map(({ label, userId }) => ({ label, role: roles?.get(userId ?? "") ?? hidden }));
  const who = [...known, ...returning].flatMap(({ label, role }) =>
    isPrivileged(role) ? [`${label} (${role})`] : [],
  );
  if (who.length === 0) return;
  throw new CodedError(
    "administrator-removal",
    `cannot offboard ${who.join(", ")}: orgseat does not remove administrators or billing managers. No changes were made. Change the role in the service first, or pass --keep-member to revoke the tokens alone`,
  );
}

/** The people were named, and their tokens are revoked: it does not matter to which roster the stack belongs. */
const OF_NAMED = { rowsDecide: false, ownership: false, namedOneByOne: true } as const;

/** The named members leave, with what was revoked already. */
function choiceOf(
  people: readonly StateMember[],
  revoked: readonly Revoked[],
  { keepMember }: OffboardOptions,
): PlanChoice {
  const refs = new Set(people.map(({ held }) => held.ref));
  const ids = new Set(revoked.flatMap(({ outcome, userId }) => (outcome === "failed" ? [] : [userId])));
  const decisions = people.map(({ held }): [string, Decision] => [
    held.ref,
    { removal: keepMember ? "retain" : "delete", revoked: revokedIn(held.users, ids) },
  ]);
  return {
    ...OF_NAMED,
    decisions: new Map(decisions),
    part: (member) => (refs.has(member.ref) ? unitsOf(member, () => true) : undefined),
  };
}
