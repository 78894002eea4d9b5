/**
 * What a member holds: the memory of an OrgMember in the state, with every case that an interrupted or refused change can
 * leave. Addresses, names, and purposes are in it as marks only; the readable ones are inputs. Pure.
 */
import { createHash } from "node:crypto";
import { z } from "zod";

/**
 * `left`: the service has it, and orgseat doesn't manage it. `unconfirmed`: probably held, a repeated "assign seat" confirms it.
 * `unknown`: a removal got no answer.
 */
const seatStates = ["none", "held", "left", "unconfirmed", "unknown"] as const;
/** `sealed`: for `sealedFor`. `lost`: the response with the value was lost. `none`: adopted, or not kept. */
const valueStates = ["kept", "sealed", "lost", "none"] as const;

const onDeleteSchema = z.enum(["delete", "retain"]);
const texts = z.array(z.string()).readonly();
const instant = z.string().min(1);
/** Absent while it is false. */
const flag = z.boolean().default(false);

const tokenSchema = z
  .object({
    /** Absent where tokens have no ids, or while no list shows which one it is. */
    id: z.string().optional(),
    /** While the id is unknown: the ids that are certainly not its own. */
    others: texts.optional().catch(undefined),
    adopted: flag,
    issuedAt: instant,
    /** The end that was requested, tolerance included. */
    declaredEnd: instant,
    /** The end that the service reported last. */
    reportedEnd: instant.optional().catch(undefined),
    /** The `rotation` that it was issued for. */
    mark: z.string().optional(),
    /** Of an earlier token: until when it stays beside its successor. */
    endsAfter: instant.optional(),
    value: z.enum(valueStates),
    /** Absent of an adopted token whose recipients are not agreed yet. */
    sealedFor: texts.optional(),
    /** The request that the service answered with an earlier end; or `revoke token`, if its answer proved nothing. */
    asked: z.object({ what: z.string(), at: instant }).readonly().optional().catch(undefined),
  })
  .readonly();

const unmanagedTokens = z.array(z.object({ id: z.string(), end: instant.optional() }).readonly()).readonly();

const userSchema = z
  .object({
    id: z.string().min(1),
    /** Added for a changed address, and not the current user yet. */
    coming: z.literal(true).optional(),
    /** When it was added or adopted. */
    since: instant.optional().catch(undefined),
    /** Marks. A person has an address, a machine user a purpose, and perhaps a last name. */
    address: z.string().optional(),
    purpose: z.string().optional(),
    lastName: z.string().optional(),
    /** Marks of the names in the service. */
    listed: z
      .object({ firstName: z.string().optional(), lastName: z.string().optional() })
      .readonly()
      .optional()
      .catch(undefined),
    role: z.string().optional(),
    adopted: flag,
    seat: z.enum(seatStates),
    seatAdopted: flag,
    seatSince: instant.optional().catch(undefined),
    /** The first one is current, the others are earlier ones. */
    tokens: z.array(tokenSchema).readonly(),
    /** Live tokens that no state has, and the own one that has ended: the user may have issued them. */
    unmanaged: z
      .object({ live: unmanagedTokens, instead: tokenSchema })
      .readonly()
      .optional()
      .catch(undefined),
    /** The removal whose answer proved nothing. */
    asked: z
      .object({ what: z.enum(["seat", "user"]), at: instant })
      .readonly()
      .optional(),
  })
  .readonly();

export const pendingSchema = z
  .object({
    /** When the request was sent. */
    since: instant,
    address: z.string().optional(),
    purpose: z.string().optional(),
    lastName: z.string().optional(),
    /** The ids of the users of this address or these names from before. Absent if no list was read. */
    before: texts.optional().catch(undefined),
    /** After a timeout the request may still have an effect: a list that lacks the user proves nothing. */
    late: z.literal(true).optional(),
    /** It was sent a second time. */
    again: z.literal(true).optional(),
  })
  .readonly();

const agreedSchema = z
  .object({
    onDelete: z
      .object({ user: onDeleteSchema.optional(), seat: onDeleteSchema.optional() })
      .readonly()
      .optional(),
    allowAdminRemoval: z.boolean().optional(),
    protected: z.boolean().optional(),
    /** An identity provider adds and removes the user. */
    directory: z.literal(true).optional(),
    leaving: z.literal(true).optional(),
    accessUntil: instant.optional(),
    expiresAt: z.string().optional(),
    renewBefore: z.string().optional(),
    /** In months. */
    tolerance: z.number().optional(),
    rotateEvery: z.string().optional(),
    keepPreviousFor: z.string().optional(),
    subscriptionExpiresAt: instant.optional(),
    /** A mark. */
    names: z.string().optional(),
    team: z.string().optional(),
  })
  .readonly();

/** Unknown fields are left out, and what no decision needs counts as absent in another form: a state of a newer release is refused before. */
export const heldSchema = z
  .object({
    /** The id of the resource, which never changes. Marks depend on it. */
    ref: z.string().min(1),
    /** The key of the row. */
    key: z.string().optional(),
    /** The first one is current, the others have still to leave, or to become current (`coming`). */
    users: z.array(userSchema).readonly(),
    pending: pendingSchema.optional(),
    /** The ids of the users who are gone. */
    left: texts.optional(),
    agreed: agreedSchema,
  })
  .readonly();

export type Held = z.output<typeof heldSchema>;
export type HeldUser = z.output<typeof userSchema>;
export type HeldToken = z.output<typeof tokenSchema>;
export type Pending = z.output<typeof pendingSchema>;
export type Agreed = z.output<typeof agreedSchema>;

/** The `asked` of a token whose revocation got an answer that proved nothing. */
export const REVOCATION = "revoke token";

/** As the state has it: the schema gives what is left out. */
export function storedHeld(held: Held): Held {
  return JSON.parse(
    JSON.stringify(held, (name, value) => (isFlag(name) && value === false ? undefined : value)),
  );
}

function isFlag(name: string): boolean {
  return name === "adopted" || name === "seatAdopted";
}

/** @param ref chosen by the plan of a roster, or by the provider of a program */
export function nothingHeld(ref: string, key?: string): Held {
  return { ref, ...(key === undefined ? {} : { key }), users: [], agreed: {} };
}

/** A text as `Held` has it: equal for equal texts of one member, in any letter case. */
export function markOf(ref: string, text: string): string {
  return createHash("sha256")
    .update(`${ref}\n${plainText(text)}`)
    .digest("base64url")
    .slice(0, 16);
}

/** Equal for two texts with the same mark. */
export function plainText(text: string): string {
  return text.normalize("NFC").trim().replaceAll(/\s+/g, " ").toLowerCase();
}

/** The user whom outputs are about; undefined while the member holds none. */
export function currentUser({ users }: Held): HeldUser | undefined {
  return users[0];
}

export function userById({ users }: Held, id: string): HeldUser | undefined {
  return users.find((user) => user.id === id);
}

/** When a token expires, as far as the state knows. */
export function endOf({ reportedEnd, declaredEnd }: HeldToken): string {
  return reportedEnd ?? declaredEnd;
}

/** The token as the rules of absence know it. */
export function asOwn(token: HeldToken) {
  const { id: tokenId, others: otherTokenIds, value } = token;
  return { tokenId, otherTokenIds, validUntil: endOf(token), isLost: value === "lost" };
}

/** What names a token of its user in steps and reports. */
export function nameOfToken({ id, issuedAt }: HeldToken): string {
  return id ?? issuedAt;
}

/** The tokens that are not revoked, expired ones too. */
export function liveTokensOf(held: Held): HeldToken[] {
  return held.users.flatMap(({ tokens }) => tokens);
}

/** The token whose value the outputs have, whichever user has it: until its revocation, the old one of a changed address. */
export function tokenOfValue(held: Held): HeldToken | undefined {
  return liveTokensOf(held).find(({ value }) => value === "kept" || value === "sealed");
}

/** Whether the state has a token of the user, or has had one until the service showed another instead. */
export function hasToken({ tokens, unmanaged }: HeldUser): boolean {
  return tokens.length > 0 || unmanaged !== undefined;
}

/** Whether nothing is held, and nothing may be. */
export function holdsNothing({ users, pending }: Held): boolean {
  return users.length === 0 && pending === undefined;
}

/** Whether the member has left: it is no change, and counts nowhere. */
export function isEmptied(held: Held): boolean {
  return holdsNothing(held) && held.agreed.leaving === true;
}
