/** Whom the service writes to: only call 4 sends mails, two to each person and one to the administrators. */
import { z } from "zod";
import {
  emailsToSend,
  emptyMemory,
  onboardingStatusesSchema,
} from "../../../provider/resources/onboarding-status.ts";
import type { Properties, Step } from "./steps.ts";

/** How many people get mails, at most: the service may refuse some of them. */
export function emailsSentBy(steps: readonly Step[]): number {
  return steps.reduce((sum, step) => sum + mailedBy(step), 0);
}

function mailedBy({ type, action, olds, news = {} }: Step): number {
  if (type !== "Onboarding" || action === "same" || action === "delete") return 0;
  return invitedBy(action === "update" ? olds : undefined, news).length;
}

const wantedSchema = z.object({
  emails: z.array(z.string()),
  retry: z.union([z.string(), z.number()]).transform(String).optional(),
});
const rememberedSchema = z.object({
  verdicts: onboardingStatusesSchema.default({}),
  formerVerdicts: onboardingStatusesSchema.default({}),
  retry: z.string().optional(),
});

/**
 * Whom an Onboarding asks the service for; nobody is known where the list depends on the run.
 * @param olds its outputs of before; undefined where it is created
 */
export function invitedBy(olds: Properties | undefined, news: Properties): string[] {
  const wanted = wantedSchema.safeParse(news);
  if (!wanted.success) return [];
  return emailsToSend(wanted.data, olds === undefined ? emptyMemory : rememberedSchema.parse(olds));
}
