/**
 * The approved steps of one member, as a plan of the command hands them to the provider: which units of the member's own
 * list are sent, and what the plan read. Pure.
 */
import { createHash } from "node:crypto";
import { z } from "zod";
import { pendingSchema } from "./held.ts";
import type { Unit } from "./step.ts";
import type { Seen, Wanted } from "./wanted.ts";

const tokenSchema = z.object({
  id: z.string(),
  end: z.string().optional(),
  isRevoked: z.boolean().optional(),
});
const text = z.string().nullable().optional();
const userSchema = z.object({
  id: z.string(),
  ...{ email: text, firstName: text, lastName: text },
  role: z.string().optional(),
  hasSeat: z.boolean().optional(),
  tokens: z.array(tokenSchema).optional(),
  isOurs: z.literal(true).optional(),
});
export interface SeenSchema extends z.ZodType<Seen> {}
const seenSchema: SeenSchema = z.object({
  users: z.array(userSchema).optional(),
  isHiding: z.literal(true).optional(),
  absent: z.array(z.string()).optional(),
  pending: pendingSchema.optional(),
  revoked: z.array(z.object({ user: z.string(), token: z.string() })).optional(),
});

/** What a command decides about a member, beside the roster. */
const decisionSchema = z.object({
  /** The user of a request without an answer does not exist. */
  missing: z.object({ of: z.enum(["creation", "removal"]), since: z.string() }).optional(),
  /** Of a removed person: `delete` removes what the state would retain, too; `retain` takes the tokens alone. */
  removal: z.enum(["delete", "retain"]).optional(),
  /** False: a rotation by its rule waits, and the token is renewed. */
  rotates: z.literal(false).optional(),
  /** An adopted user has the declared seat: no request confirms it. */
  trustsSeat: z.literal(true).optional(),
  /** Of a new member: a creation that an interrupted run may have done. */
  pending: pendingSchema.optional(),
});
export type Decision = z.output<typeof decisionSchema>;

export const approvedMemberSchema = decisionSchema.extend({
  /** Those that are sent, by `unitKey`. */
  units: z.array(z.string()),
  /** What the plan read. Absent: nothing. */
  seen: seenSchema.optional(),
});
export type ApprovedMember = z.output<typeof approvedMemberSchema>;

export const stepLineSchema = z.object({
  /** Of the member. */
  ref: z.string(),
  /** By `unitKey`. */
  unit: z.string(),
  /** Of the step in its unit. */
  index: z.number(),
  /** In milliseconds since 1970. */
  at: z.number(),
  /** `sent`: before its request leaves. A step of the state alone has the other line only. */
  phase: z.enum(["sent", "answered"]),
  outcome: z.enum(["ok", "gone", "unproven", "noEffect", "refused", "conflict", "lost", "late"]).optional(),
  /** Of a refusal: whether a later run gets the same. */
  isForGood: z.boolean().optional(),
  /** Of "add user". */
  userId: z.string().optional(),
});
/** A line of the run report about a step. */
export type StepLine = z.output<typeof stepLineSchema>;

/** Names what a unit sends: equal for equal calls, users, tokens, and target values, and of the state alone, equal effects. */
export function unitKey({ steps }: Unit): string {
  const content = steps.map(({ call, user, token, target, effect }) => ({
    call,
    user,
    token,
    target,
    effect,
  }));
  return createHash("sha256").update(canonical(content)).digest("base64url").slice(0, 22);
}

/** JSON with sorted keys, without undefined values. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, one: unknown) =>
    typeof one === "object" && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  );
}

/** What is wanted in this run: the inputs, with what the plan has decided. */
export function wantedAs(wanted: Wanted, { missing, removal, rotates, trustsSeat }: Decision): Wanted {
  return wanted.leaving ? { ...wanted, removal } : { ...wanted, missing, rotates, trustsSeat };
}
