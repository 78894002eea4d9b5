/**
 * `orgseat rotate` and `orgseat renew`. A user has one token, so a rotation ends the old value.
 * Its mark is in the roster, so that the next `up` finishes a run that ended early.
 */

import { capabilitiesOf } from "../../provider/config/settings.ts";
import { hasToken } from "../../provider/member/held.ts";
import type { Plan, Step, Unit } from "../../provider/member/step.ts";
import type { Can } from "../../provider/member/wanted.ts";
import { CodedError } from "../../provider/util/error-codes.ts";
import { formatInstant, instantMs, parseInstant } from "../../provider/util/instants.ts";
import { shortList } from "../../provider/util/text.ts";
import { decided, type MemberPlan } from "../members/plan.ts";
import { markOf } from "../members/rows.ts";
import { membersIn, type StateMember } from "../members/state-members.ts";
import { unitsOf } from "../preview/choice.ts";
import { resolveMembers } from "../preview/resolve-members.ts";
import { diffOf, setField } from "../roster/edit/edit.ts";
import { readRosterText, rewriteRoster } from "../roster/formats/roster-text.ts";
import { rosterIn } from "../roster/read.ts";
import {
  among,
  describeEnded,
  hasAccessEnded,
  labelOf,
  type Roster,
  type RosterPerson,
} from "../roster/roster.ts";
import { type Declaration, declaredPeople, type Files, type Organization } from "../stacks/organization.ts";
import { stateOf } from "../stacks/stack-state.ts";
import { applyTo, type UpOptions, type UpResult } from "./up.ts";

/** Emails or keys; or all machine users; or all people with a token. */
export type RotationScope = readonly string[] | "machineUsers" | "all";

export interface RotateResult extends UpResult {
  /** The edit of the roster as a diff; empty if nothing was applied. */
  readonly edit: string;
}

export async function rotateTokens(
  organization: Organization,
  who: RotationScope,
  options: UpOptions,
): Promise<RotateResult> {
  const { roster, file, now, engine, stack } = organization;
  const members = membersIn(stack, await stateOf(engine, stack));
  const selected = selectedPeople(organization, who, members);
  const keys = selected.map(({ key }) => key);
  const isNamed = typeof who !== "string";
  if (isNamed) requireTokens(selected, members);
  const mark = nextRotation(members, keys, now());
  const before = await readRosterText(file, roster.file);
  const after = setField(before, keys, "rotation", mark);
  const meant = new Set(keys);
  let edit = "";
  const result = await applyTo(
    { ...organization, roster: rosterIn(after) },
    {
      ...options,
      onApply: async (preview) => {
        await rewriteRoster(file, before, after);
        edit = diffOf(before, after);
        await options.onApply?.(preview);
      },
    },
    {
      namedOneByOne: isNamed,
      // The token of a new or changed user waits for `up`, which also makes the user and the seat.
      part: (member) => (meant.has(member.key) ? unitsOf(member, isRotation) : undefined),
    },
  );
  return isNamed ? { ...withWaiting(result, selected), edit } : { ...result, edit };
}

/** A new token in place of one that the same user has. */
function isRotation({ steps, isOfChange }: Unit): boolean {
  const calls = steps.map(({ call }) => call);
  const isOfTokens = calls.every((call) => call === "issue token" || call === "revoke token");
  return isOfChange !== true && isOfTokens && calls.includes("issue token") && !steps.some(isFirst);
}

function isFirst({ cause }: Step): boolean {
  return cause === "new" || cause === "missing";
}

/**
 * The tokens of named people may have leaked: a run that leaves one is no success.
 * @throws if it leaves all of them
 */
function withWaiting(result: UpResult, selected: readonly RosterPerson[]): UpResult {
  const { status, applied } = result;
  const rotated = new Set(applied?.results.map(({ key }) => key));
  const waiting = selected.filter(({ key }) => !rotated.has(key));
  if (status !== "succeeded" || waiting.length === 0) return result;
  const text = `cannot rotate ${shortList(waiting.map(labelOf))}: another change comes first. \`orgseat preview\` shows it`;
  if (applied === undefined) throw new CodedError("not-approved", text);
  const warnings = [...applied.warnings, { text, people: [] }];
  return { ...result, status: "failed", applied: { ...applied, warnings } };
}

/** The current time, but later than the last marks: the clock of another machine may have been ahead. */
function nextRotation(members: readonly StateMember[], keys: readonly string[], now: number): string {
  const meant = new Set(keys);
  const marks = members.flatMap(({ key, held }) => (meant.has(key) ? (markOf(held) ?? []) : []));
  const last = marks.flatMap((mark) => parseInstant(mark) ?? []).map(instantMs);
  return formatInstant(Math.max(now, ...last.map((at) => at + 1000)));
}

function selectedPeople(
  organization: Declaration & Files,
  who: RotationScope,
  managed: readonly StateMember[],
): RosterPerson[] {
  const { roster, openedAt } = organization;
  const withToken = declaredPeople(organization).filter(({ token }) => token);
  const ids = new Map(managed.map(({ key, userId }) => [key, userId]));
  // Whoever is still to join has no token that could have leaked.
  const joined = withToken.filter(({ key }) => ids.has(key));
  if (who === "all") return joined;
  if (who === "machineUsers") return machineUsersIn(joined, roster);
  const people = roster.people.map((person) => ({
    ...{ ...person, person, label: labelOf(person), userId: ids.get(person.key) },
  }));
  // The value that the person uses now ends.
  const resolved = resolveMembers(who, people, roster.file, { takesAway: true });
  const named = resolved.map(({ person }) => person);
  refuseOffboarded(organization, named);
  const ended = named.filter((person) => hasAccessEnded(person, openedAt));
  if (ended.length > 0) throw new CodedError("unknown-person", ended.map(describeEndedPerson).join("\n"));
  const without = named.filter(({ token }) => !token);
  if (without.length === 0) return named;
  const names = without.map(labelOf).join(", ");
  throw new CodedError(
    "no-token",
    `cannot rotate ${names}: no managed token. Set \`token\` to yes in ${roster.file}`,
  );
}

/** None is an error: after a leak, "no changes" would be a false all-clear. */
function machineUsersIn(people: readonly RosterPerson[], { file }: Roster): RosterPerson[] {
  const found = people.filter(({ purpose }) => purpose !== undefined);
  if (found.length > 0) return found;
  throw new CodedError(
    "no-token",
    `cannot rotate machine users: ${file} has no row with a purpose and a token. Adopted machine users have emails: name them, or pass --all`,
  );
}

function describeEndedPerson(person: RosterPerson): string {
  const reason = describeEnded(person.accessUntil ?? "");
  return `cannot rotate ${labelOf(person)}: ${reason}. The next \`orgseat up\` or \`orgseat renew\` removes the person`;
}

/** @throws for people whom the next run removes */
function refuseOffboarded(
  { offboarded, offboardedFile }: Declaration & Files,
  named: readonly RosterPerson[],
): void {
  const sentences = named
    .filter(among(offboarded))
    .map((person) => `cannot rotate ${labelOf(person)}: on the offboarded list ${offboardedFile}`);
  if (sentences.length > 0) throw new CodedError("no-token", sentences.join("\n"));
}

/** @throws for people without a token in the state: there is nothing to rotate */
function requireTokens(selected: readonly RosterPerson[], members: readonly StateMember[]): void {
  const withToken = new Set(
    members.flatMap(({ key, held: { users } }) => (users.slice(0, 1).some(hasToken) ? [key] : [])),
  );
  const without = selected.filter(({ key }) => !withToken.has(key));
  if (without.length === 0) return;
  const sentences = without.map(
    (person) =>
      `cannot rotate ${labelOf(person)}: the state has no token of this person. Run \`orgseat up\` first, which issues it`,
  );
  throw new CodedError("no-token", sentences.join("\n"));
}

/**
 * Renews the tokens that are due, and removes the people whose access has ended. It runs unattended, so an edited rule
 * waits for `up`.
 */
export function renewTokens(organization: Organization, options: UpOptions): Promise<UpResult> {
  const { settings, openedAt } = organization;
  const can = capabilitiesOf(settings);
  return applyTo(organization, options, {
    rowsDecide: false,
    instead: (member) => withoutRotation(member, openedAt, can),
    part: (member) =>
      unitsOf(member, (unit) => isRenewal(unit) || isShownEnd(unit, member, openedAt)) ??
      protectedEnd(member, openedAt),
  });
}

/** A token that is due for both is renewed, and rotated by the next `up`. */
function withoutRotation(member: MemberPlan, now: number, can: Can): MemberPlan {
  const isDue = member.plan.units.some(({ steps }) => steps.some(isByRule));
  return isDue ? decided(member, { rotates: false }, now, can) : member;
}

function isByRule({ call, cause }: Step): boolean {
  return call === "issue token" && (cause === "schedule" || cause === "newSchedule");
}

function isRenewal({ steps }: Unit): boolean {
  return steps.every(({ call }) => call === "renew token");
}

/** A guard says that a protected member's access has ended. */
function protectedEnd({ plan, observed, row }: MemberPlan, now: number): Plan | undefined {
  const { accessUntil } = observed.stored.agreed;
  const refused = plan.refused.filter(({ reason }) => reason === "protected");
  if (refused.length === 0 || row === undefined || !hasAccessEnded({ accessUntil }, now)) return undefined;
  return { ...plan, units: [], waits: [], refused };
}

/** Of an ended access that the state has: an applied plan has shown it. */
function isShownEnd({ steps }: Unit, { observed, row }: MemberPlan, now: number): boolean {
  const isEnding = steps.every(({ cause }) => cause === "accessEnded");
  const { accessUntil } = observed.stored.agreed;
  return isEnding && row !== undefined && hasAccessEnded({ accessUntil }, now);
}
