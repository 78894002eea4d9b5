/** What Onboarding says to the person who runs Pulumi: who is mailed, what became of whom, and how to remove somebody. */
import type { ApiError } from "../api/errors.ts";
import { isRefused, withNextStep } from "./failures.ts";
import { emailsWithStatus, type Onboarded, type OnboardingStatuses } from "./onboarding-status.ts";
import type { PlanContext } from "./resource.ts";

/** How many emails a message names that can be seen again. Who leaves the state is always named. */
const SHOWN = 20;

/** Says before anything is sent how many mails go out (call 4, rule 5). */
export function announce(
  emails: readonly string[],
  organizationId: string | undefined,
  context: PlanContext,
): void {
  if (emails.length === 0) return;
  const count = emails.length;
  context.info(
    `${titleOf(organizationId)} asks the service for ${people(count)}: ${listed(emails)}. If all are accepted, the service mails each admin once, and sends ${count} welcome ${count === 1 ? "mail" : "mails"} and ${count} with a token.`,
  );
}

/** Says of a change that asks for nobody that this is so. */
export function announceNobody(organizationId: string, context: PlanContext): void {
  context.info(
    `${titleOf(organizationId)}: nobody is sent, no mail goes out. Whoever was accepted once is never sent again; the others are, by a new value of \`retry\`.`,
  );
}

/** What a report needs to know besides the verdicts. */
interface Outcome {
  readonly organizationId: string;
  readonly availableSeats: number | null;
  readonly perhapsLetIn: readonly string[];
}

export function report(said: OnboardingStatuses, outcome: Outcome, context: PlanContext): void {
  const title = titleOf(outcome.organizationId);
  const [inProcess, unavailable, refused] = (["inProcess", "unavailable", "refused"] as const).map(
    (verdict) => emailsWithStatus(said, verdict),
  );
  if (inProcess?.length) {
    context.info(
      `${title}: in process: ${listed(inProcess)}. A later problem is not reported: whoever does not appear in the organization met one.`,
    );
  }
  if (unavailable?.length) {
    context.warn(
      `${title}: not accepted: ${listed(unavailable)}. ${whyUnavailable(outcome)} ${HOW_TO_ADD}${letInBefore(unavailable, outcome)}`,
    );
  }
  if (refused?.length) {
    context.warn(
      `${title}: refused: ${listed(refused)}. The service named them in neither list; probably the email has an account of its own. ${HOW_TO_ADD} A new value of \`retry\` sends them once more.${letInBefore(refused, outcome)}`,
    );
  }
}

const HOW_TO_ADD =
  "To add a person who has an account, take the email off this list first, then declare an OrgUser with it.";

/** Seats that are left after the answer were not what was missing (call 4, rule 3). */
function whyUnavailable({ availableSeats }: Outcome): string {
  if (availableSeats !== null && availableSeats > 0) {
    return "Seats were left, so the email has an account or is a member already.";
  }
  return "No seat was left, or the email has an account or is a member already. When seats are free again, a new value of `retry` sends them once more.";
}

function letInBefore(emails: readonly string[], { perhapsLetIn }: Outcome): string {
  const lost = new Set(perhapsLetIn);
  const asked = emails.filter((email) => lost.has(email));
  if (asked.length === 0) return "";
  return ` An earlier answer about ${listed(asked)} was lost and may have let them in: look whether they are in the organization.`;
}

/** Of emails that leave the list. */
export function warnAboutRemoved(people: Onboarded, organizationId: string, context: PlanContext): void {
  const named = namesOf(people);
  if (named === "") return;
  context.warn(
    `${titleOf(organizationId)}: off the list: ${named}. Whom the service let in stays a member with seat and token. ${howToRemove(organizationId, context)}`,
  );
}

/** Of an Onboarding that leaves the state, with all that it knew. */
export function warnOfForgotten(people: Onboarded, organizationId: string, context: PlanContext): void {
  const named = namesOf(people);
  if (named === "") return;
  context.warn(
    `${titleOf(organizationId)} is forgotten. Whom the service let in stays a member with seat and token: ${named}. ${howToRemove(organizationId, context)}`,
  );
}

export function warnOfUnknown(
  emails: readonly string[],
  organizationId: string | undefined,
  context: PlanContext,
): void {
  if (emails.length === 0) return;
  context.warn(
    `${titleOf(organizationId)}: the answer about ${listed(emails)} was lost, and nothing is sent again by itself. Look whether they are in the organization. A new value of \`retry\` sends them once more; who is a member by then is answered as unavailable.`,
  );
}

export function explain(error: unknown): unknown {
  if (!isRefused(error, 402)) return error;
  return withNextStep(
    error,
    "Nobody was onboarded. Renew the organization's subscription, then run `pulumi up` again.",
  );
}

export function lostAnswer(error: ApiError, sent: readonly string[]): string {
  return withNextStep(
    error,
    `These may have been onboarded, with their mails, or not: ${listed(sent)}. Their verdict is \`unknown\` now, and nothing is sent again by itself. Look whether they are in the organization; a new value of \`retry\` sends them once more, and without one the next \`pulumi up\` leaves them as they are.`,
  ).message;
}

/**
 * Everybody who was onboarded holds a seat and a token, which go before the membership. A token has a date, and an
 * organization that is not the configured one has to be named.
 */
function howToRemove(organizationId: string, { defaults }: PlanContext): string {
  const organization =
    organizationId === defaults.organizationId ? "" : `organizationId: "${organizationId}", `;
  const date = defaults.subscriptionExpiresAt === undefined ? ', expiresAt: "<a later date>"' : "";
  const member = `new OrgMember("<name>", { ${organization}email: "<email>", adopt: "<user id>", onDelete: "remove", seat: { adopt: true, onDelete: "remove" }, token: { replaceExisting: true${date} } })`;
  return `No onboarding is taken back by itself. To remove a person, declare \`${member}\` and run \`pulumi up\`: it revokes the token that came by mail. Then take that line out and run \`pulumi up\` again. Or remove the person at the service.`;
}

function titleOf(organizationId: string | undefined): string {
  return organizationId === undefined ? "Onboarding" : `Onboarding of organization ${organizationId}`;
}

/** All of them: nothing else will name them again. */
function namesOf({ certain, possible }: Onboarded): string {
  const parts = certain.length > 0 ? [certain.join(", ")] : [];
  if (possible.length > 0) parts.push(`perhaps (an answer about them was lost): ${possible.join(", ")}`);
  return parts.join("; ");
}

function listed(emails: readonly string[]): string {
  const more = emails.length - SHOWN;
  return emails.slice(0, SHOWN).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

function people(count: number): string {
  return count === 1 ? "1 person" : `${count} people`;
}
