/**
 * The report as data, which is its JSON form too. Timestamps are RFC 3339 in UTC; `null` is "none" or, if the
 * comment says so, "unknown". A field is only ever added under the same `version`.
 */
import { z } from "zod";
import { driftKinds } from "../plan/drift.ts";

/** By days left, whole ones, rounded down: `under7` has 0 to 6 of them. */
export const bands = ["expired", "under7", "under30", "under90", "more"] as const;
export type Band = (typeof bands)[number];

const instant = z.string();
const count = z.int().nonnegative();

const tokenSchema = z.strictObject({
  validUntil: instant,
  /** Negative for a token that has expired. */
  daysLeft: z.int(),
  band: z.enum(bands),
  /** Whether the service confirmed `validUntil`, or it is the declared date. */
  source: z.enum(["service", "declared"]),
  /** When a rule rotates it: the first `up` after that does. Null without a rule, or while its age is unknown. */
  rotationDue: instant.nullable(),
  /** When orgseat issued it: a renewal leaves it. Null for an adopted one: the service does not say it. */
  issuedAt: instant.nullable(),
  /** When orgseat adopted it. Null for one that orgseat issued. */
  adoptedAt: instant.nullable(),
});

const seatUseSchema = z.strictObject({
  /**
   * `new`: assigned so shortly ago that it cannot be idle. `unknown`: never used, and adopted shortly ago, so the state
   * does not say since when the person has it.
   */
  status: z.enum(["used", "idle", "new", "unknown", "notInFile", "withoutEmail"]),
  /** As the file has it; null: never, or not known. */
  lastSeen: instant.nullable(),
  /** The last use, or the later assignment of the seat; null: not known. */
  unusedSince: instant.nullable(),
  /** Whole days since then. */
  unusedDays: count.nullable(),
});

const accessSchema = z.strictObject({
  until: instant,
  /** Negative once it has ended. */
  daysLeft: z.int(),
  /** `endsSoon`: within 14 days. */
  status: z.enum(["open", "endsSoon", "ended"]),
});

const personSchema = z.strictObject({
  /** The email, otherwise the purpose, otherwise the user id or the key. */
  who: z.string(),
  /** `unknown`: a seat or a token of a user whom the state does not hold. */
  kind: z.enum(["person", "machine", "unknown"]),
  /** Of the roster's row. */
  key: z.string().nullable(),
  email: z.string().nullable(),
  /** The purpose of the token of a machine user. */
  purpose: z.string().nullable(),
  firstName: z.string().nullable(),
  lastName: z.string().nullable(),
  team: z.string().nullable(),
  userId: z.string().nullable(),
  stack: z.string().nullable(),
  inRoster: z.boolean(),
  inState: z.boolean(),
  /** `unconfirmed`: the answer to the assignment was lost; the next run makes sure. */
  seat: z.enum(["assigned", "unconfirmed", "none"]),
  /** The product codes of the user's subscriptions, as the service lists them. Null: not read, or not said. */
  products: z.array(z.string()).nullable(),
  token: tokenSchema.nullable(),
  /** When orgseat added the user or, if `adopted`, adopted it; null if the state does not say. The service never says it. */
  since: instant.nullable(),
  /** Whether the user was a member before orgseat managed it. */
  adopted: z.boolean(),
  /** The end of the access (`access_until`). Null: the roster has none. */
  access: accessSchema.nullable(),
  /** Null: no seat, or no file of last uses. */
  seatUse: seatUseSchema.nullable(),
});

const changeSchema = z.strictObject({ who: z.string(), userId: z.string(), at: instant });

const monthSchema = z.strictObject({
  /** Such as `2026-11`, in UTC. */
  month: z.string(),
  joined: z.array(changeSchema),
  /** Members already, under management since. */
  adopted: z.array(changeSchema),
  /** Null: not known, because no audit log was given. */
  left: z.array(changeSchema).nullable(),
});

const seatUsesSchema = z.strictObject({
  /** Days without use after which a seat counts as idle. */
  idleDays: count,
  /** The holders of a seat by status. Freeing the idle seats makes as many available. */
  ...{ used: count, idle: count, new: count, unknown: count, notInFile: count, withoutEmail: count },
  /** People of the file who are in no roster and no state. */
  notInRoster: count,
});

/** What differs between the state and the service. */
const driftSchema = z.strictObject({
  /** Whether the tokens were compared too. */
  tokens: z.boolean(),
  findings: z.array(
    z.strictObject({
      key: z.string(),
      who: z.string(),
      stack: z.string(),
      userId: z.string(),
      kind: z.enum(driftKinds),
      /** The value in the state, and the one in the service; null if there is none. */
      before: z.string().nullable(),
      now: z.string().nullable(),
    }),
  ),
  /** The members whom the stack does not have. */
  unmanaged: z.array(
    z.strictObject({
      userId: z.string(),
      /** Null for a machine user without one. */
      email: z.string().nullable(),
      /** Null: the service does not say it. */
      ...{ role: z.string().nullable(), seat: z.boolean().nullable() },
      /** The product codes of the user's subscriptions. Null: the service does not say it. */
      products: z.array(z.string()).nullable(),
    }),
  ),
});

/** The dates that `--due` looks at. */
export const dueKinds = ["subscription", "access", "token", "rotation"] as const;
export type DueKind = (typeof dueKinds)[number];

const dueSchema = z.strictObject({
  /** A duration, such as `30d`. */
  within: z.string(),
  /** The soonest first, those that have passed among them. */
  entries: z.array(
    z.strictObject({
      what: z.enum(dueKinds),
      at: instant,
      /** Negative once it has passed. */
      daysLeft: z.int(),
      /** As in `people`; empty for the subscription. */
      who: z.string(),
      /** As in `people`. */
      ...{ key: z.string().nullable(), team: z.string().nullable() },
      ...{ userId: z.string().nullable(), stack: z.string().nullable() },
    }),
  ),
});

export const reportSchema = z.strictObject({
  version: z.literal(1),
  generatedAt: instant,
  organizationId: z.string(),
  subscription: z.strictObject({ endsAt: instant.nullable(), daysLeft: z.int().nullable() }),
  seats: z.strictObject({
    /** Held by people of this stack, the unconfirmed ones among them; by everybody whom the service lists, if it can. */
    used: count,
    unconfirmed: count,
    /** Null: not known. */
    purchased: count.nullable(),
    /** Purchased minus used; negative if more are used. Null: not known. */
    available: z.int().nullable(),
    /** Where `purchased` comes from. */
    source: z.enum(["declared", "unknown"]),
  }),
  tokens: z.strictObject({
    total: count,
    confirmed: count,
    declared: count,
    /** Those that the next `up` rotates on schedule. */
    rotationDue: count,
    bands: z.array(z.strictObject({ band: z.enum(bands), total: count, confirmed: count, declared: count })),
  }),
  /** Everyone in the roster and in the state, once; whose token ends soonest is first, without a token last. */
  people: z.array(personSchema),
  /** Null without a file of last uses. */
  seatUse: seatUsesSchema.nullable(),
  machineUsersByPurpose: z.array(
    z.strictObject({ purpose: z.string(), total: count, userIds: z.array(z.string()) }),
  ),
  month: monthSchema.nullable(),
  /** Null: not checked; if the service can list its members, a note says why. */
  drift: driftSchema.nullable(),
  /** Null: not asked. */
  due: dueSchema.nullable(),
  /** Sentences about what is missing or unknown. */
  notes: z.array(z.string()),
});

// An interface keeps its name in declarations, where a type is repeated in full.
export interface Report extends z.output<typeof reportSchema> {}
export type ReportedPerson = z.output<typeof personSchema>;
export type ReportedToken = z.output<typeof tokenSchema>;
export type ReportedSeatUse = z.output<typeof seatUseSchema>;
export type SeatUses = z.output<typeof seatUsesSchema>;
export type ReportedDue = z.output<typeof dueSchema>;
export type ReportedDrift = z.output<typeof driftSchema>;
export type MonthlyChanges = z.output<typeof monthSchema>;
