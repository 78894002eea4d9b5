/** The messages of Onboarding: who gets emails, the statuses, and how to remove a person. */
import { ApiError } from "../../api/calls/errors.ts";
import { counted, countedPeople, shortList } from "../../util/text.ts";
import type { PlanContext } from "../contexts.ts";
import { isRefused, RENEW_SUBSCRIPTION, withNextStep } from "../failures.ts";
import { emailsWithStatus, type Onboarded, type OnboardingStatuses } from "./status.ts";

/** How a reader finds out who is a member. */
const byHand = {
  joined: "check that each person appears in the organization",
  sent: "Check whether they are in the organization.",
  lost: "check the organization",
  toAdopt: "",
  whenAdopted: ", which revokes the emailed token",
  whenRemoved: "",
};
/** The same, if the platform can list members. */
const byList: typeof byHand = {
  joined: "`getUsers` lists who has joined",
  sent: "`getUsers` lists who has joined.",
  lost: "`getUsers` lists the members",
  toAdopt: " If `getUsers` lists the person, set `adopt` to the user ID.",
  whenAdopted: "; `getUsers` lists the user ID",
  whenRemoved: ", which revokes all tokens of the person",
};

function lookOf({ can }: Pick<PlanContext, "can">): typeof byHand {
  return can.canListUsers ? byList : byHand;
}

/** What an Onboarding says of its emails. */
export function messagesOf(organizationId: string | undefined, context: PlanContext) {
  const { diagnostics } = context;
  const title = organizationId === undefined ? "Onboarding" : `Onboarding of organization ${organizationId}`;
  const info = (text: string): void => diagnostics.info(`${title}: ${text}`);
  const warn = (text: string): void => diagnostics.warn(`${title}: ${text}`);
  return {
    info,
    warn,
    /** Before anything is sent: how many emails the service sends. */
    announce(emails: readonly string[]): void {
      const count = emails.length;
      if (count === 0) return;
      info(
        `onboard ${countedPeople(count)}: ${shortList(emails)}. If the service accepts all of them, it sends ${counted(count, "welcome email")}, ${counted(count, "token email")}, and one email to each administrator.`,
      );
    },
    /** A change that sends nothing. */
    announceNone(): void {
      info(
        "no requests and no emails will be sent. An accepted email is never sent again; a new value of `resend` sends the others again.",
      );
    },
    /** Emails that leave the list. */
    removed(onboarded: Onboarded): void {
      const named = namesOf(onboarded);
      if (named !== "")
        warn(`removed from the list: ${named}. ${STAY}. ${howToRemove(organizationId, context)}`);
    },
    /** An Onboarding that leaves the state. */
    forgotten(onboarded: Onboarded): void {
      const named = namesOf(onboarded);
      if (named === "") return;
      const what = `${title} is removed from the state. ${STAY}: ${named}`;
      diagnostics.warn(`${what}. ${howToRemove(organizationId, context)}`);
    },
    unknown(emails: readonly string[]): void {
      if (emails.length === 0) return;
      warn(
        `the response about ${shortList(emails)} was lost, and orgseat does not send them again automatically. ${lookOf(context).sent} A new value of \`resend\` sends them again; members then get the status unavailable.`,
      );
    },
  };
}

const STAY = "Onboarded people stay members, and keep their seats and tokens";

/** What the report needs besides the statuses. */
interface Outcome {
  readonly organizationId: string;
  readonly availableSeats: number | null;
  readonly possibleMembers: readonly string[];
}

export function reportStatuses(statuses: OnboardingStatuses, outcome: Outcome, context: PlanContext): void {
  const { info, warn } = messagesOf(outcome.organizationId, context);
  const look = lookOf(context);
  const [inProcess, unavailable, refused] = (["inProcess", "unavailable", "refused"] as const).map((status) =>
    emailsWithStatus(statuses, status),
  );
  if (inProcess?.length) {
    info(`in process: ${shortList(inProcess)}. The service does not report later problems: ${look.joined}.`);
  }
  if (unavailable?.length) {
    warn(
      `unavailable: ${shortList(unavailable)}. ${whyUnavailable(outcome)} ${HOW_TO_ADD}${look.toAdopt}${possiblyAdded(unavailable, outcome, look)}`,
    );
  }
  if (refused?.length) {
    warn(
      `refused: ${shortList(refused)}. The service returned them in neither list; the email probably already has an account. ${HOW_TO_ADD}${look.toAdopt} A new value of \`resend\` sends them again.${possiblyAdded(refused, outcome, look)}`,
    );
  }
}

const HOW_TO_ADD =
  "To add a person who has an account, remove the email from this list first, then declare an OrgUser with it.";

/** With available seats after the response, seats were not the reason. */
function whyUnavailable({ availableSeats }: Outcome): string {
  if (availableSeats !== null && availableSeats > 0) {
    return "Seats are available, so the email has an account or is already a member.";
  }
  return "No seat was available, or the email has an account or is already a member. When seats are available, a new value of `resend` sends them again.";
}

function possiblyAdded(emails: readonly string[], { possibleMembers }: Outcome, look: typeof byHand): string {
  const lost = new Set(possibleMembers);
  const asked = emails.filter((email) => lost.has(email));
  if (asked.length === 0) return "";
  return ` An earlier response about ${shortList(asked)} was lost, so they may be members: ${look.lost}.`;
}

export function withAdvice(error: unknown): unknown {
  if (!isRefused(error, 402)) return error;
  return withNextStep(error, `No one was onboarded. ${RENEW_SUBSCRIPTION}`, "subscription-ended");
}

/** The failure of a success that does not say what became of each email. */
export function incompleteAnswer(organizationId: string): ApiError {
  return new ApiError({
    code: "bad-answer",
    call: "onboard users",
    method: "POST",
    path: `/organizations/${organizationId}/users_auto_registration`,
    reason: "a list of emails in the response is missing or partly unreadable",
  });
}

export function lostAnswer(error: ApiError, sent: readonly string[], context: PlanContext): Error {
  return withNextStep(
    error,
    `The service may have onboarded and emailed: ${shortList(sent)}. Their status is \`unknown\`, and orgseat does not send them again automatically. ${lookOf(context).sent} A new value of \`resend\` sends them again.`,
    "outcome-unknown",
  );
}

/**
 * An onboarded person has a seat and a token, which must be removed before the membership. A removal revokes the tokens that a
 * list shows; without one, the token must be replaced, which needs a date. An organization other than the configured one must be
 * named.
 */
function howToRemove(organizationId: string | undefined, context: PlanContext): string {
  const { defaults, can } = context;
  const { whenAdopted, whenRemoved } = lookOf(context);
  const organization =
    organizationId === defaults.organizationId ? "" : `organizationId: "${organizationId}", `;
  const date = defaults.subscriptionExpiresAt === undefined ? ', expiresAt: "<a later date>"' : "";
  const token = can.canListTokens ? "" : `, token: { replaceExisting: true${date} }`;
  const member = `new OrgMember("<name>", { ${organization}email: "<email>", adopt: "<user id>", onDelete: "delete", seat: { onDelete: "delete" }${token} })`;
  return `orgseat does not undo an onboarding. To remove a person, declare \`${member}\` and run \`pulumi up\`${whenAdopted}. Then remove that line and run \`pulumi up\` again${whenRemoved}. Or remove the person in the service.`;
}

/** All of them: no later message lists them. */
function namesOf({ certain, possible }: Onboarded): string {
  const parts = certain.length > 0 ? [certain.join(", ")] : [];
  if (possible.length > 0) parts.push(`possibly (response lost): ${possible.join(", ")}`);
  return parts.join("; ");
}
