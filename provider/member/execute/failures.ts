/** Why a step is not done, with the next step for the reader: the only place of these texts. */
import { ApiError } from "../../api/calls/errors.ts";
import {
  isAbsent,
  isRefused,
  mayHaveSucceeded,
  RENEW_SUBSCRIPTION,
  withNextStep,
} from "../../resources/failures.ts";
import { provesNoUser } from "../../resources/members/absence.ts";
import { CodedError, type ErrorCode } from "../../util/error-codes.ts";
import { RUN_AGAIN, THEN_RUN_AGAIN } from "../../util/text.ts";
import type { Held, HeldUser } from "../held.ts";
import type { Call, Obstacle } from "../step.ts";
import { DECIDE, DECIDE_IN_ROSTER, IF_DECLARED, isAboutHeldUser, obstacleText } from "../texts.ts";
import { outcomeOf } from "./outcome.ts";
import { identityOf, nameOf, type Sender, type Sent } from "./sender.ts";

/** An answer that settles nothing, or shows that nothing may be sent again. */
export class Unsettled extends Error {
  readonly sent: Sent;

  constructor(sent: Sent) {
    super(sent.error?.message ?? "unsettled", { cause: sent.error });
    this.sent = sent;
  }
}

/** @throws whatever is no failed call and no failure with a code: only a maintainer can act on it */
export function failureOf(error: unknown, call: Call, sender: Sender, userId?: string): Sent {
  const at = sender.context.time.sendTime();
  if (error instanceof ApiError)
    return { outcome: outcomeOf(call, error, at), error: advised(error, call, sender, userId) };
  if (error instanceof Error && error.cause instanceof ApiError)
    return { outcome: outcomeOf(call, error.cause, at), error };
  if (!(error instanceof CodedError)) throw error;
  return { outcome: { is: "refused", isForGood: false, at }, error };
}

function advised(error: ApiError, call: Call, sender: Sender, userId: string | undefined): Error {
  if (call === "add user" && mayHaveSucceeded(error)) return lostUser(error, sender);
  const { effect = "", isRow } = sender;
  const advice = adviceOf(error, call);
  if (advice === undefined) return effect === "" ? error : withNextStep(error, "", undefined, effect);
  const who = nameOf(sender, userId);
  const step = isRow ? advice.inRoster(who, userId ?? "the user id") : advice.inProgram(who);
  return withNextStep(error, step, advice.code, effect);
}

/** The next step for the reader of a program, and for that of a roster. */
interface Advice {
  readonly code: ErrorCode;
  inProgram(who: string): string;
  inRoster(who: string, userId: string): string;
}

function adviceOf(error: ApiError, call: Call): Advice | undefined {
  const lost = lostSteps[call];
  const isUserGone = error.call === "list tokens" ? provesNoUser(error) : isAbsent(error);
  if (mayHaveSucceeded(error)) return lost && repeated(lost);
  if (isRefused(error, 402)) return call === "assign seat" ? noSeats : subscriptionEnded(call);
  if (isUserGone && (call === "assign seat" || call === "issue token")) return userGone;
  if ((isAbsent(error) || isRefused(error, 422)) && call === "renew token") return tokenGone;
  const removal = [400, 409, 422].some((status) => isRefused(error, status))
    ? refusedRemovals[call]
    : undefined;
  return isRefused(error, 409) ? (conflictSteps[call] ?? removal) : removal;
}

const again = "Run `pulumi up` again";

const noSeats: Advice = {
  code: "no-seats",
  inProgram: (who) =>
    `No seat is available for ${who}, or the subscription has ended. Free or buy a seat, then run \`pulumi up\` again, which resumes where it stopped.`,
  inRoster: (who) =>
    `No seats available for ${who}, or the subscription has expired. Free or buy a seat, ${THEN_RUN_AGAIN}.`,
};

/** What a person has, or lacks, as the request was not executed. */
const unchanged: Readonly<Record<Call, (who: string) => string>> = {
  "add user": (who) => `${who} lacks a membership`,
  "assign seat": (who) => `${who} lacks a seat`,
  "issue token": (who) => `${who} lacks a token`,
  "renew token": (who) => `The token of ${who} expires as before`,
  "revoke token": (who) => `The token of ${who} is still valid`,
  "remove seat": (who) => `The seat of ${who} is still assigned`,
  "remove user": (who) => `${who} is still a member of the organization`,
};

function subscriptionEnded(call: Call): Advice {
  const is = unchanged[call];
  return {
    code: "subscription-ended",
    inProgram: (who) => `${is(who)}. ${RENEW_SUBSCRIPTION}`,
    inRoster: (who) => `${is(who)}. Renew the organization's subscription, ${THEN_RUN_AGAIN}.`,
  };
}

/** A server of another address, or of another platform, answers the same about everyone. */
const OR_ADDRESS = "If this happens to everyone, check orgseat:orgUrl and orgseat:platform instead.";

const userGone: Advice = {
  code: "user-gone",
  inProgram: (who) =>
    `${who} is no longer in the organization. Run \`pulumi refresh\`, then \`pulumi up\`, which adds ${who} again; or remove the member from the program. ${OR_ADDRESS}`,
  inRoster: (who) =>
    `${who} is no longer in the organization. Remove the row and run \`orgseat up\` again. To add the person again, restore the row after that run. If the service has the same email under another user id, write that id into \`user_id\`. ${OR_ADDRESS}`,
};

const tokenGone: Advice = {
  code: "token-gone",
  inProgram: (who) =>
    `The service no longer has a token of ${who}. Change \`rotation\` to issue a new value. ${OR_ADDRESS}`,
  inRoster: (who) =>
    `The service no longer has a token of ${who}. To issue a new one, with a new value, run \`orgseat rotate\`. ${OR_ADDRESS}`,
};

/** What a lost answer leaves open: each of these requests is safe to repeat. */
const lostSteps: Readonly<Partial<Record<Call, Lost>>> = {
  "assign seat": {
    code: "seat-unknown",
    may: (who) => `The seat of ${who} may have been assigned`,
    more: ", which confirms it and uses no second seat",
  },
  "issue token": {
    may: (who) => `A token of ${who} may have been issued, and its value is lost`,
    more: ", which revokes that token and issues a new one",
  },
  "renew token": { may: (who) => `The token of ${who} may have been renewed` },
  "revoke token": { may: (who) => `The token of ${who} may have been revoked` },
  "remove seat": { may: (who) => `The seat of ${who} may have been removed` },
  "remove user": { may: (who) => `${who} may have been removed` },
};

interface Lost {
  /** Default: `outcome-unknown`. */
  readonly code?: ErrorCode;
  readonly more?: string;
  may(who: string): string;
}

function repeated({ code = "outcome-unknown", may, more = "" }: Lost): Advice {
  return {
    code,
    inProgram: (who) => `${may(who)}. ${again}${more}.`,
    inRoster: (who) => `${may(who)}. ${RUN_AGAIN}${more}.`,
  };
}

const conflictSteps: Readonly<Partial<Record<Call, Advice>>> = {
  "add user": {
    code: "user-exists",
    inProgram: (who) =>
      `${who} is already a member of the organization. ${IF_DECLARED} To adopt the membership, set \`adopt\` to the user id that the service shows for ${who}.`,
    inRoster: (who) =>
      `${who} is already a member of the organization. Write the user id into \`user_id\` of the row, ${THEN_RUN_AGAIN}, or run \`orgseat adopt\`.`,
  },
  "assign seat": {
    code: "seat-exists",
    inProgram: (who) =>
      `${who} already has a seat, and the service does not report who assigned it. Set \`adopt\` of an OrgMember to the user id, or of a SeatAssignment to true; or remove the seat in the service.`,
    inRoster: (who, id) =>
      `${who} already has a seat, and the service does not report who assigned it. To adopt the seat, write ${id} into \`user_id\` of the row, ${THEN_RUN_AGAIN}.`,
  },
  "issue token": {
    code: "token-exists",
    inProgram: (who) =>
      `${who} already has a token, and its value cannot be read. To revoke that token and issue a new one, set \`replaceExisting: true\` on the token.`,
    inRoster: (who, id) =>
      `${who} already has a token, whose value cannot be read. Write ${id} into \`user_id\` of the row and run \`orgseat up\`, which revokes that token and issues a new one.`,
  },
  "remove seat": {
    code: "token-left",
    inProgram: (who) =>
      `${who} still has a token that orgseat does not manage. Revoke it in the service, ${THEN_RUN_AGAIN}.`,
    inRoster: (who) =>
      `${who} still has a valid token that this roster does not manage. To revoke it and remove the rest, run \`orgseat offboard\`.`,
  },
};

/** What the service refuses to remove is still there. */
const refusedRemovals: Readonly<Partial<Record<Call, Advice>>> = {
  "revoke token": remaining("revoke token", "revoke the token"),
  "remove seat": remaining("remove seat", "remove the seat"),
  "remove user": remaining("remove user", "remove the user"),
};

function remaining(call: Call, verb: string): Advice {
  const text = (who: string): string =>
    `${unchanged[call](who)}. Correct the reason that the service gives, or ${verb} in its admin console, ${THEN_RUN_AGAIN}.`;
  return { code: "refused", inProgram: text, inRoster: text };
}

/** @param id of the listed user who has the email; undefined: the service rejects it (409), and no listed user has it */
export function alreadyMember(refusal: ApiError, id: string | undefined, sender: Sender): Error {
  const who = nameOf(sender);
  if (id === undefined) {
    const step = `The list of users shows no membership of ${who} to adopt: the service may keep the email for a user who was deleted or invited. Look in its admin console, or ask its operator to free the email, ${THEN_RUN_AGAIN}.`;
    return withNextStep(refusal, step, "email-taken");
  }
  const named = { who, isRow: sender.isRow };
  const text = obstacleText({ code: "user-exists", reason: "userExists", names: [id] }, named);
  return withNextStep(refusal, `${text}.`, "user-exists");
}

/** @param why the list does not settle it, as a sentence */
export function lostUser(lost: ApiError, sender: Sender, why = ""): Error {
  const { isRow, wanted } = sender;
  const who = nameOf(sender);
  if (identityOf(wanted).email === undefined) {
    const effect = `A machine user named ${who} may now exist. ${why}`;
    return withNextStep(lost, isRow ? DECIDE_IN_ROSTER : `${DECIDE}.`, "machine-user-unknown", effect);
  }
  const run = isRow ? RUN_AGAIN : again;
  const step = `${run}, which finds out where it can, or says what to decide.`;
  return withNextStep(lost, step, "user-unknown", `${who} may have been added. ${why}`);
}

/** @param left what the lists show of the user; undefined if that does not explain the refusal */
export function refusedRemoval(
  refusal: ApiError,
  left: string | undefined,
  user: HeldUser,
  sender: Sender,
): Error {
  if (left === undefined) return refusal;
  const who = nameOf(sender, user.id);
  if (sender.isRow) {
    const step = `${who} still has ${left}, which this roster does not manage. Remove it in the service, ${THEN_RUN_AGAIN}.`;
    return withNextStep(refusal, step, "seat-or-token-left");
  }
  return withNextStep(
    refusal,
    `${who} still has ${left}. If a SeatAssignment and a UserToken of this program manage them, set \`userId: user.userId\` on the seat and \`userId: seat.userId\` on the token, both without \`deletedWith\`, so that Pulumi removes them first; otherwise remove them in the service, ${THEN_RUN_AGAIN}.`,
    "seat-or-token-left",
  );
}

interface Refused extends Pick<Sender, "wanted" | "context"> {
  readonly stored: Held;
}

/** Rosters alone give a member a key. */
export function refusedBy(obstacle: Obstacle, { stored, ...sender }: Refused): CodedError {
  const isNamed = isAboutHeldUser(obstacle) || sender.wanted.leaving === true;
  const who = nameOf(sender, isNamed ? obstacle.names?.[0] : undefined);
  return new CodedError(obstacle.code, obstacleText(obstacle, { who, isRow: stored.key !== undefined }));
}
