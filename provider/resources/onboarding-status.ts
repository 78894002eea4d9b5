/** What call 4 has said of each email, and which it is to be asked about: the decisions of Onboarding, all pure. */
import { z } from "zod";
import type { OnboardingResult } from "../api/schemas.ts";

/**
 * - `inProcess`: accepted; never sent again.
 * - `unavailable`: listed as such: no seat was left, or the email has an account or is a member already.
 * - `refused`: in neither list of the answer (D20).
 * - `unknown`: sent, and no answer came (D45).
 */
export const onboardingStatusSchema = z.enum(["inProcess", "unavailable", "refused", "unknown"]);
export type OnboardingStatus = z.output<typeof onboardingStatusSchema>;
export const onboardingStatusesSchema = z.record(z.string(), onboardingStatusSchema);
export type OnboardingStatuses = Readonly<Record<string, OnboardingStatus>>;

/** What an Onboarding remembers: of the emails in its list, and of those that have left it. */
export interface OnboardingMemory {
  readonly verdicts: OnboardingStatuses;
  readonly formerVerdicts: OnboardingStatuses;
  /** Who was `unknown` once and got a no since: the lost answer may have let them in. */
  readonly perhapsLetIn: readonly string[];
  readonly retry?: string | undefined;
}
export const emptyMemory: OnboardingMemory = { verdicts: {}, formerVerdicts: {}, perhapsLetIn: [] };

interface Wanted {
  readonly emails: readonly string[];
  readonly retry?: string | undefined;
}

/** Those that were never sent; with a new value of `retry` also those that were, and are not in process. */
export function emailsToSend(
  { emails, retry }: Wanted,
  before: Omit<OnboardingMemory, "perhapsLetIn">,
): string[] {
  const said: OnboardingStatuses = { ...before.formerVerdicts, ...before.verdicts };
  const again = retry !== before.retry;
  return emails.filter((email) => said[email] === undefined || (again && said[email] !== "inProcess"));
}

/** One verdict for each email that was sent. One that stands in both lists counts as accepted: it is not sent again. */
export function statusesOf(sent: readonly string[], answer: OnboardingResult): OnboardingStatuses {
  const accepted = new Set(answer.users_in_onboarding_process.map(keyOf));
  const unavailable = new Set(answer.users_unavailable_for_onboarding.map(keyOf));
  return Object.fromEntries(
    sent.map((email): [string, OnboardingStatus] => {
      if (accepted.has(email)) return [email, "inProcess"];
      return [email, unavailable.has(email) ? "unavailable" : "refused"];
    }),
  );
}

/** The verdict of emails whose answer was lost. */
export function unknownStatuses(sent: readonly string[]): OnboardingStatuses {
  return Object.fromEntries(sent.map((email): [string, OnboardingStatus] => [email, "unknown"]));
}

/**
 * What is remembered after `said`. Of emails that left the list it keeps those that came in, or may have: put back, they
 * are not sent again by themselves.
 */
export function remember(
  emails: readonly string[],
  before: OnboardingMemory,
  said: OnboardingStatuses,
): Pick<OnboardingMemory, "verdicts" | "formerVerdicts" | "perhapsLetIn"> {
  const asked: OnboardingStatuses = { ...before.formerVerdicts, ...before.verdicts };
  const now: OnboardingStatuses = { ...asked, ...said };
  const perhapsLetIn = unique([...before.perhapsLetIn, ...emailsWithStatus(asked, "unknown")]).filter(
    (email) => !isOpenOrAccepted(now[email]),
  );
  const perhaps = new Set(perhapsLetIn);
  const listed = new Set(emails);
  const all = Object.entries(now);
  return {
    verdicts: Object.fromEntries(all.filter(([email]) => listed.has(email))),
    formerVerdicts: Object.fromEntries(
      all.filter(
        ([email, verdict]) => !listed.has(email) && (isOpenOrAccepted(verdict) || perhaps.has(email)),
      ),
    ),
    perhapsLetIn,
  };
}

/** Who came in, and who may have: an answer about them was lost. */
export interface Onboarded {
  readonly certain: readonly string[];
  readonly possible: readonly string[];
}

/** Those of `emails` that are, or may be, members by it. */
export function onboardedAmong(known: OnboardingMemory, emails: readonly string[]): Onboarded {
  const said: OnboardingStatuses = { ...known.formerVerdicts, ...known.verdicts };
  const wasUnknown = new Set(known.perhapsLetIn);
  const surely = emails.filter((email) => said[email] === "inProcess");
  const perhaps = emails.filter((email) => said[email] === "unknown" || wasUnknown.has(email));
  return { certain: surely, possible: perhaps };
}

function isOpenOrAccepted(verdict: OnboardingStatus | undefined): boolean {
  return verdict === "inProcess" || verdict === "unknown";
}

/** The emails of a verdict. */
export function emailsWithStatus(verdicts: OnboardingStatuses, wanted: OnboardingStatus): string[] {
  return Object.entries(verdicts).flatMap(([email, verdict]) => (verdict === wanted ? [email] : []));
}

/** Each email once, at its first place. */
export function unique(emails: readonly string[]): string[] {
  return [...new Set(emails)];
}

function keyOf(email: string): string {
  return email.trim().toLowerCase();
}
