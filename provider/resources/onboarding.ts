/**
 * Onboarding: people without an account, asked into the organization by email (call 4): each who is accepted becomes a
 * member with a seat and a token, and gets two mails. Id: a UUID of its creation. Update sends new emails only, and with
 * a new `retry` those that are not in process; who was accepted once is never sent again. A changed organization
 * replaces it, the new one first. No call undoes an onboarding: removal forgets it, and the people stay members.
 */
import { randomUUID } from "node:crypto";
import { z } from "zod";
import { emailSchema } from "../api/schemas.ts";
import { changedKeys, completeOrganization } from "./changes.ts";
import { mayHaveHappened } from "./failures.ts";
import {
  announce,
  announceNobody,
  explain,
  lostAnswer,
  report,
  warnAboutRemoved,
  warnOfForgotten,
  warnOfUnknown,
} from "./onboarding-messages.ts";
import {
  emailsToSend,
  emptyMemory,
  type OnboardingMemory,
  type OnboardingStatuses,
  onboardedAmong,
  onboardingStatusesSchema,
  remember,
  statusesOf,
  unique,
  unknownStatuses,
} from "./onboarding-status.ts";
import {
  accountCredentialsSchema,
  type CallContext,
  commonOutputs,
  organizationIdSchema,
  PartiallyCreated,
  type ResourceDefinition,
  STATE_VERSION,
} from "./resource.ts";
import { known, unknown } from "./unknown.ts";

const inputs = {
  emails: z.array(emailSchema).transform(unique),
  retry: z.union([z.string(), z.number()]).transform(String).optional(),
  organizationId: organizationIdSchema,
  credentials: accountCredentialsSchema.optional(),
};
const outputs = z.object({
  ...inputs,
  ...commonOutputs,
  verdicts: onboardingStatusesSchema,
  /** Of emails that left the list and came in, or may have. */
  formerVerdicts: onboardingStatusesSchema,
  /** Of the emails of both, those that were `unknown` once and got a no since. */
  perhapsLetIn: z.array(z.string()).readonly().default([]),
  /** As the last answer said; null as long as there was none. */
  totalSeats: z.number().nullable(),
  availableSeats: z.number().nullable(),
});
const inputsSchema = z.object(inputs);
export type OnboardingInputs = z.output<typeof inputsSchema>;
export type OnboardingOutputs = z.output<typeof outputs>;
type Seats = Pick<OnboardingOutputs, "totalSeats" | "availableSeats">;
type Before = OnboardingMemory & Seats;

const nothingBefore: Before = { ...emptyMemory, totalSeats: null, availableSeats: null };

export const onboarding: ResourceDefinition<OnboardingInputs, OnboardingOutputs> = {
  name: "Onboarding",
  area: "organization",
  inputs,
  outputs,
  secretInputs: ["credentials"],
  complete: completeOrganization,

  check(news, olds, context) {
    if (olds === undefined) announce(known(news.emails) ?? [], known(news.organizationId), context);
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
      const { organizationId } = olds;
      announce(sent, organizationId, context);
      const asks = retry !== olds.retry || emails.some(isNotIn(olds.emails));
      if (asks && sent.length === 0) announceNobody(organizationId, context);
      warnAboutRemoved(
        onboardedAmong(olds, Object.keys(olds.verdicts).filter(isNotIn(emails))),
        organizationId,
        context,
      );
      warnOfUnknown(
        emails.filter((email) => olds.verdicts[email] === "unknown").filter(isNotIn(sent)),
        organizationId,
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
  updateWrites: (olds, news) => emailsToSend(news, olds),

  async delete(_id, outs, context) {
    const people = Object.keys({ ...outs.formerVerdicts, ...outs.verdicts });
    warnOfForgotten(onboardedAmong(outs, people), outs.organizationId, context);
    return "kept";
  },
};

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
    const said = statusesOf(sent, answer);
    const outs = outsOf(news, before, said, {
      totalSeats: answer.total_organization_seats,
      availableSeats: answer.available_organization_seats,
    });
    report(said, outs, context);
    return outs;
  } catch (error) {
    if (!mayHaveHappened(error)) throw explain(error);
    const outs = outsOf(news, before, unknownStatuses(sent), before);
    throw new PartiallyCreated(id, outs, lostAnswer(error, sent));
  }
}

function outsOf(
  news: OnboardingInputs,
  before: OnboardingMemory,
  said: OnboardingStatuses,
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
