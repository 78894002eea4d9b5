/** What is left of an approved plan after a run: the steps of the member's new list that the plan has. Pure. */
import { isDeepStrictEqual } from "node:util";
import { type StepLine, unitKey } from "../../provider/member/approved.ts";
import { type Held, nothingHeld, type Pending } from "../../provider/member/held.ts";
import { isObserved, observe, unread } from "../../provider/member/observe.ts";
import { NEW_USER, type Step, takesFirst, type Unit } from "../../provider/member/step.ts";
import { withoutAbsent } from "../../provider/member/steps/settings.ts";
import { observation, stepsOf } from "../../provider/member/steps/steps-of.ts";
import type { Can } from "../../provider/member/wanted.ts";
import { formatInstant } from "../../provider/util/instants.ts";
import { type MemberPlan, wantedIn } from "../members/plan.ts";

/** The place of a step in a plan. */
export interface StepPlace {
  readonly ref: string;
  readonly unit: string;
  readonly index: number;
}

export function placeKey({ ref, unit, index }: StepPlace): string {
  return `${ref} ${unit} ${index}`;
}

/** What one member has left. */
export interface Remaining {
  readonly plan: MemberPlan;
  /** Of each step, the one of the approved plan. */
  readonly origins: ReadonlyMap<string, StepPlace>;
}

interface Situation {
  /** As the state has it now; undefined if the state has no such member. */
  readonly held: Held | undefined;
  /** The answers so far. */
  readonly lines: readonly StepLine[];
  readonly now: number;
  readonly can: Can;
  /** Whether the service refuses to give what a unit takes before. */
  readonly isStopped: boolean;
}

/** Undefined if nothing is left. @param approved the member's part of the approved plan */
export function remainingOf(
  approved: MemberPlan,
  { held = nothingHeld(approved.ref, approved.key), lines, now, can, isStopped }: Situation,
): Remaining | undefined {
  const { ref } = approved;
  const observed = unread(held);
  const plan = stepsOf(observed, wantedIn(approved), now, can);
  const open = openSteps(approved, lines);
  const origins = new Map<string, StepPlace>();
  const isAdded = open.some(({ step }) => step.call === "add user");
  const units = plan.units.filter((unit) => {
    if (isStopped && takesFirst(unit)) return false;
    // Nothing follows a creation that is not sent again.
    if (!isAdded && unit.steps.some(({ user }) => user === NEW_USER)) return false;
    const places = unit.steps.map((step) => open.find((one) => isSameStep(one.step, step))?.place);
    if (places.some((place) => place === undefined)) return false;
    const key = unitKey(unit);
    for (const [index, place] of places.entries())
      if (place !== undefined) origins.set(placeKey({ ref, unit: key, index }), place);
    return true;
  });
  if (units.length === 0) return undefined;
  return { plan: { ...approved, observed, plan: { ...plan, units } }, origins };
}

/** The calls that the member needs now, approved or not. @param held undefined if the state has no such member */
export function neededCalls(
  member: MemberPlan,
  held: Held | undefined,
  { now, can }: Pick<Situation, "now" | "can">,
): ReadonlySet<string> {
  if (member.inputs === undefined && held === undefined) return new Set();
  const observed = unread(held ?? nothingHeld(member.ref, member.key));
  const { units } = stepsOf(observed, wantedIn(member), now, can);
  return new Set(units.flatMap(({ steps }) => steps.flatMap(({ call }) => call ?? [])));
}

/** Whether the plan has a call of which no answer came. */
export function hasUnsent({ ref, plan }: MemberPlan, lines: readonly StepLine[]): boolean {
  return plan.units.some((unit) =>
    unit.steps.some(
      ({ call }, index) =>
        call !== undefined &&
        !lines.some((line) => line.ref === ref && line.unit === unitKey(unit) && line.index === index),
    ),
  );
}

/**
 * A creation whose request was sent, and that has no answer at all, because the provider is gone. The service refuses a second
 * user of an email, but not of other names: without a list, only these need a decision.
 */
export function openCreation(
  { ref, plan }: MemberPlan,
  lines: readonly StepLine[],
  { canListUsers }: Can,
): Pending | undefined {
  for (const unit of plan.units) {
    const key = unitKey(unit);
    const index = unit.steps.findIndex(({ call }) => call === "add user");
    const last = lines.findLast((line) => line.ref === ref && line.unit === key && line.index === index);
    const { address, purpose, lastName } = unit.steps[index]?.target ?? {};
    if (last?.phase !== "sent" || (purpose === undefined && !canListUsers)) continue;
    return { since: formatInstant(last.at), ...withoutAbsent({ address, purpose, lastName }) };
  }
  return undefined;
}

/** What puts the creation into the state, without a call; undefined if the state shows it. @param held of a member of the state */
export function withCreation(
  member: MemberPlan,
  pending: Pending,
  held: Held | undefined,
): MemberPlan | undefined {
  if (held === undefined)
    return { ...member, decision: { ...member.decision, pending }, plan: { ...member.plan, units: [] } };
  const observed = observe(held, { pending });
  if (!isObserved(observed)) return undefined;
  return { ...member, observed, plan: { ...member.plan, units: observation(observed).units ?? [] } };
}

/**
 * The approved steps without a final answer. A refusal that a later run can change is none. A lost creation is one: only the next
 * command finds out.
 */
function openSteps({ ref, plan }: MemberPlan, lines: readonly StepLine[]) {
  return plan.units.flatMap((unit: Unit) => {
    const key = unitKey(unit);
    return unit.steps.flatMap((step, index) => {
      const mine = lines.filter((line) => line.ref === ref && line.unit === key && line.index === index);
      const isFinal = mine.some(
        ({ outcome, isForGood }) =>
          outcome === "ok" ||
          outcome === "gone" ||
          (step.call === "add user" && (outcome === "lost" || outcome === "late")) ||
          ((outcome === "conflict" || isForGood === true) && !(outcome === "conflict" && isFirstToken(step))),
      );
      return isFinal ? [] : [{ step, place: { ref, unit: key, index } }];
    });
  });
}

/** Nobody else can have issued a token of a user whom this command adds: "already has one" can pass. */
export function isFirstToken({ call, user }: Step): boolean {
  return call === "issue token" && user === NEW_USER;
}

function isSameStep(approved: Step, own: Step): boolean {
  if (approved.call !== own.call) return false;
  if (own.call === undefined) return approved.effect?.do === own.effect?.do;
  const isSameUser = approved.user === own.user || approved.user === NEW_USER;
  return isSameUser && isDeepStrictEqual(requestOf(approved), requestOf(own));
}

/** What the service is asked for, without what the state notes of it. */
function requestOf({ call, token, target = {} }: Step) {
  const { address, purpose, lastName, request, isPeriod, mark, recipients, keepValue } = target;
  const asked = { address, purpose, lastName, request, isPeriod, mark, recipients, keepValue };
  return { asked, ...(call === "renew token" && { token }) };
}
