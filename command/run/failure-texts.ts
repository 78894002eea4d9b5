/** The sentence about a failure, in the words of a roster. Pure. */
import { type AdviceCode, adviceCodes } from "../../provider/resources/failures.ts";
import type { ReportedFailure } from "../../provider/runtime/run-report.ts";
import { withoutStop } from "../../provider/util/text.ts";
import { inRosterWords } from "../plan/texts/warnings.ts";

/** What decides about a machine user whom a lost response may have added. */
const DECISION =
  "If it exists, write its user id into `user_id` of the row. If not, approve adding it: `orgseat preview` prints the value for --approve.";

interface Subject {
  /** The email or the purpose. */
  readonly who: string;
  readonly key: string;
  readonly userId: string | undefined;
}

const AGAIN = "run `orgseat up` again";

const remedies: Readonly<Record<AdviceCode, (whom: Subject) => string>> = {
  "user-exists": ({ who }) =>
    `${who} is already a member of the organization. Write the user id into \`user_id\` of the row and ${AGAIN}, or run \`orgseat adopt\`.`,
  "user-unknown": ({ who }) =>
    `The service may have added ${who}; orgseat does not send the request again. Check in the service: if ${who} is a member, write the user id into \`user_id\` of the row. Then ${AGAIN}.`,
  "machine-user-unknown": ({ who }) =>
    `The service may have a machine user ${who} that is not in any state. ${DECISION}`,
  "machine-user-undecided": () => DECISION,
  "user-gone": ({ who, userId }) =>
    `${named(who, userId)} is no longer in the organization. Remove the row and ${AGAIN}. To add the person again, restore the row after that run. If the service has the same email under another user id, write that id into \`user_id\`.`,
  "seat-exists": ({ who, userId }) =>
    `${who} already has a seat, and the service does not report who assigned it. To adopt the seat, write ${idOf(userId)} into \`user_id\` of the row and ${AGAIN}.`,
  "seat-unknown": ({ who }) =>
    `The service may have assigned the seat of ${who}. Run \`orgseat up\` again to confirm it; this uses no second seat.`,
  "no-seats": ({ who }) =>
    `No seats available for ${who}, or the subscription has expired. Free or buy a seat, then ${AGAIN}.`,
  "token-exists": ({ who, userId }) =>
    `${named(who, userId)} already has a token, whose value cannot be read. Write ${idOf(userId)} into \`user_id\` of the row and ${AGAIN}, which revokes that token and issues a new one.`,
  "token-undecided": ({ who, userId }) =>
    `If ${who} uses the existing token, write ${idOf(userId)} into \`user_id\` of the row and \`token: adopt\`; if not, revoke it in the service. Then ${AGAIN}.`,
  "token-gone": ({ who }) =>
    `The service no longer has a token of ${who}. To issue a new one, with a new value, run \`orgseat rotate\`.`,
  "token-left": ({ who, userId }) =>
    `${named(who, userId)} still has a valid token that this roster does not manage. To revoke it and remove the rest, run \`orgseat offboard\`.`,
  "seat-or-token-left": ({ who, userId }) =>
    `${named(who, userId)} still has a seat or a token that this roster does not manage. Remove it in the service, then ${AGAIN}.`,
  "subscription-ended": () => `Renew the organization's subscription, then ${AGAIN}.`,
};

interface Failed {
  readonly text: string;
  readonly failure: ReportedFailure | undefined;
  readonly userId: string | undefined;
}

/** The sentence about a failure, in the words of a roster. */
export function describeFailure(
  { text, failure, userId }: Failed,
  { who, key }: Omit<Subject, "userId">,
): string {
  const { advice, reason = text } = failure ?? {};
  const inProgram = text.replaceAll("`pulumi up`", "`orgseat up`");
  const subject = adviceCodes.find((code) => code === advice);
  if (subject === undefined) return inRosterWords(inProgram);
  return `${withoutStop(reason)}. ${remedies[subject]({ who, key, userId })}`;
}

function named(who: string, userId: string | undefined): string {
  return userId === undefined ? who : `${who} (user ${userId})`;
}

function idOf(userId: string | undefined): string {
  return userId ?? "the user id";
}
