/**
 * Onboarding: invites people without an account by email (onboard users): each accepted person becomes a member with a
 * seat and a token, and gets two emails. Id: a UUID, generated at creation. Update sends new emails only, and with a new
 * `resend` those that are not in process; an accepted email is never sent again. A changed organization replaces it,
 * creating the new one first. The API cannot undo an onboarding: removal only drops it, and the people stay members.
 */

import { randomUUID } from "node:crypto";
import { z } from "zod";
import { emailSchema, type OnboardingResult, organizationIdSchema } from "../../api/schemas/schemas.ts";
import { CodedError } from "../../util/error-codes.ts";
import { changedKeys, completeOrganization } from "../changes.ts";
import type { CallContext, PlanContext } from "../contexts.ts";
import { mayHaveSucceeded } from "../failures.ts";
import {
  clientCredentialsSchema,
  commonOutputs,
  PartiallyCreated,
  type ResourceDefinition,
} from "../resource.ts";
import { STATE_VERSION } from "../resource-types.ts";
import { known, unknown } from "../unknown.ts";
import { incompleteAnswer, lostAnswer, messagesOf, reportStatuses, withAdvice } from "./messages.ts";
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
    if (olds === undefined)
      messagesOf(known(news.organizationId), context).announce(known(news.emails) ?? []);
    return [];
  },

  diff(_id, olds, news, context) {
    const replaces = changedKeys(olds, news, identity);
    const rest = changedKeys(olds, news, ["resend", "credentials"]);
    // The order of the list matters for sending only.
    const changes =
      replaces.length + rest.length > 0 ||
      news.emails === unknown ||
      new Set(olds.emails).symmetricDifference(new Set(news.emails)).size > 0;
    // For a replacement, its check announces the emails.
    if (replaces.length === 0 && news.emails !== unknown && news.resend !== unknown) {
      const { emails, resend } = news;
      explain(olds, { emails, resend }, context);
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
    messagesOf(outs.organizationId, context).forgotten(onboardedAmong(outs, people));
    return "kept";
  },
};

/** Says what a change of the emails sends and leaves. */
function explain(
  olds: OnboardingOutputs,
  wanted: Pick<OnboardingInputs, "emails" | "resend">,
  context: PlanContext,
): void {
  const messages = messagesOf(olds.organizationId, context);
  const [listed, sent] = [new Set(wanted.emails), new Set(emailsToSend(wanted, olds))];
  messages.announce([...sent]);
  const asks = wanted.resend !== olds.resend || !listed.isSubsetOf(new Set(olds.emails));
  if (asks && sent.size === 0) messages.announceNone();
  const removed = new Set(Object.keys(olds.statuses)).difference(listed);
  messages.removed(onboardedAmong(olds, [...removed]));
  const waiting = listed.difference(sent);
  messages.unknown([...waiting].filter((email) => olds.statuses[email] === "unknown"));
}

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
  const { answer, lost } = await context.service
    .api(news)
    .onboardUsers(sent, context.time.operation)
    .then(
      (given) => ({ answer: given, lost: undefined }),
      (error: unknown) => {
        if (!mayHaveSucceeded(error)) throw withAdvice(error);
        return { answer: undefined, lost: error };
      },
    );
  const statuses = statusesOf(sent, answer ?? {});
  const outs = outsOf(news, before, statuses, answer === undefined ? before : seatsOf(answer));
  reportStatuses(statuses, outs, context);
  const unsaid = emailsWithStatus(statuses, "unknown");
  if (unsaid.length === 0) return outs;
  const failure = lost ?? incompleteAnswer(news.organizationId);
  throw new PartiallyCreated(id, outs, lostAnswer(failure, unsaid, context));
}

function seatsOf(answer: OnboardingResult): Seats {
  return {
    totalSeats: answer.total_organization_seats ?? null,
    availableSeats: answer.available_organization_seats ?? null,
  };
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
