/** In which runs of Pulumi the members of a plan go, at most three, and what the provider gets in each. Pure. */
import { type StepLine, unitKey } from "../../provider/member/approved.ts";
import { type Step, takesFirst } from "../../provider/member/step.ts";
import type { Can } from "../../provider/member/wanted.ts";
import type { ReportEntry } from "../../provider/runtime/run-report.ts";
import type { ApprovedPlan } from "../../provider/safety/approved-plan.ts";
import type { MemberPlan } from "../members/plan.ts";
import type { StateMember } from "../members/state-members.ts";
import { isFirstToken, placeKey } from "./remaining.ts";

/** Whoever lacks a token or seat after a refusal. */
export function isRepair({ plan }: MemberPlan): boolean {
  return plan.units.some(({ steps }) =>
    steps.some(({ cause, call }) => call !== undefined && cause === "missing"),
  );
}

/** Whether a seat or an address becomes free, or the member leaves. */
export function isFreeing({ plan, row }: MemberPlan): boolean {
  return row === undefined || plan.units.some(({ steps }) => steps.some(({ seats }) => seats < 0));
}

/**
 * The first run: those who lack something, then those who free seats and addresses. Undefined if the order does not matter.
 * @param isShort whether the seats may not suffice for all at once
 */
export function firstPass(members: readonly MemberPlan[], isShort: boolean): MemberPlan[] | undefined {
  const repairs = members.filter(isRepair);
  const freeing = members.filter((member) => !isRepair(member) && isFreeing(member));
  const isTaking = (member: MemberPlan) => !isRepair(member) && member.plan.units.some(takesFirst);
  const isNeeded = isShort || (repairs.length > 0 && (freeing.length > 0 || members.some(isTaking)));
  if (!isNeeded || repairs.length + freeing.length === members.length) return undefined;
  const names = repairs.map(({ name }) => name);
  return [...repairs, ...freeing.map((member) => ({ ...member, after: [...member.after, ...names] }))];
}

/** Whether something failed that can pass, while something else succeeded. @param methods the last one of each member */
export function mayPass(
  members: readonly MemberPlan[],
  lines: readonly StepLine[],
  methods: readonly ReportEntry[],
): boolean {
  const failed = methods.filter(({ result }) => result === "failed");
  const seats = new Set(members.flatMap((one) => placesOf(one, ({ call }) => call === "assign seat")));
  const tokens = new Set(members.flatMap((one) => placesOf(one, isFirstToken)));
  // A repeated "assign seat" confirms the seat, and uses no second one.
  const canPass = (line: StepLine) =>
    line.isForGood === false ||
    (line.outcome === "lost" && seats.has(placeKey(line))) ||
    (line.outcome === "conflict" && tokens.has(placeKey(line)));
  const isPassing = failed.some(({ ref }) => lines.some((line) => line.ref === ref && canPass(line)));
  return failed.length < members.length && isPassing;
}

/** The places of such steps. */
function placesOf({ ref, plan }: MemberPlan, isWanted: (step: Step) => boolean): string[] {
  return plan.units.flatMap((unit) =>
    unit.steps.flatMap((step, index) =>
      isWanted(step) ? [placeKey({ ref, unit: unitKey(unit), index })] : [],
    ),
  );
}

/** Without the units that take something first: the service refuses what they give after it. */
export function withoutExchanges(member: MemberPlan): MemberPlan[] {
  const units = member.plan.units.filter((unit) => !takesFirst(unit));
  return units.length === 0 ? [] : [{ ...member, plan: { ...member.plan, units } }];
}

/** So many added members are more than the state can be written for at each of them. */
const MOST_WITH_CHECKPOINTS = 500;
const MEMBERS_A_RUN = 1000;

/** The parts of a pass: one run each. A bulk of new members goes in several, so that a killed run costs one of them. */
export function partsOf(members: readonly MemberPlan[], can: Can): (readonly MemberPlan[])[] {
  if (!isBulk(members, can)) return [members];
  const parts: MemberPlan[][] = [];
  for (let start = 0; start < members.length; start += MEMBERS_A_RUN)
    parts.push(members.slice(start, start + MEMBERS_A_RUN));
  return parts;
}

function isBulk(members: readonly MemberPlan[], can: Can): boolean {
  return (
    can.canListUsers && callsIn(members).filter((call) => call === "add user").length > MOST_WITH_CHECKPOINTS
  );
}

function callsIn(members: readonly MemberPlan[]): string[] {
  return members.flatMap(({ plan }) =>
    plan.units.flatMap(({ steps }) => steps.flatMap(({ call }) => (call === undefined ? [] : [call]))),
  );
}

/** Calls that the next run repeats without a second effect, if the state does not know of them; with lists, these also. */
const repeatable: ReadonlySet<string> = new Set(["renew token"]);
const repeatableWithLists: ReadonlySet<string> = new Set(["revoke token", "remove seat", "remove user"]);

/**
 * Whether Pulumi writes the state once, at the end: a killed run has then changed the service, but not the state. Lists settle
 * what a bulk of creations left.
 */
export function isWrittenOnce(members: readonly MemberPlan[], can: Can): boolean {
  if (isBulk(members, can)) return true;
  return callsIn(members).every(
    (call) => repeatable.has(call) || (can.canListTokens && repeatableWithLists.has(call)),
  );
}

interface RunFacts {
  readonly organizationId: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** All members of the state. */
  readonly state: readonly StateMember[];
}

/** The approved plan of one run. */
export function approvedPlanOf(
  members: readonly MemberPlan[],
  { organizationId, now, state }: RunFacts,
): ApprovedPlan {
  const mine = new Set(members.map(({ ref }) => ref));
  const others = state.filter(({ held }) => !mine.has(held.ref));
  return {
    organizationId,
    now,
    members: Object.fromEntries(members.map((member) => [member.ref, approvedMember(member)])),
    users: others.flatMap(({ held }) => held.users.map(({ id }) => id)),
  };
}

function approvedMember({ plan, observed, decision }: MemberPlan): ApprovedPlan["members"][string] {
  const { revoked: _, ...approved } = decision;
  return { ...approved, units: plan.units.map(unitKey), seen: observed.seen };
}
