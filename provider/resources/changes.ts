/** Compares old and new inputs: the part of diff that all resources share. */

import { isDeepStrictEqual } from "node:util";
import type { Capabilities } from "../api/calls/platform.ts";
import { CodedError } from "../util/error-codes.ts";
import type { PlanContext } from "./contexts.ts";
import type { InputIssue } from "./resource.ts";
import { type Knowable, unknown } from "./unknown.ts";

/** The keys whose value differs; one that is not known yet counts as different. */
export function changedKeys<Inputs extends object, Key extends keyof Inputs & string>(
  olds: Inputs,
  news: Knowable<Inputs>,
  keys: readonly Key[],
): Key[] {
  return keys.filter((key) => news[key] === unknown || !isDeepStrictEqual(olds[key], news[key]));
}

/** The organization of a resource: its own, otherwise the configured one. */
export function completeOrganization<Inputs extends { organizationId: string }>(
  news: Knowable<Inputs>,
  context: PlanContext,
): Knowable<Inputs> {
  if (news.organizationId !== undefined || context.defaults.organizationId === undefined) return news;
  return { ...news, organizationId: context.defaults.organizationId };
}

export function inputIssue(property: string, reason: string): InputIssue {
  return { property, reason };
}

/** The same issue for each given input. */
export function givenInputs<Inputs extends object>(
  news: Knowable<Inputs>,
  keys: readonly (keyof Inputs & string)[],
  reason: string,
): InputIssue[] {
  return keys.filter((key) => news[key] !== undefined).map((key) => inputIssue(key, reason));
}

/** What inputs of users, seats, and tokens need, and why a platform without it cannot honor them. */
const needs = {
  sendEmail: ["canChooseEmails", "this service decides whether it sends an email"],
  // Seat and token of a retained membership have it on every platform.
  allowAdminRemoval: ["canListUsers", "this service does not return the roles of users"],
  keepPreviousFor: [
    "revokesByTokenId",
    "a user of this service has one token, so a rotation ends the old one before it issues the new one",
  ],
  /** Of a token. */
  adopt: ["canListTokens", "this service does not list tokens"],
  expirationToleranceMonths: ["canSetExpiry", "this service does not support an expiration tolerance"],
  /** A period. */
  expiresAt: [
    "canSetExpiry",
    "the platform basic (orgseat:platform) renews a token to the end of the subscription alone, so it cannot keep a period. Set a date, or `rotateEvery` for new tokens on a schedule",
  ],
} as const satisfies Readonly<Record<string, readonly [keyof Capabilities, string]>>;

/** An issue for each of these inputs that is given, and that the service's platform cannot honor. */
export function unsupportedInputs<Key extends keyof typeof needs>(
  news: Knowable<Partial<Readonly<Record<Key, unknown>>>>,
  keys: readonly Key[],
  { can }: PlanContext,
): InputIssue[] {
  return keys.flatMap((key) => {
    const [capability, reason] = needs[key];
    return can[capability] ? [] : givenInputs(news, [key], `not supported: ${reason}`);
  });
}

/** @param what for the error, for example `user 7a1f…` @throws Error if neither the program nor the configuration has it */
export function organizationOf(
  { organizationId }: { readonly organizationId?: string | undefined },
  { defaults }: PlanContext,
  what: string,
): string {
  const known = organizationId ?? defaults.organizationId;
  if (known !== undefined) return known;
  throw new CodedError(
    "cannot-adopt",
    `cannot import ${what}: organizationId is not set. Set orgseat:organizationId`,
  );
}

/** @throws Error that names the input to declare instead if the service cannot list users */
export function requireLists({ can }: PlanContext, what: string, instead: string): void {
  if (can.canListUsers) return;
  throw new CodedError(
    "cannot-adopt",
    `cannot import ${what}: this service (orgseat:platform) cannot list users, seats, or tokens. ${instead}`,
  );
}
