/** The entries of a plan: each operation that a run may make, with the facts that someone who approves it must see. Pure. */
import { createHash } from "node:crypto";
import { unitKey } from "../../provider/member/approved.ts";
import { type Agreed, endOf, type HeldToken, nameOfToken } from "../../provider/member/held.ts";
import { NEW_USER, type Step, type Unit, type ValueChange } from "../../provider/member/step.ts";
import { isLater } from "../../provider/util/instants.ts";
import { type Action, stateOperation } from "./action-table.ts";
import { fingerprints, isSameRule, previousToken, reasonsOf } from "./entry-reasons.ts";
import type { MemberPlan } from "./plan.ts";

/** One operation on one object, of the service or of the state alone. */
export interface PlanEntry {
  readonly stack: string;
  readonly urn: string;
  readonly type: "OrgMember" | "Roster";
  /** The key of the row, or of the member; of a setting of the roster, its id. */
  readonly key: string;
  /** The email or the purpose. */
  readonly who: string;
  /** What the texts call it, together with the other operations of the same action. */
  readonly action: Action;
  /** The name of the service's operation, such as `issue token`; otherwise of a change of the state, such as `retain user`. */
  readonly operation: string;
  /** The id of the user before the run; null for one whom the run adds. */
  readonly id: string | null;
  /** Of the unit, and of the step in it; of a setting of the roster, empty and 0. */
  readonly unit: string;
  readonly index: number;
  readonly facts: EntryFacts;
}

/** Each only if it applies. */
export interface EntryFacts {
  readonly email?: string | undefined;
  readonly purpose?: string | undefined;
  /** The id of the user that is adopted. */
  readonly adopt?: string | undefined;
  /** The date that a token is requested for, in UTC. */
  readonly expiresAt?: string | undefined;
  /** Fingerprints of the public keys that the token is sealed for. */
  readonly recipients?: readonly string[] | undefined;
  /** Those that the old token was sealed for, if they were others. */
  readonly recipientsBefore?: readonly string[] | undefined;
  /** The emails that the service sends: `seat`, `token`. */
  readonly emails?: readonly string[] | undefined;
  readonly reasons?: readonly string[] | undefined;
  /** The digest of all inputs that are not secret, so that no input changes unseen. */
  readonly inputs?: string | undefined;
}

/** What one step is to its reader. */
interface Meaning {
  readonly action: Action;
  readonly operation: string;
}

/** The entries of a member, in the order of their execution. */
export function entriesOf(member: MemberPlan, stack: string): PlanEntry[] {
  const { units } = member.plan;
  const entries = (all: readonly Unit[]) => all.flatMap((unit) => entriesOfUnit(unit, member, stack));
  if (member.row !== undefined) return entries(units);
  // Of a removed person, what the service shows is part of the removal.
  const removal = entries(units.filter(({ steps }) => steps.some(({ effect }) => effect?.do !== "observe")));
  return removal.length > 0 ? removal : entries(units);
}

function entriesOfUnit(unit: Unit, member: MemberPlan, stack: string): PlanEntry[] {
  const { key, label: who, member: known, name } = member;
  const id = unitKey(unit);
  return unit.steps.flatMap((step, index) =>
    meaningsOf(step, unit, member).map(({ action, operation }) => ({
      ...{ stack, urn: known?.urn ?? name, type: "OrgMember" as const, key, who, action, operation },
      id: step.user === undefined || step.user === NEW_USER ? (adoptedBy(step) ?? null) : step.user,
      ...{ unit: id, index, facts: factsOf(step, member) },
    })),
  );
}

function adoptedBy({ effect }: Step): string | undefined {
  return effect?.do === "adopt" ? effect.user.id : undefined;
}

const plain: Readonly<Partial<Record<NonNullable<Step["call"]>, Action>>> = {
  "add user": "join",
  "remove user": "leave",
  "assign seat": "assignSeat",
  "remove seat": "returnSeat",
};

function meaningsOf(step: Step, unit: Unit, member: MemberPlan): Meaning[] {
  const { call } = step;
  if (call === undefined) return stateActions(step, member).map(inState);
  // The command has already revoked the token. This step only looks for others.
  if (member.decision.revoked !== undefined && step.onlyIf?.includes("eachOther")) return [];
  const meaning = { action: actionOf(step, unit, member), operation: call };
  return step.target?.keepPreviousFor === undefined ? [meaning] : [meaning, inState("keepToken")];
}

function inState(action: Action): Meaning {
  return { action, operation: stateOperation(action) };
}

function actionOf(step: Step, { steps }: Unit, member: MemberPlan): Action {
  const { call, cause } = step;
  if (call === "add user" && cause === "address") return isExchange(member) ? changeOf(member) : "join";
  if (call === "remove user" && isPrevious(step, member)) return "removePrevious";
  if (call === "remove user" && cause === "address")
    return isExchange(member) ? changeOf(member) : "removePrevious";
  if (call === "renew token") return isShortened(step, member) ? "shortenToken" : "renewToken";
  if (call === "revoke token" && cause === "keptTimeOver") return "revokePrevious";
  if (call === "assign seat" && cause === "unconfirmed") return "adoptSeat";
  if (call !== "revoke token" && call !== "issue token") return plain[call ?? "add user"] ?? "note";
  const order = steps.flatMap(({ call: one }, index) =>
    one === "revoke token" || one === "issue token" ? [{ one, index }] : [],
  );
  if (steps.some(({ onlyIf }) => onlyIf?.includes("conflict"))) return "replaceToken";
  const isBoth = new Set(order.map(({ one }) => one)).size === 2;
  if (!isBoth) return call === "issue token" ? "issueToken" : "revokeToken";
  return order[0]?.one === "issue token" ? "exchangeToken" : "reissueToken";
}

/** Of a member whose change of the address is not done while the next one comes, or who leaves: each membership counts. */
function isPrevious({ user }: Step, { observed }: MemberPlan): boolean {
  const [, ...others] = observed.held.users;
  return others.some(({ id }) => id === user);
}

/** Whether one membership ends for another; a run that ended in between has left one of them. */
function isExchange({ plan }: MemberPlan): boolean {
  const calls = plan.units.flatMap(({ steps }) => steps.filter(({ cause }) => cause === "address"));
  return ["add user", "remove user"].every((wanted) => calls.some(({ call }) => call === wanted));
}

/** A person becomes another one, or a machine user. */
function changeOf({ row, member }: MemberPlan): Action {
  const [isPerson, wasPerson] = [row?.email !== undefined, member?.email !== undefined];
  if (isPerson !== wasPerson) return "changeKind";
  return isPerson ? "changeEmail" : "changePurpose";
}

function tokenOf({ user, token }: Step, { observed }: MemberPlan): HeldToken | undefined {
  const held = observed.held.users.find(({ id }) => id === user)?.tokens ?? [];
  return held.find((one) => nameOfToken(one) === token);
}

function isShortened(step: Step, member: MemberPlan): boolean {
  const [held, until] = [tokenOf(step, member), step.target?.until];
  return held !== undefined && until !== undefined && isLater(endOf(held), until);
}

/** By setting, what its change is to people who keep, or lose, access. */
const settings: Readonly<Record<string, Action>> = {
  accessUntil: "changeAccessEnd",
  onDelete: "changeOnDelete",
  rotateEvery: "changeRotationRule",
  keepPreviousFor: "changeRotationRule",
} satisfies Readonly<Partial<Record<keyof Agreed, Action>>>;

function stateActions({ effect, cause, changes = [] }: Step, member: MemberPlan): Action[] {
  if (effect === undefined) return ["note"];
  if (effect.do === "adopt") {
    const { seat, seatAdopted, tokens, adopted } = effect.user;
    if (!adopted) return ["note"];
    const hasSeat = seatAdopted && seat === "held";
    return [
      "adopt",
      ...(hasSeat ? ["adoptSeat" as const] : []),
      ...(tokens.length > 0 ? ["adoptToken" as const] : []),
    ];
  }
  if (effect.do === "forget") {
    if (effect.isGone === true) return ["note"];
    const user = member.observed.held.users.find(({ id }) => id === effect.user);
    const isSeatKept =
      effect.isSeatKept === true && user !== undefined && user.seat !== "none" && user.seat !== "left";
    return isSeatKept ? ["retain", "keepSeat"] : ["retain"];
  }
  if (effect.do === "user" && effect.patch.seat === "left") return ["keepSeat"];
  if (effect.do === "user" && effect.patch.tokens !== undefined) return ["adoptToken"];
  if (effect.do === "agree" && cause === "settings")
    return changes.map((change) => (isSameRule(change, member) ? "note" : settingOf(change)));
  if (effect.do === "agree" && cause === "new" && member.inputs?.protected === true) return ["protect"];
  // The command has said it.
  if (effect.do === "observe" && member.decision.revoked !== undefined) return [];
  // Part of the removal, or of the creation.
  return effect.do === "agree" && (cause === "leaving" || cause === "new") ? [] : ["note"];
}

function settingOf({ what, to }: ValueChange): Action {
  if (what === "protected") return to === true ? "protect" : "unprotect";
  return settings[what] ?? "note";
}

function factsOf(step: Step, member: MemberPlan): EntryFacts {
  const { inputs, row } = member;
  const { call, emails, target = {}, effect } = step;
  const isIssue = call === "issue token";
  const keys = isIssue ? fingerprints(target.recipients) : [];
  const before = isIssue ? fingerprints(previousToken(member)?.sealedFor) : [];
  const reasons = reasonsOf(step, member);
  return {
    ...(call === "add user" && { email: row?.email, purpose: row?.purpose }),
    ...(effect?.do === "adopt" && { adopt: effect.user.id }),
    ...((isIssue || call === "renew token") && { expiresAt: target.until ?? target.expiresAt }),
    ...(keys.length > 0 && { recipients: keys }),
    ...(isIssue && before.length > 0 && before.join() !== keys.join() && { recipientsBefore: before }),
    ...(emails > 0 && { emails: [isIssue ? "token" : "seat"] }),
    ...(reasons.length > 0 && { reasons }),
    ...(inputs !== undefined && { inputs: digestOf(inputs) }),
  };
}

function digestOf(inputs: object): string {
  const bound = Object.entries(inputs)
    .filter(([key, value]) => key !== "credentials" && value !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return createHash("sha256").update(JSON.stringify(bound)).digest("hex");
}

/** The actions of entries, each once. */
export function actionsIn(entries: readonly Pick<PlanEntry, "urn" | "action">[]): Action[] {
  return [...new Set(entries.map(({ action }) => action))];
}
