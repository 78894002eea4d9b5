/** The messages of Onboarding: who gets emails, the statuses, and how to remove a person. */
import { ApiError } from "../../api/calls/errors.ts";
import { counted, countedPeople, shortList } from "../../util/text.ts";
import { isRefused, RENEW_SUBSCRIPTION, withNextStep } from "../failures.ts";
import type { PlanContext } from "../resource.ts";
import { emailsWithStatus, type Onboarded, type OnboardingStatuses } from "./status.ts";

/** What an Onboarding says of its emails. */
export function messagesOf(organizationId: string | undefined, { diagnostics, defaults }: PlanContext) {
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
        warn(`removed from the list: ${named}. ${STAY}. ${howToRemove(organizationId, defaults)}`);
    },
    /** An Onboarding that leaves the state. */
    forgotten(onboarded: Onboarded): void {
      const named = namesOf(onboarded);
      if (named === "") return;
      const what = `${title} is removed from the state. ${STAY}: ${named}`;
      diagnostics.warn(`${what}. ${howToRemove(organizationId, defaults)}`);
    },
    unknown(emails: readonly string[]): void {
      if (emails.length === 0) return;
      warn(
        `the response about ${shortList(emails)} was lost, and orgseat does not send them again automatically. Check whether they are in the organization. A new value of \`resend\` sends them again; members then get the status unavailable.`,
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
  const [inProcess, unavailable, refused] = (["inProcess", "unavailable", "refused"] as const).map((status) =>
    emailsWithStatus(statuses, status),
  );
  if (inProcess?.length) {
    info(
      `in process: ${shortList(inProcess)}. The service does not report later problems: check that each person appears in the organization.`,
    );
  }
  if (unavailable?.length) {
    warn(
      `unavailable: ${shortList(unavailable)}. ${whyUnavailable(outcome)} ${HOW_TO_ADD}${possiblyAdded(unavailable, outcome)}`,
    );
  }
  if (refused?.length) {
    warn(
      `refused: ${shortList(refused)}. The service returned them in neither list; the email probably already has an account. ${HOW_TO_ADD} A new value of \`resend\` sends them again.${possiblyAdded(refused, outcome)}`,
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

function possiblyAdded(emails: readonly string[], { possibleMembers }: Outcome): string {
  const lost = new Set(possibleMembers);
  const asked = emails.filter((email) => lost.has(email));
  if (asked.length === 0) return "";
  return ` An earlier response about ${shortList(asked)} was lost, so they may be members: check the organization.`;
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

export function lostAnswer(error: ApiError, sent: readonly string[]): Error {
  return withNextStep(
    error,
    `The service may have onboarded and emailed: ${shortList(sent)}. Their status is \`unknown\`, and orgseat does not send them again automatically. Check whether they are in the organization. A new value of \`resend\` sends them again.`,
    "outcome-unknown",
  );
}

/**
 * An onboarded person has a seat and a token, which must be removed before the membership. A token needs a date, and an
 * organization other than the configured one must be named.
 */
function howToRemove(organizationId: string | undefined, defaults: PlanContext["defaults"]): string {
  const organization =
    organizationId === defaults.organizationId ? "" : `organizationId: "${organizationId}", `;
  const date = defaults.subscriptionExpiresAt === undefined ? ', expiresAt: "<a later date>"' : "";
  const member = `new OrgMember("<name>", { ${organization}email: "<email>", adopt: "<user id>", onDelete: "delete", seat: { onDelete: "delete" }, token: { replaceExisting: true${date} } })`;
  return `orgseat does not undo an onboarding. To remove a person, declare \`${member}\` and run \`pulumi up\`, which revokes the emailed token. Then remove that line and run \`pulumi up\` again. Or remove the person in the service.`;
}

/** All of them: no later message lists them. */
function namesOf({ certain, possible }: Onboarded): string {
  const parts = certain.length > 0 ? [certain.join(", ")] : [];
  if (possible.length > 0) parts.push(`possibly (response lost): ${possible.join(", ")}`);
  return parts.join("; ");
}
