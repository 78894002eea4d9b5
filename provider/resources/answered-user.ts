/**
 * Whether the answer of call 5 is about the user who was asked for. A proxy or a service that mixes up two answers
 * would otherwise give one person's seat and token to another.
 */
import { ApiError } from "../api/errors.ts";
import type { User } from "../api/schemas.ts";
import { isOwned } from "./ownership.ts";
import type { PlanContext } from "./resource.ts";

interface Asked {
  readonly organizationId: string;
  readonly email?: string | undefined;
  readonly firstName?: string | undefined;
  readonly lastName?: string | undefined;
}

/** @throws ApiError `bad-answer` where the answer is about somebody else: whether the user was created is unknown */
export function refuseAnotherUser(asked: Asked, answered: User, context: PlanContext): void {
  const reason = mismatch(asked, answered) ?? knownId(asked, answered, context);
  if (reason === undefined) return;
  throw new ApiError({
    code: "bad-answer",
    call: "call 5 (create user)",
    method: "POST",
    path: `/organizations/${asked.organizationId}/users`,
    reason: `the service answered with another person's user: ${reason}. Nothing of this answer is kept, and no seat and no token goes to that user`,
  });
}

/**
 * An email in the answer decides about a person. Names decide about a managed user, and about a person where the answer
 * has no email. What the answer leaves out proves nothing.
 */
function mismatch(asked: Asked, { email, first_name, last_name }: User): string | undefined {
  if (asked.email !== undefined && isGiven(email)) {
    return isSame(asked.email, email) ? undefined : `its email is ${email}`;
  }
  const names = [
    { sent: asked.firstName, answered: first_name },
    { sent: asked.lastName, answered: last_name },
  ].filter(({ answered }) => isGiven(answered));
  const others = names.filter(({ sent, answered }) => !isSame(sent ?? "", answered ?? ""));
  if (others.length > 0) return `its name is ${names.map(({ answered }) => answered).join(" ")}`;
  // Names that are the right ones speak for a managed user to whom the service gave an address.
  return isGiven(email) && names.length === 0 ? `it is a person, ${email}` : undefined;
}

function knownId(
  { organizationId }: Asked,
  { id }: User,
  context: Pick<PlanContext, "owners" | "people">,
): string | undefined {
  if (!isOwned(context, "OrgUser", id, organizationId)) return undefined;
  return `${context.people.nameOf(id)} is managed by another OrgUser of this program already`;
}

function isGiven(text: string | null | undefined): text is string {
  return typeof text === "string" && text.trim() !== "";
}

/** Letter case (D18) and spaces aside. */
function isSame(one: string, other: string): boolean {
  return plain(one) === plain(other);
}

function plain(text: string): string {
  return text.normalize("NFC").trim().replaceAll(/\s+/g, " ").toLowerCase();
}
