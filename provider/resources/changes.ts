/** Compares old and new inputs: the part of diff that all resources share. */

import { isDeepStrictEqual } from "node:util";
import { CodedError } from "../util/error-codes.ts";
import type { InputIssue, PlanContext } from "./resource.ts";
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

/** An issue for each given input that the service's platform cannot honor. */
export function unsupportedInputs<Inputs extends object>(
  ...[news, keys, reason]: Parameters<typeof givenInputs<Inputs>>
): InputIssue[] {
  return givenInputs(news, keys, `not supported: ${reason}`);
}

/** The issues for inputs of seats and tokens that the service's platform cannot honor. */
export function unsupportedEmails(
  news: Knowable<{ sendEmail?: boolean | undefined }>,
  { can }: PlanContext,
): InputIssue[] {
  const emails = "this service decides whether it sends an email";
  return can.canChooseEmails ? [] : unsupportedInputs(news, ["sendEmail"], emails);
}

/**
 * The issues for inputs of users. Seat and token of a retained membership have `allowAdminRemoval` on every platform.
 */
export function unsupportedRoles(
  news: Knowable<{ allowAdminRemoval?: boolean | undefined }>,
  { can }: PlanContext,
): InputIssue[] {
  const roles = "this service does not return the roles of users";
  return can.canListUsers ? [] : unsupportedInputs(news, ["allowAdminRemoval"], roles);
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
