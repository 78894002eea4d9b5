/** What to do about a failure where people are rows of a roster, by the code of the provider's own advice to programs. */
import type { AdviceCode } from "../../provider/resources/failures.ts";
import { describeDecision } from "./plan/earlier-creations.ts";
import type { StepFailure } from "./step-results.ts";

interface Whom {
  /** The email or the purpose. */
  readonly who: string;
  /** Of the row. */
  readonly key: string;
  readonly userId: string | undefined;
}

const AGAIN = "run `orgseat up` again";

const remedies: Readonly<Record<AdviceCode, (whom: Whom) => string>> = {
  "user-exists": ({ who }) =>
    `${who} is a member of the organization already. Write the user id into \`user_id\` of the row and ${AGAIN}, or run \`orgseat adopt\`.`,
  "user-unknown": ({ who }) =>
    `${who} may have been added; nothing is sent again by itself. Look at the service's administration: if ${who} is there, write the user id into \`user_id\` of the row. Then ${AGAIN}.`,
  "managed-user-unknown": ({ who, key }) =>
    `One managed user named ${who} may exist now that no state knows. ${describeDecision(key)}`,
  "managed-user-undecided": ({ key }) => describeDecision(key),
  "user-gone": ({ who, userId }) =>
    `${named(who, userId)} is not in the organization any more. Remove the row and ${AGAIN}. To add the person again, put the row back after that; if the service has the same email under another user id, with that id in \`user_id\`.`,
  "seat-exists": ({ who, userId }) =>
    `${who} holds a seat already, and the service does not say who assigned it. To take the seat over, write ${idOf(userId)} into \`user_id\` of the row and ${AGAIN}.`,
  "seat-unknown": ({ who }) =>
    `The seat of ${who} may have been assigned; ${AGAIN}, which makes sure of it and uses no second seat.`,
  "no-seats": ({ who }) =>
    `No seat is free for ${who}, or the subscription has ended. Free or buy a seat, then ${AGAIN}.`,
  "token-exists": ({ who, userId }) =>
    `${named(who, userId)} has a token already, whose value cannot be read. Write ${idOf(userId)} into \`user_id\` of the row and ${AGAIN}, which revokes that token and issues a new one.`,
  "token-unknown": ({ who, userId }) =>
    `A token of ${who} may have been issued whose value is lost. Write ${idOf(userId)} into \`user_id\` of the row and ${AGAIN}, which revokes that token, if there is one, and issues a new one.`,
  "token-gone": ({ who }) =>
    `The service has no token of ${who} any more. \`orgseat rotate\` issues a new one, with a new value.`,
  "token-left": ({ who, userId }) =>
    `A token of ${named(who, userId)} still works that this roster does not manage. \`orgseat offboard\` revokes it, and removes the rest.`,
  "seat-or-token-left": ({ who, userId }) =>
    `${named(who, userId)} still holds a seat or a token that this roster does not manage. Remove it at the service, then ${AGAIN}.`,
  "subscription-ended": () => `Renew the organization's subscription, then ${AGAIN}.`,
};

/** The sentence about a failure, of a program's resource or, by `roster`, of a row. */
export function describeFailure(
  { text, failure, userId }: StepFailure,
  { who, key, isRoster }: Omit<Whom, "userId"> & { readonly isRoster: boolean },
): string {
  const { advice, reason = text } = failure ?? {};
  const inProgram = text.replaceAll("`pulumi up`", "`orgseat up`");
  if (!isRoster || advice === undefined) return inProgram;
  return `${reason.replace(/[.\s]*$/, "")}. ${remedies[advice]({ who, key, userId })}`;
}

function named(who: string, userId: string | undefined): string {
  return userId === undefined ? who : `${who} (user ${userId})`;
}

function idOf(userId: string | undefined): string {
  return userId ?? "the user id";
}
