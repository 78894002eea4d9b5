/** What the cases of the second model have to meet: every field and value of `Held`, every cause, every row of the table. */
import { z } from "zod";
import { type Held, type HeldUser, heldSchema } from "../../../provider/member/held.ts";
import type { Cause, Plan } from "../../../provider/member/step.ts";
import { NOW, now } from "./people.ts";
import type { Drawn } from "./second-cases.ts";
import { endOf, isSame, look, marksOf, ms, type Person, periodOf } from "./second-view.ts";

const causes: Readonly<Record<Cause, true>> = {
  ...{ new: true, missing: true, goneInService: true, adopted: true, unconfirmed: true, address: true },
  ...{ notWanted: true, leaving: true, accessEnded: true, mark: true, recipients: true, keepValue: true },
  ...{ schedule: true, newSchedule: true, lost: true, shortened: true, renewal: true, keptTimeOver: true },
  ...{ observed: true, settings: true, unknown: true },
};

/** The fields of a schema, with the values of those that have few. */
function fieldsOf(schema: z.core.$ZodType, path: string): string[] {
  if (schema instanceof z.ZodObject)
    return Object.entries<z.core.$ZodType>(schema.shape).flatMap(([key, one]) =>
      fieldsOf(one, `${path}.${key}`),
    );
  if (schema instanceof z.ZodArray) return fieldsOf(schema.element, path);
  if (schema instanceof z.ZodEnum) return schema.options.map((value) => `${path} ${value}`);
  if (schema instanceof z.ZodBoolean) return [`${path} true`];
  if (schema instanceof z.ZodLiteral) return [...schema.values].map((value) => `${path} ${value}`);
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodReadonly || schema instanceof z.ZodCatch)
    return fieldsOf(schema.def.innerType, path);
  return [path];
}

function valuesOf(value: unknown, path: string): string[] {
  if (Array.isArray(value)) return [path, ...value.flatMap((one) => valuesOf(one, path))];
  if (typeof value === "object" && value !== null)
    return Object.entries(value).flatMap(([key, one]) => valuesOf(one, `${path}.${key}`));
  return value === undefined ? [] : [path, `${path} ${value}`];
}

interface Situation {
  readonly held: Held;
  readonly user: HeldUser | undefined;
  /** Whom the wanted address or names fit. */
  readonly fits: HeldUser | undefined;
  readonly person: Person;
  readonly one: Drawn;
}

const hasSeat = (user?: HeldUser) => user?.seat === "held";
const hasToken = (user?: HeldUser) => (user?.tokens.length ?? 0) > 0;
const isStaying = ({ user, fits, held }: Situation) => user === fits && held.users.length === 1;
const isChange = ({ user, fits, person }: Situation) => user && !fits && !person.userId && !person.directory;
const current = ({ user }: Situation) => user?.tokens[0];
const keeps = ({ fits, person }: Situation) => fits?.tokens[0] && person.token;
const wants = ({ person: { seat, token } }: Situation, text: string) =>
  text === (token ? "token" : seat ? "seat" : "nothing");
const end = ({ person }: Situation) => {
  const text = person.token?.expiresAt ?? person.subscriptionExpiresAt ?? "";
  return periodOf(text) ? now + periodOf(text) : ms(text);
};
const isNothing = ({ held, person }: Situation) =>
  held.users.length === 0 && !held.pending && !person.directory && person.userId === undefined;

/** The rows of the table of cases, for a person who is to stay. */
const rows: Readonly<Record<string, (at: Situation) => unknown>> = {
  "nothing: a person": (at) => isNothing(at) && wants(at, "nothing"),
  "nothing: with seat": (at) => isNothing(at) && wants(at, "seat"),
  "nothing: with seat and token": (at) => isNothing(at) && wants(at, "token"),
  "nothing: adopt": ({ held, person }) => held.users.length === 0 && person.userId,
  "a user: seat and token": (at) =>
    isStaying(at) && !hasSeat(at.user) && !hasToken(at.user) && wants(at, "token"),
  "a user with a seat: token": (at) =>
    isStaying(at) && hasSeat(at.user) && !hasToken(at.user) && wants(at, "token"),
  "a user with a token: seat": (at) =>
    isStaying(at) && at.user?.seat === "none" && hasToken(at.user) && wants(at, "token"),
  "seat and token: no token": (at) =>
    isStaying(at) && hasSeat(at.user) && hasToken(at.user) && wants(at, "seat"),
  "seat and token: no seat": (at) =>
    isStaying(at) && hasSeat(at.user) && hasToken(at.user) && wants(at, "nothing"),
  "a seat that stays: no seat": (at) =>
    isStaying(at) &&
    hasSeat(at.user) &&
    wants(at, "nothing") &&
    (at.user?.seatAdopted || at.held.agreed.onDelete?.seat === "retain"),
  "a token that ends too early": (at) => keeps(at) && endOf(at.fits?.tokens[0] ?? none) < end(at),
  "an expired token": (at) => keeps(at) && endOf(at.fits?.tokens[0] ?? none) < now,
  "a token that ends too late": (at) =>
    keeps(at) && endOf(at.fits?.tokens[0] ?? none) > end(at) && end(at) > now,
  "a date in the past": (at) => keeps(at) && end(at) < now,
  "another mark": (at) => keeps(at) && at.fits?.tokens[0]?.mark !== at.person.token?.mark,
  "a period that is over": (at) => keeps(at) && at.person.token?.rotateEvery,
  "a lost value": (at) => keeps(at) && at.fits?.tokens[0]?.value === "lost",
  "other recipients": (at) =>
    keeps(at) && at.person.token?.recipients?.[0] !== at.fits?.tokens[0]?.sealedFor?.[0],
  "a value to be kept again": (at) =>
    keeps(at) && current(at)?.value === "none" && at.person.token?.keepValue !== false,
  "an earlier token whose time is over": (at) =>
    keeps(at) && at.fits?.tokens.slice(1).some(({ endsAfter }) => !endsAfter || ms(endsAfter) <= now),
  "another address": (at) => isChange(at) && at.person.email && at.user?.address,
  "another purpose": (at) => isChange(at) && at.person.purpose && at.user?.purpose,
  "another address, retained": (at) => isChange(at) && at.held.agreed.onDelete?.user === "retain",
  "another address, adopted": ({ user, fits, held, person }) =>
    user && !fits && person.userId && held.users.every(({ id }) => id !== person.userId),
  "adopt of the old one": ({ user, fits, person }) => user && fits !== user && person.userId === user.id,
  "the address under the same id": ({ user, held, person, one }) =>
    user?.address !== undefined &&
    person.email !== undefined &&
    !isSame(user, marksOf(held.ref, person)) &&
    one.seen.users?.some(({ id, email }) => id === user.id && email === person.email),
  "two users: the new address": ({ user, fits, held }) => held.users.length > 1 && fits && fits !== user,
  "two users: the old address": ({ user, fits, held }) => held.users.length > 1 && fits && fits === user,
  "each user proven absent": ({ held, one }) => one.held.users.length > 0 && held.users.length === 0,
  settings: ({ person, held }) => person.team !== held.agreed.team || person.key !== held.key,
  "another organization": ({ person }) => person.organization === "changed",
};

const none = { adopted: false, issuedAt: NOW, declaredEnd: "", value: "none" } as const;

/** The rows for who is to leave. */
const leaving = ["row gone", "row gone, two users", "offboarded, two users", "access ended", "emptied"];

export const names: readonly string[] = [
  ...fieldsOf(heldSchema, "held"),
  ...Object.keys(causes).map((cause) => `cause ${cause}`),
  ...Object.keys(rows),
  ...leaving,
];

/** The names that a case meets. */
export function met(one: Drawn, { units }: Plan): Set<string> {
  const steps = units.flatMap((unit) => unit.steps);
  const found = [...valuesOf(one.held, "held"), ...steps.map(({ cause }) => `cause ${cause}`)];
  const { wanted } = one;
  const isTwo = one.held.users.length > 1;
  if (!("seat" in wanted)) {
    const isEmptied = one.held.users.length === 0 && one.held.agreed.leaving === true;
    const how = wanted.removal === "delete" ? "offboarded" : "row gone";
    return new Set([
      ...found,
      how,
      ...(isTwo ? [`${how}, two users`] : []),
      ...(isEmptied ? ["emptied"] : []),
    ]);
  }
  if (wanted.accessUntil !== undefined && ms(wanted.accessUntil) <= now)
    return new Set([...found, "access ended"]);
  const held = look({ ...one, can: noCan, now });
  const { email, purpose, firstName = purpose, lastName } = wanted;
  const marks = marksOf(held.ref, { email, firstName, lastName });
  const at = {
    held,
    user: held.users[0],
    fits: held.users.find((user) => isSame(user, marks)),
    person: wanted,
    one,
  };
  return new Set([...found, ...Object.keys(rows).filter((name) => rows[name]?.(at))]);
}

const noCan = {
  canListUsers: false,
  canListTokens: false,
  revokesByTokenId: false,
  canSetExpiry: false,
};
