/** Why a step is not done, with the next step for the reader: the only place of these texts. */
import { ApiError } from "../../api/calls/errors.ts";
import {
  isAbsent,
  isRefused,
  mayHaveSucceeded,
  RENEW_SUBSCRIPTION,
  withNextStep,
} from "../../resources/failures.ts";
import { CodedError, type ErrorCode } from "../../util/error-codes.ts";
import { THEN_RUN_AGAIN } from "../../util/text.ts";
import type { Held, HeldUser } from "../held.ts";
import type { Call, Obstacle } from "../step.ts";
import { DECIDE, IF_DECLARED, isAboutHeldUser, obstacleText } from "../texts.ts";
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
  const at = sender.context.sendTime();
  if (error instanceof ApiError)
    return { outcome: outcomeOf(call, error, at), error: advised(error, call, sender, userId) };
  if (error instanceof Error && error.cause instanceof ApiError)
    return { outcome: outcomeOf(call, error.cause, at), error };
  if (!(error instanceof CodedError)) throw error;
  return { outcome: { is: "refused", isForGood: false, at }, error };
}

function advised(error: ApiError, call: Call, sender: Sender, userId: string | undefined): Error {
  if (call === "add user" && mayHaveSucceeded(error)) return lostUser(error, sender);
  const { effect = "" } = sender;
  const [step = "", code] = nextStepOf(error, call, nameOf(sender, userId)) ?? [];
  return step === "" && effect === "" ? error : withNextStep(error, step, code, effect);
}

function nextStepOf(
  error: ApiError,
  call: Call,
  who: string,
): readonly [step: string, code?: ErrorCode] | undefined {
  if (mayHaveSucceeded(error)) return lostSteps[call]?.(who);
  if (isRefused(error, 402))
    return call === "assign seat"
      ? [
          `No seat is available for ${who}, or the subscription has ended. Free or buy a seat, then run \`pulumi up\` again, which resumes where it stopped.`,
          "no-seats",
        ]
      : [
          `${who} lacks a ${call === "add user" ? "membership" : "token"}. ${RENEW_SUBSCRIPTION}`,
          "subscription-ended",
        ];
  if (isAbsent(error) && (call === "assign seat" || call === "issue token"))
    return [
      `${who} is no longer in the organization. Run \`pulumi refresh\`, then \`pulumi up\`, which adds ${who} again; or remove the member from the program.`,
      "user-gone",
    ];
  if ((isAbsent(error) || isRefused(error, 422)) && call === "renew token")
    return [
      `The service no longer has a token of ${who}. Change \`rotation\` to issue a new value.`,
      "token-gone",
    ];
  return isRefused(error, 409) ? conflictSteps[call]?.(who) : undefined;
}

type Advice = (who: string) => readonly [step: string, code?: ErrorCode];

const again = "Run `pulumi up` again";

const lostSteps: Readonly<Partial<Record<Call, Advice>>> = {
  "assign seat": (who) => [
    `The seat of ${who} may have been assigned. ${again}, which confirms it and uses no second seat.`,
    "seat-unknown",
  ],
  "issue token": (who) => [
    `A token of ${who} may have been issued, and its value is lost. ${again}, which revokes that token and issues a new one.`,
    "outcome-unknown",
  ],
  "renew token": (who) => [`The token of ${who} may have been renewed. ${again}.`, "outcome-unknown"],
  "revoke token": (who) => [`The token of ${who} may have been revoked. ${again}.`, "outcome-unknown"],
  "remove seat": (who) => [`The seat of ${who} may have been removed. ${again}.`, "outcome-unknown"],
  "remove user": (who) => [`${who} may have been removed. ${again}.`, "outcome-unknown"],
};

const conflictSteps: Readonly<Partial<Record<Call, Advice>>> = {
  "add user": (who) => [
    `${who} is already a member of the organization. ${IF_DECLARED} To adopt the membership, set \`adopt\` to the user id that the service shows for ${who}.`,
    "user-exists",
  ],
  "assign seat": (who) => [
    `${who} already has a seat, and the service does not report who assigned it. Set \`adopt\` of an OrgMember to the user id, or of a SeatAssignment to true; or remove the seat in the service.`,
    "seat-exists",
  ],
  "issue token": (who) => [
    `${who} already has a token, and its value cannot be read. To revoke that token and issue a new one, set \`replaceExisting: true\` on the token.`,
    "token-exists",
  ],
  "remove seat": (who) => [
    `${who} still has a token that orgseat does not manage. Revoke it in the service, ${THEN_RUN_AGAIN}.`,
    "token-left",
  ],
};

export function alreadyMember(refusal: ApiError, id: string, sender: Sender): Error {
  const who = nameOf(sender);
  const text = obstacleText({ code: "user-exists", reason: "userExists", names: [id] }, { who });
  return withNextStep(refusal, `${text}.`, "user-exists");
}

/** @param why the list does not settle it, as a sentence */
export function lostUser(lost: ApiError, sender: Sender, why = ""): Error {
  const who = nameOf(sender);
  return identityOf(sender.wanted).email === undefined
    ? withNextStep(
        lost,
        `${DECIDE}.`,
        "machine-user-unknown",
        `A machine user named ${who} may now exist. ${why}`,
      )
    : withNextStep(
        lost,
        `${again}, which finds out where it can, or says what to decide.`,
        "user-unknown",
        `${who} may have been added. ${why}`,
      );
}

/** @param left what the lists show of the user; undefined if that does not explain the refusal */
export function refusedRemoval(
  refusal: ApiError,
  left: string | undefined,
  user: HeldUser,
  sender: Sender,
): Error {
  if (left === undefined) return refusal;
  return withNextStep(
    refusal,
    `${nameOf(sender, user.id)} still has ${left}. If a SeatAssignment and a UserToken of this program manage them, set \`userId: user.userId\` on the seat and \`userId: seat.userId\` on the token, both without \`deletedWith\`, so that Pulumi removes them first; otherwise remove them in the service, ${THEN_RUN_AGAIN}.`,
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
