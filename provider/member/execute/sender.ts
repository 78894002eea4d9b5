/** What sending the steps of one member needs, and what an answer gives. */

import type { CallContext, OrganizationAccess } from "../../resources/contexts.ts";
import type { Answered } from "../../resources/members/user-facts.ts";
import { known } from "../../resources/unknown.ts";
import type { Kept } from "../../resources/user-token/sealing.ts";
import { isLater } from "../../util/instants.ts";
import type { Outcome } from "../advance.ts";
import type { Held, HeldToken, HeldUser } from "../held.ts";
import { nameOfToken } from "../held.ts";
import { NEW_USER, type Step, type Target } from "../step.ts";
import type { Can, Wanted } from "../wanted.ts";

/** Stores a token's value as the state keeps it: prepared before anything is sent. */
export type Keep = (value: string) => Promise<Kept>;

export interface Sender {
  /** Of what is held: marks depend on it. */
  readonly ref: string;
  readonly access: OrganizationAccess;
  readonly wanted: Wanted;
  readonly can: Can;
  /** With the time of one step. */
  readonly context: CallContext;
  readonly keep: Keep | undefined;
  /** Whether messages are for the reader of a roster. */
  readonly isRow: boolean;
  /** What the unit has done so far, as a sentence, for the message of a failure. */
  readonly effect?: string | undefined;
}

/** An answered step. */
export interface Sent {
  readonly outcome: Outcome;
  /** Why it is not done. */
  readonly error?: Error | undefined;
  /** The value of a token that the answer has, as the state keeps it. */
  readonly kept?: Kept | undefined;
  /** The added user, as the answer or a list shows it. */
  readonly added?: Answered | undefined;
}

/** The user of a step; undefined for "add user". */
export function userOfStep({ users }: Held, { user }: Pick<Step, "user">): HeldUser | undefined {
  if (user !== NEW_USER) return users.find(({ id }) => id === user);
  return users.findLast(({ coming }) => coming === true) ?? users[0];
}

export function tokenOfStep({ tokens }: HeldUser, { token }: Pick<Step, "token">): HeldToken | undefined {
  return tokens.find((one) => nameOfToken(one) === token);
}

/** Who the member is in the request of "add user". */
export function identityOf(wanted: Wanted) {
  if (wanted.leaving) return {};
  return {
    email: known(wanted.email),
    purpose: known(wanted.purpose),
    firstName: known(wanted.firstName),
    lastName: known(wanted.lastName),
  };
}

/** How messages name the member. @param userId of whom they tell, who can be another one than the wanted user */
export function nameOf({ wanted, context }: Pick<Sender, "wanted" | "context">, userId?: string): string {
  const label = labelOf(wanted);
  if (userId === undefined || userId === NEW_USER) return label ?? "the member";
  const known = context.people.find(userId);
  return label === undefined || (known !== undefined && known !== label)
    ? context.people.nameOf(userId)
    : label;
}

/** How messages call whom the member wants; undefined of a part, which names its user alone. */
export function labelOf(wanted: Wanted): string | undefined {
  const { email, purpose, lastName } = identityOf(wanted);
  return email ?? (purpose === undefined || lastName === undefined ? purpose : `${purpose} ${lastName}`);
}

/** The owner of a token or seat, for calls and notes. */
export function ownerOf({ access }: Pick<Sender, "access">, { id }: Pick<HeldUser, "id">) {
  return { ...access, userId: id };
}

/** How the state keeps a value. */
export function stateOf({ value, sealedValue }: Kept): "kept" | "sealed" | "none" {
  if (sealedValue !== undefined) return "sealed";
  return value === undefined ? "none" : "kept";
}

/** Warns of a token that ends before the requested end. @param end undefined: the service does not report it */
export function warnIfLimited(
  how: "expires" | "now expires",
  {
    end,
    target = {},
    userId,
  }: { readonly end: string | undefined; readonly target?: Target | undefined; readonly userId: string },
  sender: Sender,
): void {
  const { until, request } = target;
  if (end === undefined || until === undefined || !isLater(until, end)) return;
  sender.context.diagnostics.warn(
    `token of ${nameOf(sender, userId)} ${how} at ${end}, not at ${until} as requested: the service limits it, or the subscription ends then. orgseat requests ${request ?? until} again when half of that time has passed.`,
  );
}
