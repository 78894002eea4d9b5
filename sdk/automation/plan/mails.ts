/** Whom the service writes to: only call 4 sends mails, two to each person and one to the administrators. */
import type { Step } from "./steps.ts";

/** How many people get mails. */
export function mailsOf(steps: readonly Step[]): number {
  return steps.reduce((sum, step) => sum + invitedBy(step), 0);
}

function invitedBy({ type, action, olds, news }: Step): number {
  if (type !== "Onboarding" || action === "same" || action === "delete") return 0;
  const before = new Set(action === "update" ? emailsOf(olds?.emails) : []);
  return emailsOf(news?.emails).filter((email) => !before.has(email)).length;
}

function emailsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((email) => typeof email === "string") : [];
}
