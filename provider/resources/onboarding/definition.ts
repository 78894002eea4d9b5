/**
 * Onboarding: invites people without an account by email (onboard users): each accepted person becomes a member with a
 * seat and a token, and gets two emails. Id: a UUID, generated at creation. Update sends new emails only, and with a new
 * `resend` those that are not in process; an accepted email is never sent again. A changed organization replaces it,
 * creating the new one first. The API cannot undo an onboarding: removal only drops it, and the people stay members.
 */

import { randomUUID } from "node:crypto";
import { z } from "zod";
import { emailSchema, organizationIdSchema } from "../../api/schemas/schemas.ts";
import { CodedError } from "../../util/error-codes.ts";
import { changedKeys, completeOrganization } from "../changes.ts";
import { mayHaveSucceeded } from "../failures.ts";
import {
  type CallContext,
  clientCredentialsSchema,
  commonOutputs,
  PartiallyCreated,
  type ResourceDefinition,
} from "../resource.ts";
import { STATE_VERSION } from "../resource-types.ts";
import { known, unknown } from "../unknown.ts";
import {
  announce,
  announceNone,
  incompleteAnswer,
  lostAnswer,
  reportStatuses,
  warnAboutForgotten,
  warnAboutRemoved,
  warnAboutUnknown,
  withAdvice,
} from "./messages.ts";
import {
  emailsToSend,
  emailsWithStatus,
  emptyMemory,
  type OnboardingMemory,
  type OnboardingStatuses,
  onboardedAmong,
  onboardingStatusesSchema,
  remember,
  statusesOf,
  unique,
  unknownStatuses,
} from "./status.ts";

const inputs = {
  emails: z.array(emailSchema).transform(unique),
  resend: z.union([z.string(), z.number()]).transform(String).optional(),
  organizationId: organizationIdSchema,
  credentials: clientCredentialsSchema.optional(),
};
const outputs = z.object({
  ...inputs,
  ...commonOutputs,
  statuses: onboardingStatusesSchema,
  /** Statuses of emails that left the list and are or may be members. */
  formerStatuses: onboardingStatusesSchema,
  /** Of the emails of both, those that were `unknown` and are not accepted since. */
  possibleMembers: z.array(z.string()).readonly().default([]),
  /** From the last response; null before the first one. */
  totalSeats: z.number().nullable(),
  availableSeats: z.number().nullable(),
});
const inputsSchema = z.object(inputs);
type OnboardingInputs = z.output<typeof inputsSchema>;
type OnboardingOutputs = z.output<typeof outputs>;
type Seats = Pick<OnboardingOutputs, "totalSeats" | "availableSeats">;
type Before = OnboardingMemory & Seats;

const nothingBefore: Before = { ...emptyMemory, totalSeats: null, availableSeats: null };

const identity = ["organizationId"] as const;

export const onboardingDefinition: ResourceDefinition<OnboardingInputs, OnboardingOutputs> = {
  name: "Onboarding",
  area: "organization",
  inputs,
  outputs,
  stableOutputs: [],
  identity,
  complete: completeOrganization,

  check(news, olds, context) {
    if (olds === undefined) announce(known(news.emails) ?? [], known(news.organizationId), context);
    return [];
  },

  diff(_id, olds, news, context) {
    const replaces = changedKeys(olds, news, identity);
    const rest = changedKeys(olds, news, ["resend", "credentials"]);
    const changes =
      replaces.length + rest.length > 0 || news.emails === unknown || !isSameSet(olds.emails, news.emails);
    // For a replacement, its check announces the emails.
    if (replaces.length === 0 && news.emails !== unknown && news.resend !== unknown) {
      const { emails, resend } = news;
      const sent = emailsToSend({ emails, resend }, olds);
      const { organizationId } = olds;
      announce(sent, organizationId, context);
      const asks = resend !== olds.resend || emails.some(isNotIn(olds.emails));
      if (asks && sent.length === 0) announceNone(organizationId, context);
      warnAboutRemoved(
        onboardedAmong(olds, Object.keys(olds.statuses).filter(isNotIn(emails))),
        organizationId,
        context,
      );
      warnAboutUnknown(
        emails.filter((email) => olds.statuses[email] === "unknown").filter(isNotIn(sent)),
        organizationId,
        context,
      );
    }
    return { changes, replaces };
  },

  async create(news, context) {
    const id = randomUUID();
    return { id, outs: await onboard(id, nothingBefore, news, context) };
  },

  async find(id) {
    throw new CodedError(
      "cannot-adopt",
      `cannot import Onboarding ${id}: the API cannot list whom an onboarding invited. Declare an Onboarding with new emails only.`,
    );
  },

  async read(_id, outs) {
    return outs;
  },

  update: onboard,

  async delete(_id, outs, context) {
    const people = Object.keys({ ...outs.formerStatuses, ...outs.statuses });
    warnAboutForgotten(onboardedAmong(outs, people), outs.organizationId, context);
    return "kept";
  },
};

/**
 * Onboards the emails to send, if there are any. If the response is lost or incomplete, the state keeps as unknown what
 * it does not say, and the run fails.
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
    const answer = await context.service.api(news).onboardUsers(sent, context.time.operation);
    const statuses = statusesOf(sent, answer);
    const outs = outsOf(news, before, statuses, {
      totalSeats: answer.total_organization_seats ?? null,
      availableSeats: answer.available_organization_seats ?? null,
    });
    reportStatuses(statuses, outs, context);
    const unsaid = emailsWithStatus(statuses, "unknown");
    if (unsaid.length === 0) return outs;
    throw new PartiallyCreated(id, outs, lostAnswer(incompleteAnswer(news.organizationId), unsaid));
  } catch (error) {
    if (!mayHaveSucceeded(error)) throw withAdvice(error);
    const outs = outsOf(news, before, unknownStatuses(sent), before);
    throw new PartiallyCreated(id, outs, lostAnswer(error, sent));
  }
}

function outsOf(
  news: OnboardingInputs,
  before: OnboardingMemory,
  statuses: OnboardingStatuses,
  { totalSeats, availableSeats }: Seats,
): OnboardingOutputs {
  return {
    ...news,
    stateVersion: STATE_VERSION,
    ...remember(news.emails, before, statuses),
    totalSeats,
    availableSeats,
  };
}

function isIn(emails: readonly string[]): (email: string) => boolean {
  const set = new Set(emails);
  return (email) => set.has(email);
}

function isNotIn(emails: readonly string[]): (email: string) => boolean {
  const contains = isIn(emails);
  return (email) => !contains(email);
}

/** The order of the list matters for sending only. */
function isSameSet(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every(isIn(b));
}
