/**
 * `orgseat rotate` and `orgseat renew`. A user has one token, so a rotation ends the old value.
 * Its mark is in the roster, so that the next `up` finishes a run that ended early.
 */

import { CodedError } from "../../provider/util/error-codes.ts";
import { formatInstant, instantMs, parseInstant } from "../../provider/util/instants.ts";
import { shortList } from "../../provider/util/text.ts";
import { describeEnded, type EndedAccess, endedAccessIn, isEnding } from "../plan/access-ends.ts";
import type { Member } from "../plan/members.ts";
import { actionsOf } from "../plan/steps/actions-of-step.ts";
import { ruleChangesOf } from "../plan/steps/rules.ts";
import { isRotatedByRule } from "../plan/steps/scheduled.ts";
import { type Step, textIn } from "../plan/steps/steps.ts";
import { resolveMembers } from "../preview/resolve-members.ts";
import { diffOf, setField } from "../roster/edit/edit.ts";
import { readRosterText, rewriteRoster } from "../roster/formats/roster-text.ts";
import { rosterIn } from "../roster/read.ts";
import {
  hasAccessEnded,
  labelOf,
  type Roster,
  type RosterPerson,
  withoutOffboarded,
} from "../roster/roster.ts";
import {
  type Declaration,
  declaredPeople,
  type Files,
  type Organization,
  withoutDelivery,
} from "../stacks/organization.ts";
import { type RotationMarks, rotationMarksOf } from "../stacks/rotation.ts";
import {
  entriesOf,
  isLive,
  isToken,
  keyOf,
  managedMembers,
  membersIn,
  type State,
  statesOf,
} from "../stacks/stack-state.ts";
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
  const { roster, file, now } = organization;
  const found = await statesOf(organization);
  const states = [...found.values()];
  const selected = selectedPeople(organization, who, membersIn(found));
  const keys = selected.map(({ key }) => key);
  const isNamed = typeof who !== "string";
  if (isNamed) requireTokens(selected, states);
  const mark = nextRotation(rotationMarksOf(states), keys, now());
  const before = await readRosterText(file, roster.file);
  const after = setField(before, keys, "rotation", mark);
  const marked = { ...organization, roster: rosterIn(after) };
  const meant = new Set(keys);
  let edit = "";
  const result = await applyTo(
    marked,
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
      // The token of a replaced or new user waits for `up`, which also makes the user and the seat. Another module gets
      // the tokens, so the plan shows it.
      part: ({ type, action, member, id, news }) =>
        type === "Roster" ||
        (meant.has(member) &&
          (type === "Delivered" || (type === "UserToken" && action === "replace" && news?.userId === id))),
    },
  );
  return isNamed ? { ...withWaiting(result, selected), edit } : { ...result, edit };
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
function nextRotation(marks: RotationMarks, keys: readonly string[], now: number): string {
  const last = keys.flatMap((key) => parseInstant(marks.get(key) ?? "") ?? []).map(instantMs);
  return formatInstant(Math.max(now, ...last.map((at) => at + 1000)));
}

function selectedPeople(
  organization: Declaration & Files,
  who: RotationScope,
  managed: readonly Member[],
): RosterPerson[] {
  const { roster, openedAt } = organization;
  const withToken = declaredPeople(organization).filter(({ token }) => token);
  if (who === "all") return withToken;
  if (who === "machineUsers") return machineUsersIn(withToken, roster);
  const ids = new Map(managed.map(({ key, userId }) => [key, userId]));
  const people = roster.people.map((person) => ({
    ...{ person, key: person.key, label: labelOf(person), userId: ids.get(person.key) },
  }));
  const named = resolveMembers(who, people, roster.file).map(({ person }) => person);
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
  { roster, offboarded, offboardedFile }: Declaration & Files,
  named: readonly RosterPerson[],
): void {
  const staying = new Set(withoutOffboarded(roster.people, offboarded));
  const leaving = named.filter((person) => !staying.has(person));
  if (leaving.length === 0) return;
  const sentences = leaving.map(
    (person) => `cannot rotate ${labelOf(person)}: on the offboarded list ${offboardedFile}`,
  );
  throw new CodedError("no-token", sentences.join("\n"));
}

/** @throws for people without a token in any state: there is nothing to rotate */
function requireTokens(selected: readonly RosterPerson[], states: readonly State[]): void {
  const withToken = new Set(
    states.flatMap(entriesOf).flatMap((entry) => (isToken(entry) && isLive(entry) ? keyOf(entry) : [])),
  );
  const without = selected.filter(({ key }) => !withToken.has(key));
  if (without.length === 0) return;
  const sentences = without.map(
    (person) =>
      `cannot rotate ${labelOf(person)}: no stack has a token of this person. Run \`orgseat up\` first, which issues it`,
  );
  throw new CodedError("no-token", sentences.join("\n"));
}

/**
 * Renews the tokens that are due, and removes the people whose access has ended. It runs unattended, so an edited rule
 * waits for `up`.
 */
export async function renewTokens(organization: Organization, options: UpOptions): Promise<UpResult> {
  const ended = await shownEnds(organization);
  return applyTo(withoutDelivery(organization), options, {
    rowsDecide: false,
    part: (step, now) =>
      isEnding(step, ended) ||
      (ruleChangesOf(step).length === 0 &&
        actionsOf(isRotatedByRule(step) ? asRenewal(step) : step, now).includes("renewToken")),
    // A token that is due for both is renewed now: its rotation waits for the next `up`.
    narrow: (step) => (isRotatedByRule(step) ? asRenewal(step) : step),
  });
}

/** The ended access of people of whom the state has an end that has passed: an applied plan has shown it. */
async function shownEnds(organization: Organization): Promise<EndedAccess> {
  const { roster, openedAt } = organization;
  const ended = endedAccessIn(roster.people, openedAt);
  if (ended.size === 0) return ended;
  const members = await managedMembers(organization);
  const shown = members.filter(({ user }) =>
    hasAccessEnded({ accessUntil: textIn(user?.outputs, "accessEnd") }, openedAt),
  );
  const keys = new Set(shown.map(({ key }) => key));
  return new Map([...ended].filter(([key]) => keys.has(key)));
}

function asRenewal(step: Step): Step {
  return { ...step, action: "update", deleteFirst: false, causes: undefined };
}
