/** The statuses of onboarded emails, and which emails to send next: pure functions. */

import { z } from "zod";
import type { OnboardingResult } from "../../api/schemas/schemas.ts";
import { folded } from "../../util/text.ts";
import { type OnboardingStatus, onboardingStatuses } from "./status-names.ts";

export const onboardingStatusesSchema = z.record(z.string(), z.enum(onboardingStatuses));
export type OnboardingStatuses = Readonly<Record<string, OnboardingStatus>>;

/** The memory of an Onboarding about the emails in its list, and about those that left it. */
export interface OnboardingMemory {
  readonly statuses: OnboardingStatuses;
  readonly formerStatuses: OnboardingStatuses;
  /** Emails that were `unknown` and are not accepted since: the lost response may have made them members. */
  readonly possibleMembers: readonly string[];
  readonly resend?: string | undefined;
}
export const emptyMemory: OnboardingMemory = { statuses: {}, formerStatuses: {}, possibleMembers: [] };

interface Wanted {
  readonly emails: readonly string[];
  readonly resend?: string | undefined;
}

/** Emails that were never sent; with a new value of `resend` also sent ones that are not in process. */
export function emailsToSend(
  { emails, resend }: Wanted,
  before: Omit<OnboardingMemory, "possibleMembers">,
): string[] {
  const known: OnboardingStatuses = { ...before.formerStatuses, ...before.statuses };
  const again = resend !== before.resend;
  return emails.filter((email) => known[email] === undefined || (again && known[email] !== "inProcess"));
}

/**
 * One status for each sent email. An email in both lists counts as accepted: it is not sent again. A missing list counts as
 * one unreadable email: any email in neither list may be it. So without a response, each is unknown.
 */
export function statusesOf(
  sent: readonly string[],
  {
    users_in_onboarding_process: inProcess = [null],
    users_unavailable_for_onboarding: notAvailable = [null],
  }: OnboardingResult,
): OnboardingStatuses {
  const accepted = new Set(inProcess.map(keyOf));
  const unavailable = new Set(notAvailable.map(keyOf));
  const absent = accepted.has(null) || unavailable.has(null) ? "unknown" : "refused";
  return Object.fromEntries(
    sent.map((email): [string, OnboardingStatus] => {
      if (accepted.has(email)) return [email, "inProcess"];
      return [email, unavailable.has(email) ? "unavailable" : absent];
    }),
  );
}

/**
 * The memory after new statuses. Of emails that left the list it keeps those that are or may be members: when they
 * return to the list, they are not sent again automatically.
 */
export function remember(
  emails: readonly string[],
  before: OnboardingMemory,
  statuses: OnboardingStatuses,
): Pick<OnboardingMemory, "statuses" | "formerStatuses" | "possibleMembers"> {
  const known: OnboardingStatuses = { ...before.formerStatuses, ...before.statuses };
  const now: OnboardingStatuses = { ...known, ...statuses };
  const possibleMembers = unique([...before.possibleMembers, ...emailsWithStatus(known, "unknown")]).filter(
    (email) => !isOpenOrAccepted(now[email]),
  );
  const perhaps = new Set(possibleMembers);
  const listed = new Set(emails);
  const all = Object.entries(now);
  return {
    statuses: Object.fromEntries(all.filter(([email]) => listed.has(email))),
    formerStatuses: Object.fromEntries(
      all.filter(([email, status]) => !listed.has(email) && (isOpenOrAccepted(status) || perhaps.has(email))),
    ),
    possibleMembers,
  };
}

/** Emails that became members, and emails that may have: their response was lost. */
export interface Onboarded {
  readonly certain: readonly string[];
  readonly possible: readonly string[];
}

/** Those of `emails` that are or may be members. */
export function onboardedAmong(known: OnboardingMemory, emails: readonly string[]): Onboarded {
  const statuses: OnboardingStatuses = { ...known.formerStatuses, ...known.statuses };
  const wasUnknown = new Set(known.possibleMembers);
  const certain = emails.filter((email) => statuses[email] === "inProcess");
  const possible = emails.filter((email) => statuses[email] === "unknown" || wasUnknown.has(email));
  return { certain, possible };
}

function isOpenOrAccepted(status: OnboardingStatus | undefined): boolean {
  return status === "inProcess" || status === "unknown";
}

/** The emails with a status. */
export function emailsWithStatus(statuses: OnboardingStatuses, wanted: OnboardingStatus): string[] {
  return Object.entries(statuses).flatMap(([email, status]) => (status === wanted ? [email] : []));
}

/** Each email once, at its first place. */
export function unique(emails: readonly string[]): string[] {
  return [...new Set(emails)];
}

function keyOf(email: string | null): string | null {
  return email === null ? null : folded(email.trim());
}
