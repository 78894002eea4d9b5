/** The settings of a member, which the state follows without a call, and inputs that a preview does not know yet. Pure. */
import { isDeepStrictEqual } from "node:util";
import { known, unknown } from "../../resources/unknown.ts";
import { type Agreed, type Held, markOf } from "../held.ts";
import {
  type Call,
  joined,
  note,
  type Plan,
  type Step,
  send,
  type Unit,
  unit,
  type ValueChange,
} from "../step.ts";
import type { MemberInputs, Missing, WantedMember, WantedToken } from "../wanted.ts";

/** A wanted member without unknown values: what is held stands in for them. */
export interface SettledMember extends MemberInputs {
  readonly leaving?: undefined;
  readonly token?: WantedToken | undefined;
  readonly directory?: true | undefined;
  readonly missing?: Missing | undefined;
  readonly rotates?: false | undefined;
  readonly trustsSeat?: true | undefined;
  /** Whether the email or the names are unknown: those of the current user count. */
  readonly isIdentityUnknown?: boolean;
  /** Whether it is unknown if there is a token. */
  readonly isTokenUnknown?: boolean;
  readonly areDatesUnknown?: boolean;
}

const identity = ["email", "purpose", "lastName"] as const;
const dates = ["expiresAt", "renewBefore", "tolerance"] as const;
const values = ["mark", "recipients", "keepValue", "rotateEvery"] as const;
const plain: readonly (keyof MemberInputs)[] = [
  ...(["email", "purpose", "firstName", "lastName", "team", "key", "userId", "accessUntil"] as const),
  ...(["onDeleteUser", "onDeleteSeat", "allowAdminRemoval", "protected", "subscriptionExpiresAt"] as const),
];

export function standIn(held: Held, wanted: WantedMember): SettledMember {
  const [user] = held.users;
  const { agreed } = held;
  return {
    email: known(wanted.email),
    purpose: known(wanted.purpose),
    firstName: known(wanted.firstName),
    lastName: known(wanted.lastName),
    team: orHeld(wanted.team, agreed.team),
    key: orHeld(wanted.key, held.key),
    userId: known(wanted.userId),
    seat: orHeld(wanted.seat, user !== undefined && user.seat !== "none"),
    sendSeatEmail: known(wanted.sendSeatEmail),
    accessUntil: orHeld(wanted.accessUntil, agreed.accessUntil),
    onDeleteUser: orHeld(wanted.onDeleteUser, agreed.onDelete?.user),
    onDeleteSeat: orHeld(wanted.onDeleteSeat, agreed.onDelete?.seat),
    allowAdminRemoval: orHeld(wanted.allowAdminRemoval, agreed.allowAdminRemoval),
    protected: orHeld(wanted.protected, agreed.protected),
    subscriptionExpiresAt: orHeld(wanted.subscriptionExpiresAt, agreed.subscriptionExpiresAt),
    token: tokenStandIn(held, wanted.token),
    directory: wanted.directory,
    missing: wanted.missing,
    ...{ rotates: wanted.rotates, trustsSeat: wanted.trustsSeat },
    isIdentityUnknown: [...identity, "userId" as const].some((key) => wanted[key] === unknown),
    isTokenUnknown: wanted.token === unknown,
    areDatesUnknown: wanted.subscriptionExpiresAt === unknown || hasUnknown(wanted.token, dates),
  };
}

function orHeld<T>(value: T | typeof unknown, held: T): T {
  return value === unknown ? held : value;
}

function hasUnknown(token: WantedMember["token"], keys: readonly (keyof WantedToken)[]): boolean {
  return token !== undefined && token !== unknown && keys.some((key) => token[key] === unknown);
}

function tokenStandIn({ users, agreed }: Held, token: WantedMember["token"]): WantedToken | undefined {
  const [user] = users;
  const [first] = user?.tokens ?? [];
  if (token === unknown) return first === undefined ? undefined : {};
  if (token === undefined) return undefined;
  const current = first ?? user?.unmanaged?.instead;
  const isKept = current === undefined || current.value !== "none" || current.adopted;
  return {
    expiresAt: orHeld(token.expiresAt, agreed.expiresAt),
    renewBefore: orHeld(token.renewBefore, agreed.renewBefore),
    tolerance: orHeld(token.tolerance, agreed.tolerance),
    rotateEvery: orHeld(token.rotateEvery, agreed.rotateEvery),
    keepPreviousFor: orHeld(token.keepPreviousFor, agreed.keepPreviousFor),
    mark: orHeld(token.mark, current?.mark),
    recipients: orHeld(token.recipients, current?.sealedFor),
    keepValue: orHeld(token.keepValue, isKept ? undefined : false),
    replaceExisting: known(token.replaceExisting),
    adopt: known(token.adopt),
    sendEmail: known(token.sendEmail),
  };
}

/** The settings as the state keeps them. */
export function agreedOf({ ref, agreed }: Held, wanted: SettledMember): Agreed {
  const { firstName, lastName, email, token, onDeleteUser, onDeleteSeat } = wanted;
  const hasNames = email !== undefined && (firstName !== undefined || lastName !== undefined);
  // Without a seat, no input says it: a run that fails before the seat is removed leaves it to the next one.
  const seat = onDeleteSeat ?? (wanted.seat ? undefined : agreed.onDelete?.seat);
  const onDelete = { user: onDeleteUser, seat };
  return withoutAbsent({
    onDelete: onDeleteUser === undefined && seat === undefined ? undefined : withoutAbsent(onDelete),
    allowAdminRemoval: wanted.allowAdminRemoval || undefined,
    protected: wanted.protected || undefined,
    directory: wanted.directory,
    accessUntil: wanted.accessUntil,
    expiresAt: token?.expiresAt,
    renewBefore: token?.renewBefore,
    tolerance: token?.tolerance || undefined,
    rotateEvery: token?.rotateEvery,
    keepPreviousFor: token?.keepPreviousFor,
    subscriptionExpiresAt: wanted.subscriptionExpiresAt,
    names: hasNames ? markOf(ref, JSON.stringify([firstName ?? null, lastName ?? null])) : undefined,
    team: wanted.team,
  });
}

/** The object without keys whose value is undefined: equal objects are then equal. */
export function withoutAbsent<T extends object>(object: T): T {
  const copy = { ...object };
  for (const key of Object.keys(copy) as (keyof T)[]) if (copy[key] === undefined) delete copy[key];
  return copy;
}

const followed: readonly string[] = [...dates, "subscriptionExpiresAt"];

/**
 * One unit for each changed setting, so that each is approved alone; one for all of a new member. Those that a step of the
 * token brings into force, or a refusal keeps from it, wait for it.
 */
function settingUnits(held: Held, wanted: SettledMember, { units, refused, waits }: Plan): Unit[] {
  const { agreed } = held;
  const next = agreedOf(held, wanted);
  const isWaiting =
    units.some(({ steps }) => steps.some(({ target }) => target?.agrees !== undefined)) ||
    refused.some(
      ({ reason }) => reason === "datePast" || reason === "valuePast" || reason === "tokenAmbiguous",
    );
  const isNames = wanted.isIdentityUnknown === true;
  const keys = [...new Set([...Object.keys(agreed), ...Object.keys(next)])] as (keyof Agreed)[];
  const changed = keys
    .filter((key) => !isDeepStrictEqual(agreed[key], next[key]))
    .filter((key) => !(isWaiting && followed.includes(key)))
    .filter((key) => !(isNames && key === "names"));
  const key = wanted.key === held.key ? [] : [keyUnit(held, wanted.key)];
  const isNew = held.users.length === 0 && Object.keys(agreed).length === 0;
  // Nothing is stored of a member that is refused.
  if (isNew && units.length === 0 && (refused.length > 0 || waits.length > 0)) return [];
  if (isNew) return changed.length === 0 ? key : [settingUnit(agreed, next, changed, "new"), ...key];
  return [...changed.map((one) => settingUnit(agreed, next, [one], "settings")), ...key];
}

/** The settings by which a former user leaves: a run that fails before has to leave them to the next one. */
const ofLeaving: readonly string[] = ["onDelete", "allowAdminRemoval"];

/** The plan with the units of the changed settings; those by which a former user leaves change with the last step of that. */
export function withSettings(held: Held, wanted: SettledMember, plan: Plan): Plan {
  const settings = settingUnits(held, wanted, plan);
  const last = plan.units.at(-1);
  const isOfLeaving = ({ steps }: Unit): boolean =>
    steps.some(({ effect }) => effect?.do === "agree" && ofLeaving.some((key) => key in effect.agreed));
  if (plan.isChangeOpen) return joined(plan, { units: settings.filter((one) => !isOfLeaving(one)) });
  if (last?.isOfChange !== true) return joined(plan, { units: settings });
  const steps = settings.filter(isOfLeaving).flatMap((one) => one.steps);
  const units = [...plan.units.slice(0, -1), { ...last, steps: [...last.steps, ...steps] }];
  return joined({ ...plan, units }, { units: settings.filter((one) => !isOfLeaving(one)) });
}

function settingUnit(
  from: Agreed,
  to: Agreed,
  keys: readonly (keyof Agreed)[],
  cause: "new" | "settings",
): Unit {
  const changes = keys.map((what): ValueChange => ({ what, from: from[what], to: to[what] }));
  const agreed: Agreed = Object.fromEntries(keys.map((one) => [one, to[one]]));
  return { steps: [note(cause, { do: "agree", agreed }, changes)] };
}

function keyUnit({ key: from }: Held, key: string | undefined): Unit {
  return { steps: [note("settings", { do: "key", key }, [{ what: "key", from, to: key }])] };
}

/** What a preview cannot decide: units that may be due, by the unknown inputs. */
export function possibleUnits(held: Held, wanted: WantedMember): Unit[] {
  const isUnknown = (keys: readonly (keyof MemberInputs)[]) => keys.some((key) => wanted[key] === unknown);
  const [user] = held.users;
  const id = user?.id ?? "new";
  const hasToken = (user?.tokens.length ?? 0) > 0;
  const may = (...names: Call[]) =>
    unit(...names.map((call): Step => ({ ...send(call, "unknown", { user: id }), isPossible: true })));
  const isNewUser = user !== undefined && isUnknown([...identity, "userId"]);
  const { token } = wanted;
  return [
    ...(isNewUser
      ? [
          ...may("add user"),
          ...may("revoke token", "remove seat", "assign seat", "issue token"),
          ...may("remove user"),
        ]
      : []),
    ...(wanted.seat === unknown
      ? may(user === undefined || user.seat === "none" ? "assign seat" : "remove seat")
      : []),
    ...(token === unknown ? may(hasToken ? "revoke token" : "issue token") : []),
    ...(hasToken && (wanted.subscriptionExpiresAt === unknown || hasUnknown(token, dates))
      ? may("renew token")
      : []),
    ...(hasToken && hasUnknown(token, values) ? may("revoke token", "issue token") : []),
    ...(user?.unmanaged !== undefined && hasUnknown(token, values) ? may("issue token") : []),
    ...(user !== undefined && wanted.accessUntil === unknown
      ? may("revoke token", "remove seat", "remove user")
      : []),
    ...(isUnknown(plain) || hasUnknown(token, ["keepPreviousFor"]) ? possibleNote() : []),
  ];
}

function possibleNote(): Unit[] {
  return [{ steps: [{ ...note("unknown", { do: "agree", agreed: {} }, []), isPossible: true }] }];
}
