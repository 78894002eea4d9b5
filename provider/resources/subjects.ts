/**
 * What a creation makes, as a text: a preview and the run that follows compare creations by it, since what does not
 * exist yet has no id. All are pure functions of the inputs.
 */
import { holdsUnknown } from "./unknown.ts";

type Inputs = Readonly<Record<string, unknown>>;

/** The subject of a seat or token of someone whom the same run adds, where the preview cannot tell whom. */
export const NEW_USER = "a new user";

/** The subject of a seat or token of a user who exists. */
export function userSubject(userId: string): string {
  return `user ${userId}`;
}

/** The subject of an OrgUser: the person or the purpose, and who is adopted; undefined while that is not known. */
export function personSubject({ email, firstName, lastName, adopt }: Inputs): string | undefined {
  const who = typeof email === "string" ? email.toLowerCase() : [firstName ?? null, lastName ?? null];
  return textOf([who, ...(adopt === undefined || adopt === null ? [] : [adopt])]);
}

/** The subject of any other resource; undefined while it is not known. */
export function subjectOf(type: string, inputs: Inputs): string | undefined {
  const { userId, name, serverId, emails } = inputs;
  if (type === "OrgUser") return personSubject(inputs);
  if (type === "Onboarding") return textOf(Array.isArray(emails) ? emails.toSorted() : emails);
  if (type === "ModelServer") return textOf(serverId);
  if (type === "SeatAssignment" || type === "UserToken") {
    return typeof userId === "string" && !holdsUnknown(userId) ? userSubject(userId) : undefined;
  }
  return textOf(name);
}

function textOf(value: unknown): string | undefined {
  return value === undefined || value === null || holdsUnknown(value) ? undefined : JSON.stringify(value);
}
