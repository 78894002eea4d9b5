/** "add user", "assign seat", "remove seat" and "remove user". */
import { z } from "zod";
import {
  createMemberRequestSchema,
  seatQuerySchema,
} from "../../../provider/api/schemas/anaconda-schemas.ts";
import type { Database } from "../base/database.ts";
import type { Handler, Scope } from "../base/handler.ts";
import type { userChangeSchema } from "../base/management-schemas.ts";
import { refusal } from "../base/refusals.ts";
import { freeSeats } from "./organizations.ts";
import { announce } from "./outbox.ts";

const idRow = z.object({ id: z.string() });

/** Adds a user; without an email a machine user, who may share names with others. */
export const createUser: Handler = (scope, body) => {
  requireSubscription(scope);
  const { email = null, first_name = null, last_name = null } = createMemberRequestSchema.parse(body);
  if (email !== null && isMember(scope, email)) {
    throw refusal(409, "USER_EXISTS", "a user with this email is a member of the organization");
  }
  const user = addMember(scope, { email, first_name, last_name });
  if (!scope.platform.canListUsers) return user;
  // These platforms leave out what has no value.
  return Object.fromEntries(Object.entries(user).filter(([, value]) => value !== null));
};

/** 201 also for a user with a seat, unless the switch selects 409 (D16). */
export const assignSeat: Handler = (scope) => {
  requireSubscription(scope);
  const userId = requireUser(scope);
  if (holdsSeat(scope, userId)) {
    if (!scope.platform.canListUsers && scope.switches.repeatSeat === "201") return undefined;
    throw refusal(409, "SEAT_ALREADY_ASSIGNED", "the user holds a seat already");
  }
  if (freeSeats(scope.database, scope.organization) === 0) {
    throw refusal(402, "NO_SEATS_AVAILABLE", "all seats of the subscription are taken");
  }
  giveSeat(scope, userId);
  const { send_seat_assigned_email: announced = true } = seatQuerySchema.parse(scope.query ?? {});
  if (scope.platform.canChooseEmails && announced) announce(scope, userId, "seat", "You have a seat.");
  return undefined;
};

/** Refused while a live token exists (D14), except by platforms without that rule; an expired token is not an obstacle. */
export const removeSeat: Handler = (scope) => {
  const userId = requireUser(scope);
  if (!holdsSeat(scope, userId)) throw refusal(404, "SEAT_NOT_FOUND", "the user holds no seat");
  const live = "SELECT 1 FROM tokens WHERE user_id = ? AND revoked = 0 AND expires_at > ?";
  if (scope.database.has(live, userId, scope.now) && !scope.platform.removesSeatsWithTokens) {
    throw refusal(409, "TOKEN_EXISTS", "the user has a live token; revoke it first");
  }
  scope.database.run("DELETE FROM seats WHERE user_id = ?", userId);
  return undefined;
};

/** Refused while a seat or a token, live or expired, exists (D14). */
export const removeUser: Handler = (scope) => {
  const userId = requireUser(scope);
  if (scope.database.has("SELECT 1 FROM tokens WHERE user_id = ? AND revoked = 0", userId)) {
    throw refusal(409, "TOKEN_EXISTS", "the user has a token; revoke it first");
  }
  if (holdsSeat(scope, userId)) throw refusal(409, "SEAT_EXISTS", "the user holds a seat; remove it first");
  requireOtherAdmin(scope, userId);
  scope.database.run("DELETE FROM users WHERE id = ?", userId);
  return undefined;
};

interface NewMember {
  readonly email: string | null;
  readonly first_name: string | null;
  readonly last_name: string | null;
}

/** Adds a user who is not a member. @returns the user in the form of "add user" */
export function addMember(
  { database, organization, newId }: Scope,
  { email, first_name, last_name }: NewMember,
): NewMember & { readonly id: string } {
  const id = newId(email ?? `${first_name} ${last_name}`);
  database.run(
    "INSERT INTO users (id, organization_id, email, first_name, last_name) VALUES (?, ?, ?, ?, ?)",
    id,
    organization.id,
    email,
    first_name,
    last_name,
  );
  return { id, email, first_name, last_name };
}

/** Assigns an available seat to a user without one. */
export function giveSeat({ database }: Scope, userId: string): void {
  database.run("INSERT INTO seats (user_id) VALUES (?)", userId);
}

/** @throws 409 for the last admin of an organization */
function requireOtherAdmin({ database, organization }: Scope, userId: string): void {
  const admins = database.all(
    idRow,
    "SELECT id FROM users WHERE organization_id = ? AND role = 'admin'",
    organization.id,
  );
  if (admins.length === 1 && admins[0]?.id === userId) {
    throw refusal(409, "LAST_ADMIN", "the organization has no other admin");
  }
}

/** The user of the path. @throws 404 if the organization has no user with that id. */
export function requireUser({ database, organization, path }: Scope): string {
  const userId = path.user_id ?? "";
  const user = "SELECT 1 FROM users WHERE id = ? AND organization_id = ?";
  if (!database.has(user, userId, organization.id))
    throw refusal(404, "USER_NOT_FOUND", "no such user in the organization");
  return userId;
}

/** @throws 402 if the subscription has ended (D38). */
export function requireSubscription({ organization, now }: Scope): void {
  if (organization.subscription_expires_at > now) return;
  throw refusal(402, "SUBSCRIPTION_EXPIRED", "the organization's subscription has ended");
}

function holdsSeat({ database }: Scope, userId: string): boolean {
  return database.has("SELECT 1 FROM seats WHERE user_id = ?", userId);
}

/** Admins are members too. */
export function isMember({ database, organization }: Scope, email: string): boolean {
  const sql = "SELECT 1 FROM users WHERE organization_id = ? AND email IN (?, ?)";
  return database.has(sql, organization.id, email, email.normalize("NFD"));
}

/** A change behind the back of every client. A field that is missing stays. */
export function changeUser(
  database: Database,
  userId: string,
  { email, firstName, lastName, role }: z.output<typeof userChangeSchema>,
): void {
  const { changes } = database.run(
    `UPDATE users SET role = coalesce(?, role), email = coalesce(?, email),
       first_name = CASE WHEN ? THEN ? ELSE first_name END, last_name = CASE WHEN ? THEN ? ELSE last_name END
     WHERE id = ?`,
    role ?? null,
    email ?? null,
    Number(firstName !== undefined),
    firstName ?? null,
    Number(lastName !== undefined),
    lastName ?? null,
    userId,
  );
  if (changes === 0) throw refusal(404, "USER_NOT_FOUND", "no such user");
}
