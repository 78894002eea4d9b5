/**
 * Onboarding: people without an account, asked into the organization by email (call 4): each who is accepted becomes a
 * member with a seat and a token, and gets two mails. Id: a UUID of its creation. Update sends new emails only, and with
 * a new `retry` those that are not in process; who was accepted once is never sent again. A changed organization
 * replaces it, the new one first. No call undoes an onboarding: removal forgets it, and the people stay members.
 */
import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { ApiError } from "../api/errors.ts";
import { emailSchema } from "../api/schemas.ts";
import { changedKeys, completeOrganization } from "./changes.ts";
import { isRefused, mayHaveHappened, withNextStep } from "./failures.ts";
import {
  accountCredentialsSchema,
  type CallContext,
  commonOutputs,
  organizationIdSchema,
  PartiallyCreated,
  type PlanContext,
  type ResourceDefinition,
  STATE_VERSION,
} from "./resource.ts";
import { known, unknown } from "./unknown.ts";
import {
  cameInPerhaps,
  eachOnce,
  emailsOf,
  emailsToSend,
  nothingRemembered,
  type Remembered,
  remember,
  unknownOf,
  type Verdicts,
  verdictsOf,
  verdictsSchema,
} from "./verdicts.ts";

const inputs = {
  emails: z.array(emailSchema).transform(eachOnce),
  retry: z.union([z.string(), z.number()]).transform(String).optional(),
  organizationId: organizationIdSchema,
  credentials: accountCredentialsSchema.optional(),
};
const outputs = z.object({
  ...inputs,
  ...commonOutputs,
  verdicts: verdictsSchema,
  /** Of emails that left the list and came in, or may have. */
  formerVerdicts: verdictsSchema,
  /** As the last answer said; null as long as there was none. */
  totalSeats: z.number().nullable(),
  availableSeats: z.number().nullable(),
});
const inputsSchema = z.object(inputs);
export type OnboardingInputs = z.output<typeof inputsSchema>;
export type OnboardingOutputs = z.output<typeof outputs>;
type Seats = Pick<OnboardingOutputs, "totalSeats" | "availableSeats">;
type Before = Remembered & Seats;

const nothingBefore: Before = { ...nothingRemembered, totalSeats: null, availableSeats: null };

export const onboarding: ResourceDefinition<OnboardingInputs, OnboardingOutputs> = {
  name: "Onboarding",
  area: "organization",
  inputs,
  outputs,
  secretInputs: ["credentials"],
  complete: completeOrganization,

  check(news, olds, context) {
    if (olds === undefined) announce(known(news.emails) ?? [], context);
    return [];
  },

  diff(_id, olds, news, context) {
    const replaces = changedKeys(olds, news, ["organizationId"]);
    const rest = changedKeys(olds, news, ["retry", "credentials"]);
    const changes =
      replaces.length + rest.length > 0 || news.emails === unknown || !isSameSet(olds.emails, news.emails);
    // The check of the replacement says what goes out.
    if (replaces.length === 0 && news.emails !== unknown && news.retry !== unknown) {
      const { emails, retry } = news;
      const sent = emailsToSend({ emails, retry }, olds);
      announce(sent, context);
      warnOfRemoved(emails, olds, context);
      warnOfUnknown(
        emails.filter((email) => olds.verdicts[email] === "unknown").filter(isNotIn(sent)),
        context,
      );
    }
    return { changes, replaces, deleteBeforeReplace: false };
  },

  async create(news, context) {
    const id = randomUUID();
    return { id, outs: await onboard(id, nothingBefore, news, context) };
  },

  async read(_id, outs) {
    return outs;
  },

  update: onboard,

  async delete(_id, outs, context) {
    const all = { ...outs.formerVerdicts, ...outs.verdicts };
    const people = Object.keys(all).filter((email) => cameInPerhaps(all[email]));
    if (people.length === 0) return;
    context.warn(
      `Onboarding is forgotten. Whom call 4 let in stays a member with seat and token: ${listed(people)}. ${HOW_TO_REMOVE}`,
    );
  },
};

const HOW_TO_REMOVE =
  'Call 4 has no way back. To remove a person, declare an OrgUser with the email, `adopt: "<user id>"` and `onDelete: "remove"`, run `pulumi up`, and take it out again; or remove the person at the service.';

/**
 * Call 4 for the emails that are to be sent; none if there are none. Where no answer comes, the state learns that their
 * verdict is unknown, and the run fails.
 */
async function onboard(
  id: string,
  before: Before,
  news: OnboardingInputs,
  context: CallContext,
): Promise<OnboardingOutputs> {
  const sent = emailsToSend(news, before);
  if (sent.length === 0) return outsOf(news, before, {}, before);
  try {
    const answer = await context.api(news).onboardUsers(sent, context.operation);
    const said = verdictsOf(sent, answer);
    report(said, context);
    return outsOf(news, before, said, {
      totalSeats: answer.total_organization_seats,
      availableSeats: answer.available_organization_seats,
    });
  } catch (error) {
    if (!mayHaveHappened(error)) throw explain(error);
    const outs = outsOf(news, before, unknownOf(sent), before);
    throw new PartiallyCreated(id, outs, lostAnswer(error, sent));
  }
}

function outsOf(
  news: OnboardingInputs,
  before: Remembered,
  said: Verdicts,
  { totalSeats, availableSeats }: Seats,
): OnboardingOutputs {
  return {
    ...news,
    stateVersion: STATE_VERSION,
    ...remember(news.emails, before, said),
    totalSeats,
    availableSeats,
  };
}

/** Says before anything is sent how many mails go out (call 4, rule 5). */
function announce(emails: readonly string[], context: PlanContext): void {
  if (emails.length === 0) return;
  const count = emails.length;
  context.info(
    `Onboarding asks call 4 for ${people(count)}: ${listed(emails)}. If all are accepted, the service mails each admin once, and sends ${count} welcome ${count === 1 ? "mail" : "mails"} and ${count} with a token.`,
  );
}

function report(said: Verdicts, context: PlanContext): void {
  const [inProcess, unavailable, refused] = (["inProcess", "unavailable", "refused"] as const).map(
    (verdict) => emailsOf(said, verdict),
  );
  if (inProcess?.length) {
    context.info(
      `Onboarding: in process: ${listed(inProcess)}. A later problem is not reported: whoever does not appear in the organization met one.`,
    );
  }
  if (unavailable?.length) {
    context.warn(
      `Onboarding: not accepted: ${listed(unavailable)}. No seat was left, or the email has an account or is a member already. When seats are free again, a new value of \`retry\` sends them once more; who has an account is added by an OrgUser instead.`,
    );
  }
  if (refused?.length) {
    context.warn(
      `Onboarding: refused: ${listed(refused)}. The service named them in neither list; probably the email has an account of its own. An OrgUser adds such a person; a new value of \`retry\` sends them once more.`,
    );
  }
}

function warnOfRemoved(emails: readonly string[], olds: OnboardingOutputs, context: PlanContext): void {
  const removed = Object.keys(olds.verdicts)
    .filter((email) => cameInPerhaps(olds.verdicts[email]))
    .filter(isNotIn(emails));
  if (removed.length === 0) return;
  context.warn(
    `Onboarding: off the list: ${listed(removed)}. Whom call 4 let in stays a member with seat and token. ${HOW_TO_REMOVE}`,
  );
}

function warnOfUnknown(emails: readonly string[], context: PlanContext): void {
  if (emails.length === 0) return;
  context.warn(
    `Onboarding: the answer about ${listed(emails)} was lost, and nothing is sent again by itself. Look whether they are in the organization. A new value of \`retry\` sends them once more; who is a member by then is answered as unavailable.`,
  );
}

function explain(error: unknown): unknown {
  if (!isRefused(error, 402)) return error;
  return withNextStep(
    error,
    "Nobody was onboarded. Renew the organization's subscription, then run `pulumi up` again.",
  );
}

function lostAnswer(error: ApiError, sent: readonly string[]): string {
  return withNextStep(
    error,
    `These may have been onboarded, with their mails, or not: ${listed(sent)}. Their verdict is \`unknown\` now, and nothing is sent again by itself. Look whether they are in the organization; a new value of \`retry\` sends them once more, and without one the next \`pulumi up\` leaves them as they are.`,
  ).message;
}

/** How many emails a message names. */
const SHOWN = 5;

function listed(emails: readonly string[]): string {
  const more = emails.length - SHOWN;
  return emails.slice(0, SHOWN).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

function people(count: number): string {
  return count === 1 ? "1 person" : `${count} people`;
}

function isIn(emails: readonly string[]): (email: string) => boolean {
  const set = new Set(emails);
  return (email) => set.has(email);
}

function isNotIn(emails: readonly string[]): (email: string) => boolean {
  const holds = isIn(emails);
  return (email) => !holds(email);
}

/** The order of the list matters for what is sent, and means nothing afterwards. */
function isSameSet(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every(isIn(b));
}
