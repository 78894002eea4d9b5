/** Why a step of a plan happens, in the words of a roster. Pure. */
import { endOf, type HeldToken } from "../../provider/member/held.ts";
import type { Cause, Step, ValueChange } from "../../provider/member/step.ts";
import { describeRule } from "../../provider/resources/rotation-schedule.ts";
import { instantMs, shortInstant } from "../../provider/util/instants.ts";
import { fingerprintOf } from "../roster/facts.ts";
import { describeEnded } from "../roster/roster.ts";
import type { MemberPlan } from "./plan.ts";

/** How a row calls a setting of the state. */
const columns: Readonly<Record<string, string>> = {
  accessUntil: "access_until",
  onDelete: "on_delete",
  expiresAt: "expires",
  renewBefore: "window",
  tolerance: "expiration_tolerance_months",
  rotateEvery: "rotate_every",
  keepPreviousFor: "keep_previous",
  subscriptionExpiresAt: "subscription",
  names: "names",
  allowAdminRemoval: "allow_admin_removal",
  directory: "membership",
  protected: "protected",
};

/** Why a step happens, if its action does not say. */
export function reasonsOf(step: Step, member: MemberPlan): string[] {
  const { call, cause, changes = [], target = {} } = step;
  if (call === undefined) return changes.flatMap((change) => changeText(change, member));
  return [
    ...keyReasons(step, member),
    ...(cause === "accessEnded" && member.row?.accessUntil !== undefined
      ? [describeEnded(member.row.accessUntil)]
      : []),
    ...causeReasons(cause, step, member),
    ...(call === "renew token" || call === "issue token" ? expiryReasons(step, member) : []),
    ...(target.keepPreviousFor === undefined ? [] : [`keep_previous ${target.keepPreviousFor}`]),
  ];
}

/** What the state alone changes and only marks say is not worth a line. */
const silent: ReadonlySet<string> = new Set([
  "user",
  "token",
  "observed",
  "leaving",
  "pending",
  "address",
  "seat",
]);

function changeText({ what, from, to }: ValueChange, member: MemberPlan): string[] {
  if (what === "observed") return ["the service shows another state"];
  if (silent.has(what)) return [];
  if (what === "names") return ["names changed"];
  if (isSameRule({ what, from, to }, member)) return [];
  const none = defaultOf(what, member);
  return [`${columns[what] ?? what} ${valueText(from, none)} -> ${valueText(to, none)}`];
}

/** What a setting is without a value: then a membership is removed. */
function defaultOf(what: string, { inputs }: MemberPlan): string {
  return what === "onDelete" && inputs?.directory !== true ? "delete" : "none";
}

/** An adopted membership is removed by a setting, a created one without it. */
export function isSameRule({ what, from, to }: ValueChange, member: MemberPlan): boolean {
  const none = defaultOf(what, member);
  return what === "onDelete" && valueText(from, none) === valueText(to, none);
}

function valueText(value: unknown, none: string): string {
  if (value === undefined) return none;
  if (typeof value === "string") return Number.isNaN(Date.parse(value)) ? value : shortInstant(value);
  if (typeof value === "object" && value !== null && !Array.isArray(value))
    return [...new Set(Object.values(value))].join(", ") || none;
  return JSON.stringify(value);
}

function causeReasons(cause: Cause, { call }: Step, member: MemberPlan): string[] {
  if (call !== "issue token") return [];
  const { rotateEvery } = member.row ?? {};
  const issuedAt = member.observed.held.users[0]?.tokens[0]?.issuedAt;
  if (cause === "schedule" || cause === "newSchedule")
    return [describeRule({ rotateEvery, issuedAt }, "rotate_every")];
  if (cause === "lost") return ["the value is lost"];
  if (cause === "keepValue") return ["keep_value changed"];
  return cause === "goneInService" ? ["removed in the service, adds again"] : [];
}

/** `recipients <old> -> <new>`, by fingerprints. */
function keyReasons(step: Step, member: MemberPlan): string[] {
  if (step.call !== "issue token") return [];
  const after = fingerprints(step.target?.recipients);
  const held = previousToken(member);
  const before = fingerprints(held?.sealedFor);
  if (before.join() === after.join()) return [];
  if (held === undefined) return after.length === 0 ? [] : [`sealed for ${after.join(", ")}`];
  const change = `recipients ${before.join(", ") || "none"} -> ${after.join(", ") || "none"}`;
  const isReadable = after.length === 0 && step.target?.keepValue !== false;
  return [isReadable ? `${change}. Anyone who can decrypt the state can then read the token` : change];
}

/** `expires in 90d: 2027-02-24` for a declared period; otherwise `expires 2026-12-31 -> 2027-12-31`, if that changes. */
function expiryReasons(step: Step, member: MemberPlan): string[] {
  const { until, isPeriod } = step.target ?? {};
  if (until === undefined) return [];
  if (isPeriod === true) return [`expires in ${member.row?.expires}: ${until.slice(0, 10)}`];
  const held = previousToken(member);
  const before = held && endOf(held);
  const isSame = before === undefined || Math.abs(instantMs(before) - instantMs(until)) < 60_000;
  return isSame || shortInstant(before) === shortInstant(until)
    ? []
    : [`expires ${shortInstant(before)} -> ${shortInstant(until)}`];
}

export function fingerprints(keys: readonly string[] = []): string[] {
  return [...new Set(keys.map(fingerprintOf))].toSorted();
}

export function previousToken({ observed }: MemberPlan): HeldToken | undefined {
  return observed.held.users[0]?.tokens[0];
}
