/** The emails of the service: only call 4 sends any, two to each person and one to the administrators. */
import { z } from "zod";
import {
  emailsToSend,
  emptyMemory,
  onboardingStatusesSchema,
} from "../../../provider/resources/onboarding-status.ts";
import type { Properties, Step } from "./steps.ts";

/** The maximum number of people who get emails: the service may refuse some of them. */
export function emailsSentBy(steps: readonly Step[]): number {
  return steps.reduce((sum, step) => sum + emailedBy(step), 0);
}

function emailedBy({ type, action, olds, news = {} }: Step): number {
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
 * The people whom an Onboarding invites; empty if the list is unknown before the run.
 * @param olds its previous outputs; undefined for a creation
 */
export function invitedBy(olds: Properties | undefined, news: Properties): string[] {
  const wanted = wantedSchema.safeParse(news);
  if (!wanted.success) return [];
  return emailsToSend(wanted.data, olds === undefined ? emptyMemory : rememberedSchema.parse(olds));
}
