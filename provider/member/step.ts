/** What a change of a member is made of: steps in units, refusals, waits, and notes. Pure. */
import { isDeepStrictEqual } from "node:util";
import type { ErrorCode } from "../util/error-codes.ts";
import { type Agreed, type Held, type HeldToken, type HeldUser, nameOfToken, type Pending } from "./held.ts";

export type Call =
  | "add user"
  | "assign seat"
  | "issue token"
  | "renew token"
  | "revoke token"
  | "remove seat"
  | "remove user";

interface CallFacts {
  /** Whether it takes something away. */
  readonly takes: boolean;
  /** Whether it can be sent again after a lost response without a second effect. */
  readonly isRepeatable: boolean;
  /** What repairs a lost response: the value of the issued token is lost. */
  readonly repair?: readonly Call[];
}

const gives = { takes: false, isRepeatable: false };
const takes = { takes: true, isRepeatable: true };

export const calls: Readonly<Record<Call, CallFacts>> = {
  "add user": gives,
  // A repeat uses no second seat.
  "assign seat": { ...gives, isRepeatable: true },
  "issue token": { ...gives, repair: ["revoke token", "issue token"] },
  "renew token": { ...gives, isRepeatable: true },
  "revoke token": takes,
  "remove seat": takes,
  "remove user": takes,
};

/** Why a step is due. */
export type Cause =
  | "new"
  | "missing"
  | "goneInService"
  | "adopted"
  | "unconfirmed"
  | "address"
  | "notWanted"
  | "leaving"
  | "accessEnded"
  | "mark"
  | "recipients"
  | "keepValue"
  | "schedule"
  | "newSchedule"
  | "lost"
  | "shortened"
  | "renewal"
  | "keptTimeOver"
  | "observed"
  | "settings"
  | "unknown";

/** What a read has to show before the step is sent, where the plan didn't read it. */
export type Condition =
  /** The call before it in the unit was answered with 409. */
  | "conflict"
  /** The role of the user is `member`. */
  | "isMember"
  /** The list lacks the user to add; it has the one to adopt. */
  | "notListed"
  | "listed"
  /** The list of tokens shows which one it is. */
  | "identified"
  /** The list has no token that may be from a creation without an answer. */
  | "noOtherToken"
  /** For each live token of the list that the state doesn't have. */
  | "eachOther";

/** Those that a read decides. */
const ofReads: readonly Condition[] = ["isMember", "notListed", "listed", "identified", "noOtherToken"];

/** The user whom "add user" of the same plan adds. */
export const NEW_USER = "new";

/** What the service is asked for, and what the state notes of it. */
export interface Target {
  readonly address?: string | undefined;
  readonly purpose?: string | undefined;
  readonly lastName?: string | undefined;
  /** The date to request, tolerance excluded; absent: the end of the subscription. */
  readonly expiresAt?: string | undefined;
  /** The end to expect, tolerance included. */
  readonly until?: string | undefined;
  /** What is remembered as requested: a date, or a period. */
  readonly request?: string | undefined;
  readonly isPeriod?: boolean | undefined;
  readonly mark?: string | undefined;
  readonly recipients?: readonly string[] | undefined;
  readonly keepValue?: boolean | undefined;
  /** How long the replaced token stays. */
  readonly keepPreviousFor?: string | undefined;
  /** The settings that come into force with it. */
  readonly agrees?: Agreed | undefined;
  /** Of "add user": whether it repeats a request without an answer. */
  readonly isAgain?: true | undefined;
  /** Whether it makes the user the current one: no step gives the user anything after it. */
  readonly promotes?: true | undefined;
}

/** A value of the state that changes without a call, for texts. Marks and ids stand for what the state has no text of. */
export interface ValueChange {
  readonly what: string;
  readonly from: unknown;
  readonly to: unknown;
}

/** How a change of the state alone changes it. */
export type Effect =
  | { readonly do: "observe"; readonly held: Held }
  | { readonly do: "adopt"; readonly user: HeldUser }
  | { readonly do: "user"; readonly user: string; readonly patch: Partial<HeldUser> }
  | {
      readonly do: "token";
      readonly user: string;
      readonly token: string;
      readonly patch: Partial<HeldToken>;
    }
  /** `isGone`: not retained, but decided to be missing. */
  | { readonly do: "forget"; readonly user: string; readonly isGone?: true; readonly isSeatKept?: true }
  | { readonly do: "promote"; readonly user: string }
  | { readonly do: "key"; readonly key: string | undefined }
  | { readonly do: "agree"; readonly agreed: Agreed }
  | { readonly do: "pending"; readonly pending: Pending | undefined };

export interface Step {
  /** Undefined: the state alone. */
  readonly call?: Call;
  /** An id, or `NEW_USER`. */
  readonly user?: string;
  /** By `nameOfToken`. */
  readonly token?: string;
  readonly cause: Cause;
  /** Seats that it takes (1) or frees (-1). */
  readonly seats: -1 | 0 | 1;
  /** Emails that the service sends. */
  readonly emails: 0 | 1;
  readonly isRepeatable: boolean;
  readonly repair?: readonly Call[];
  /** All of them. */
  readonly onlyIf?: readonly Condition[];
  readonly target?: Target;
  readonly effect?: Effect;
  readonly changes?: readonly ValueChange[];
  /** An unknown input decides whether it is due. */
  readonly isPossible?: true;
  /** Of a renewal: it is due only because time has passed, or its date depends on the time. */
  readonly isByTime?: true;
}

/** Steps that nothing may interrupt: a cancellation, a deadline, and a pause act between units. */
export interface Unit {
  readonly steps: readonly Step[];
  /** It belongs to a changed address: refused as a whole. */
  readonly isOfChange?: true;
}

/** Why something that is wanted is not done. `names` are ids or texts for the message. */
export interface Obstacle {
  readonly code: ErrorCode;
  readonly reason: Reason;
  readonly names?: readonly string[];
  readonly since?: string;
}

export type Reason =
  | "protected"
  | "role"
  | "userExists"
  | "adoptsOther"
  | "adoptsPrevious"
  | "adoptsGone"
  | "adoptsMissing"
  | "adoptsAnother"
  | "tokenMissing"
  | "tokenAmbiguous"
  | "tokenUnknown"
  | "valuePast"
  | "datePast"
  | "noDate"
  | "userUndecided"
  | "userAmbiguous"
  | "pendingOther"
  | "removalUndecided"
  | "notInDirectory";

export interface Note {
  readonly kind:
    | "drift"
    | "accessEndsSoon"
    | "renewsLater"
    | "expiresSoon"
    | "unmanaged"
    | "pendingForgotten";
  readonly user?: string;
  readonly names?: readonly string[];
}

export interface Plan {
  /** In order; a failure ends those of the member, except independent ones. */
  readonly units: readonly Unit[];
  /** What fails for this member alone. */
  readonly refused: readonly Obstacle[];
  /** What needs a decision or a read, and sends nothing until then. */
  readonly waits: readonly Obstacle[];
  readonly notes: readonly Note[];
  /** Whether another organization needs another resource, created first. */
  readonly isReplaced?: true;
  /** A changed address that is refused or waits: how the former user leaves stays as it was. */
  readonly isChangeOpen?: true;
}

export const noPlan: Plan = { units: [], refused: [], waits: [], notes: [] };

export function joined(...plans: readonly (Partial<Plan> | undefined)[]): Plan {
  const all = plans.filter((plan) => plan !== undefined);
  return {
    units: all.flatMap(({ units = [] }) => units),
    refused: all.flatMap(({ refused = [] }) => refused),
    waits: all.flatMap(({ waits = [] }) => waits),
    notes: all.flatMap(({ notes = [] }) => notes),
  };
}

/** Whether a run has anything to do or to fail with. */
export function hasChanges({ units, refused, waits, isReplaced }: Plan): boolean {
  return units.length + refused.length + waits.length > 0 || isReplaced === true;
}

type Details = Omit<Partial<Step>, "call" | "cause" | "isRepeatable" | "repair">;

export function send(call: Call, cause: Cause, details: Details = {}): Step {
  const { isRepeatable, repair } = calls[call];
  return { call, cause, seats: 0, emails: 0, isRepeatable, ...(repair && { repair }), ...details };
}

export function note(cause: Cause, effect: Effect, changes: readonly ValueChange[]): Step {
  return { cause, seats: 0, emails: 0, isRepeatable: true, effect, changes };
}

export function unit(...steps: readonly Step[]): Unit[] {
  return steps.length === 0 ? [] : [{ steps }];
}

export function revoke(user: HeldUser, token: HeldToken, cause: Cause, details: Details = {}): Step {
  return send("revoke token", cause, { user: user.id, token: nameOfToken(token), ...details });
}

/** The conditions of a unit that a read decides. */
export function conditionsOf({ steps }: Unit): Condition[] {
  return steps.flatMap(({ onlyIf = [] }) => onlyIf.filter((one) => ofReads.includes(one)));
}

export function takesSomething({ call }: Step): boolean {
  return call !== undefined && calls[call].takes;
}

/** Whether the member has less than before if the unit ends after its first steps. */
export function takesFirst({ steps }: Unit): boolean {
  const first = steps.findIndex((step) => takesSomething(step) && step.onlyIf?.includes("conflict") !== true);
  return first >= 0 && steps.slice(first).some(({ call }) => call !== undefined && !calls[call].takes);
}

/** Causes by which a step is due at some time. */
const ofTime: readonly Cause[] = ["schedule", "newSchedule", "keptTimeOver", "accessEnded"];

/** Whether time decides that it is due, or what it requests: not to be done by a wrong clock. */
export function isByTime({ call, cause, target, isByTime: isDue }: Step): boolean {
  if (call === undefined) return false;
  return isDue === true || ofTime.includes(cause) || (call === "issue token" && target?.isPeriod === true);
}

export function isStateAlone({ steps }: Unit): boolean {
  return steps.every(({ call }) => call === undefined);
}

/** Whether a failure of the member before it leaves it right: settings, and nothing that forgets or adopts someone. */
export function isIndependent({ steps }: Unit): boolean {
  return steps.every(({ effect }) => effect?.do === "agree" || effect?.do === "key");
}

/**
 * Whether two units send the same: calls, users, tokens, and target values; of the state alone, the same effects.
 * @param added the id of the user whom one of them calls `NEW_USER`, once it is known
 */
export function isSameUnit(one: Unit, other: Unit, added?: string): boolean {
  const content = ({ steps }: Unit) =>
    steps.map(({ call, user, token, target, effect }) => ({
      ...{ call, user: user === added ? NEW_USER : user, token, target, effect },
    }));
  return isDeepStrictEqual(content(one), content(other));
}
