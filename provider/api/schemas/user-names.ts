/** The email and the names of a user, as requests and responses have them. */

import { createHash } from "node:crypto";
import { folded } from "../../util/text.ts";
import type { User } from "./schemas.ts";

/** Identifies a machine user without containing its names: the audit log has this hash. */
export function namesHash(
  organizationId: string,
  firstName: string | undefined,
  lastName: string | undefined,
): string {
  const names = JSON.stringify([organizationId, firstName ?? null, lastName ?? null]);
  return createHash("sha256").update(names).digest("hex").slice(0, 24);
}

interface RequestedUser {
  readonly email?: string | undefined;
  readonly firstName?: string | undefined;
  readonly lastName?: string | undefined;
}

/**
 * Why the response to "add user" is about another user, undefined if it is not. An email in the response identifies a
 * person. Names identify a machine user, and a person if the response has no email. Absent fields prove nothing.
 */
export function userMismatch(
  requested: RequestedUser,
  { email, first_name, last_name }: Partial<Pick<User, "email" | "first_name" | "last_name">>,
): string | undefined {
  if (requested.email !== undefined && isGiven(email)) {
    return isSameText(requested.email, email) ? undefined : `its email is ${email}`;
  }
  const names = [
    { sent: requested.firstName, answered: first_name },
    { sent: requested.lastName, answered: last_name },
  ].filter(({ answered }) => isGiven(answered));
  const others = names.filter(({ sent, answered }) => !isSameText(sent ?? "", answered ?? ""));
  if (others.length > 0) return `its name is ${names.map(({ answered }) => answered).join(" ")}`;
  // With matching names it is a machine user to whom the service gave an address.
  return isGiven(email) && names.length === 0 ? `it is a person, ${email}` : undefined;
}

function isGiven(text: string | null | undefined): text is string {
  return typeof text === "string" && text.trim() !== "";
}

/** Letter case (D18) and spaces aside. */
export function isSameText(one: string, other: string): boolean {
  return plain(one) === plain(other);
}

function plain(text: string): string {
  return folded(text).trim().replaceAll(/\s+/g, " ");
}
