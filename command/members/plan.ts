/**
 * The plan of a roster: what each member needs, by `stepsOf` alone. No run of Pulumi and no request: the caller reads the state,
 * and the list of users if the plan asks for it.
 */
import { createHash } from "node:crypto";
import { type Decision as ApprovedDecision, wantedAs } from "../../provider/member/approved.ts";
import { nothingHeld, type Pending } from "../../provider/member/held.ts";
import { type IdentifiedRow, identify, type Row } from "../../provider/member/identify.ts";
import { hasMarksOf, type Observed, observe } from "../../provider/member/observe.ts";
import { type OrgMemberInputs, wantedOf } from "../../provider/member/resource/schema.ts";
import type { Call, Plan } from "../../provider/member/step.ts";
import { stepsOf } from "../../provider/member/steps/steps-of.ts";
import type { Can, Seen, Wanted } from "../../provider/member/wanted.ts";
import { hasAccessEnded, labelOf, type Roster, type RosterPerson } from "../roster/roster.ts";
import type { CheckInputs } from "./check.ts";
import { needsList, needsTokens } from "./questions.ts";
import { argsOfLeaver, argsOfRow, type MemberArgs } from "./rows.ts";
import { type SeenList, seenOf } from "./seen.ts";
import type { StateMember } from "./state-members.ts";
import { type StoppedRow, stopped, stoppedByHolder, stoppedTwice, unclearIn } from "./stopped.ts";

export interface Decision extends ApprovedDecision {
  /** What was revoked outside of the run. */
  readonly revoked?: Seen["revoked"];
}

export interface RosterPlanInput {
  readonly roster: Roster;
  /** The rows that count: of no offboarded person. */
  readonly people: readonly RosterPerson[];
  readonly members: readonly StateMember[];
  /** Undefined: unread, or the service has none. */
  readonly list: SeenList | undefined;
  /** Whether each member is compared with the list. Default: those alone whose steps depend on it. */
  readonly isRefreshed?: boolean | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly can: Can;
  readonly subscriptionExpiresAt: string | undefined;
  readonly check: CheckInputs;
  /** The creation of a user that an interrupted run may have done. */
  creationOf(name: string, ref: string, person: RosterPerson | undefined): Pending | undefined;
  /** By `ref`. Default: none. */
  readonly decisions?: ReadonlyMap<string, Decision> | undefined;
}

/** What one member needs. */
export interface MemberPlan {
  readonly key: string;
  readonly ref: string;
  /** The logical name of the resource. */
  readonly name: string;
  /** The email or purpose, with the previous one if it changes. */
  readonly label: string;
  /** Undefined of a member whose row is gone. */
  readonly row: RosterPerson | undefined;
  /** Undefined of a new one. */
  readonly member: StateMember | undefined;
  /** What the program registers. */
  readonly args: MemberArgs;
  /** Undefined of a member whose row is gone. */
  readonly inputs: OrgMemberInputs | undefined;
  readonly decision: Decision;
  readonly observed: Observed;
  readonly plan: Plan;
  /** The names of the members whose answers come first: they give an address up. */
  readonly after: readonly string[];
}

export interface RosterPlan {
  /** In the order of the roster, then those whose rows are gone. */
  readonly members: readonly MemberPlan[];
  readonly stopped: readonly StoppedRow[];
  /** The rows whose address another member keeps, or that take addresses from each other in a circle. */
  readonly inUse: readonly { readonly row: RosterPerson; readonly other: string }[];
  /** Whether the list of users decides about steps, and was not read. */
  readonly asksList: boolean;
  /** The ids of the users whose tokens decide about steps, and were not read. */
  readonly asksTokens: readonly string[];
}

/** What the member has to be, with the decisions of the command. */
export function wantedIn({
  inputs,
  args,
  decision,
}: Pick<MemberPlan, "inputs" | "args" | "decision">): Wanted {
  const leaver = { leaving: true, directory: args.directory === true ? true : undefined } as const;
  return wantedAs(inputs === undefined ? leaver : wantedOf(inputs), decision);
}

/** The plan of the same member with another decision. */
export function decided(member: MemberPlan, more: Decision, now: number, can: Can): MemberPlan {
  const decision = { ...member.decision, ...more };
  return { ...member, decision, plan: stepsOf(member.observed, wantedIn({ ...member, decision }), now, can) };
}

interface RosterRow extends Row {
  readonly person: RosterPerson;
}

export async function planRoster(input: RosterPlanInput): Promise<RosterPlan> {
  const { roster, people, members, list, now } = input;
  const rows = people.map((person): RosterRow => {
    const { key, userId, email, purpose } = person;
    return { person, label: person.place, key, userId, email, purpose };
  });
  const listed = list && { users: list.members.users, absent: [...list.members.gone] };
  const isDirectory = roster.membership !== undefined;
  const found = identify(rows, members, listed, { isDirectory });
  const planner = new Planner(input);
  const left: StoppedRow[] = [];
  const plans: MemberPlan[] = [];
  for (const one of found.rows) {
    // Whoever was never added is not added for an access that has ended.
    if (one.member === undefined && hasAccessEnded(one.row.person, now)) continue;
    const unclear = isDirectory ? unclearIn(one.row.person, one.member, input) : undefined;
    const plan = unclear ?? (await planner.planRow(one));
    if ("code" in plan) left.push(plan);
    else plans.push(plan);
  }
  for (const member of found.leavers) plans.push(planner.planLeaver(member));
  const byName = new Map(plans.map((plan) => [plan.name, plan]));
  const kept = plans.flatMap((plan) => keptAddress(plan, byName));
  const blocked = new Set(kept.map(({ row }) => row));
  const ofAddress = found.stopped.filter(({ code }) => code === "address-in-use");
  const inUse = [...ofAddress.map(({ row, other }) => ({ row: row.person, other })), ...kept];
  const twice = found.stopped.filter(({ code }) => code === "duplicate-declaration");
  return {
    members: plans.filter(({ row }) => row === undefined || !blocked.has(row)),
    stopped: [
      ...left,
      ...twice.map(({ row, other }) => stoppedTwice(row.person, other)),
      ...(isDirectory ? inUse.map(({ row, other }) => stoppedByHolder(row, other)) : []),
    ],
    inUse: isDirectory ? [] : inUse,
    asksList: list === undefined && plans.some(needsList),
    asksTokens: plans.flatMap((plan) => needsTokens(plan, list)),
  };
}

/** The row would add a user whose address another member of the plan holds and does not give up. */
function keptAddress(
  { row, plan, after }: MemberPlan,
  plans: ReadonlyMap<string, MemberPlan>,
): RosterPlan["inUse"] {
  if (row === undefined || !sends(plan, "add user")) return [];
  const other = after
    .flatMap((name) => plans.get(name) ?? [])
    .find((one) => one.observed.held.users.length > 0 && !sends(one.plan, "remove user"));
  return other === undefined ? [] : [{ row, other: other.name }];
}

function sends({ units }: Plan, wanted: Call): boolean {
  return units.some(({ steps }) => steps.some(({ call }) => call === wanted));
}

/** The own text of a new member, which never changes: the same in each plan, so that a plan has the same digest. */
export function refOf(organizationId: string, name: string): string {
  return createHash("sha256").update(`${organizationId}\n${name}`).digest("base64url").slice(0, 20);
}

class Planner {
  readonly #input: RosterPlanInput;
  readonly #members: ReadonlyMap<string, StateMember>;
  readonly #holders: ReadonlyMap<string, StateMember>;

  constructor(input: RosterPlanInput) {
    this.#input = input;
    this.#members = new Map(input.members.map((member) => [member.name, member]));
    this.#holders = new Map(
      input.members.flatMap((member) => member.held.users.map(({ id }) => [id, member] as const)),
    );
  }

  async planRow({
    row,
    member,
    name,
    adopts,
    after,
  }: IdentifiedRow<RosterRow>): Promise<MemberPlan | StoppedRow> {
    const { roster, subscriptionExpiresAt, check } = this.#input;
    const { person } = row;
    const known = this.#memberOf(member?.name);
    const ref = known?.held.ref ?? refOf(roster.organizationId, name);
    const args = argsOfRow(person, roster, { ref, held: known?.held, adopts, subscriptionExpiresAt });
    const checked = await check(args);
    if ("issues" in checked) return stopped(person, "invalid-roster", checked.issues.join("; "));
    const { inputs } = checked;
    const label = labelAfter(person, known);
    return this.#plan({ key: person.key, ref, name, label, row: person, member: known, args, inputs, after });
  }

  planLeaver(member: { readonly name: string }): MemberPlan {
    const known = this.#memberOf(member.name);
    if (known === undefined) throw new Error(`no member ${member.name}`);
    const { held, key, label, name } = known;
    const args = argsOfLeaver(held, this.#input.roster);
    const none = { row: undefined, inputs: undefined, after: [] };
    return this.#plan({ ...none, key, ref: held.ref, name, label, member: known, args });
  }

  #creationOf({ member, row, name, ref }: Pick<MemberPlan, "member" | "row" | "name" | "ref">) {
    const { now, roster } = this.#input;
    const isRetained = roster.membership !== undefined || roster.onDelete === "retain";
    // Who left the state and stays a member looks in the audit log like a user whom a state has lost.
    if (isRetained && row !== undefined && hasAccessEnded(row, now)) return undefined;
    const found = this.#input.creationOf(name, ref, row);
    const { users = [], pending } = member?.held ?? {};
    const isKnown =
      pending !== undefined || users.some((user) => found !== undefined && hasMarksOf(user, found));
    return isKnown ? undefined : found;
  }

  #memberOf(name: string | undefined): StateMember | undefined {
    return name === undefined ? undefined : this.#members.get(name);
  }

  #plan(one: Omit<MemberPlan, "decision" | "observed" | "plan">): MemberPlan {
    const { now, can, decisions, list, isRefreshed = false } = this.#input;
    const pending = this.#creationOf(one);
    const isNew = one.member === undefined;
    const decision = { ...decisions?.get(one.ref), ...(isNew && pending && { pending }) };
    const held = one.member?.held ?? { ...nothingHeld(one.ref, one.key), ...(pending && { pending }) };
    const known = {
      ...(!isNew && pending && { pending }),
      ...(decision.revoked && { revoked: decision.revoked }),
    };
    const meant = wantedIn({ ...one, decision });
    const planWith = (seen: Seen): MemberPlan => {
      const observed = observe(held, { ...seen, ...known });
      return { ...one, decision, observed, plan: stepsOf(observed, meant, now, can) };
    };
    const unread = planWith({});
    if (list === undefined || !(isRefreshed || needsList(unread))) return unread;
    const isOthers = (id: string) => (this.#holders.get(id) ?? one.member) !== one.member;
    return planWith(seenOf({ held, inputs: one.inputs, isOthers }, list));
  }
}

/** The email or purpose after the run, with the previous one if it differs. */
function labelAfter(person: RosterPerson, member: StateMember | undefined): string {
  const next = labelOf(person);
  const isKnown = member?.email !== undefined || member?.purpose !== undefined;
  return member === undefined || !isKnown || member.label === next ? next : `${next} (was ${member.label})`;
}
