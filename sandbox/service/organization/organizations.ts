/** Organizations, their subscription, their seats and their admins. */

import { randomUUID } from "node:crypto";
import { z } from "zod";
import { emailSchema } from "../../../provider/api/schemas/schemas.ts";
import { addApiKey } from "../base/api-keys.ts";
import type { Database } from "../base/database.ts";
import { refusal } from "../base/refusals.ts";
import { hashOf } from "../base/secrets.ts";
import type { NewOrganization } from "../base/settings.ts";

const organizationRow = z.object({
  id: z.string(),
  seats: z.number(),
  subscription_expires_at: z.number(),
  generation: z.number(),
});
export type OrganizationRow = z.output<typeof organizationRow>;

const idRow = z.object({ id: z.string() });
const countRow = z.object({ count: z.number() });

export function findOrganization(database: Database, id: string): OrganizationRow | undefined {
  return database.one(organizationRow, "SELECT * FROM organizations WHERE id = ?", id);
}

/** Creates an organization with one admin, and the seed's tokens, service account, and key of the model area, if any. */
export function addOrganization(database: Database, seed: NewOrganization): void {
  if (findOrganization(database, seed.organizationId)) {
    throw refusal(409, "ORGANIZATION_EXISTS", "an organization with this id exists");
  }
  const expiresAt = Date.parse(seed.subscriptionExpiresAt);
  database.run(
    "INSERT INTO organizations (id, seats, subscription_expires_at) VALUES (?, ?, ?)",
    seed.organizationId,
    seed.seats,
    expiresAt,
  );
  addAdmin(database, seed.organizationId, seed.username, seed.password);
  const bearer =
    "INSERT INTO access_tokens (hash, organization_id, admin_id, expires_at) SELECT ?, organization_id, id, ? FROM admins WHERE username = ?";
  const { adminToken: token, username } = seed;
  if (token !== undefined) database.run(bearer, hashOf(token), expiresAt, username.toLowerCase());
  if (seed.apiKey !== undefined) addApiKey(database, { key: seed.apiKey, name: seed.organizationId });
  if (seed.serviceAccount) addServiceAccount(database, seed.organizationId, seed.serviceAccount);
}

export function addServiceAccount(
  database: Database,
  organizationId: string,
  { name, clientId, clientSecret }: NonNullable<NewOrganization["serviceAccount"]>,
): void {
  database.run(
    "INSERT INTO service_accounts (client_id, organization_id, name, secret_hash) VALUES (?, ?, ?, ?)",
    clientId,
    organizationId,
    name,
    hashOf(clientSecret),
  );
}

/** Adds an admin to an organization. Usernames are unique in the service, without regard to case. */
export function addAdmin(
  database: Database,
  organizationId: string,
  username: string,
  password: string,
): void {
  const name = username.toLowerCase();
  if (database.has("SELECT 1 FROM admins WHERE username = ?", name)) {
    throw refusal(409, "USERNAME_EXISTS", "an admin with this username exists");
  }
  database.run(
    "INSERT INTO admins (id, organization_id, username, password_hash) VALUES (?, ?, ?, ?)",
    addAdminUser(database, organizationId, name),
    organizationId,
    name,
    hashOf(password),
  );
}

/** The user of an admin: the member with that email, or a new one. @returns the id */
function addAdminUser(database: Database, organizationId: string, username: string): string {
  const email = emailSchema.safeParse(username).data ?? null;
  const member = database.one(
    idRow,
    "UPDATE users SET role = 'admin' WHERE organization_id = ? AND email = ? RETURNING id",
    organizationId,
    email,
  );
  if (member) return member.id;
  const id = randomUUID();
  database.run(
    "INSERT INTO users (id, organization_id, email, role) VALUES (?, ?, ?, 'admin')",
    id,
    organizationId,
    email,
  );
  return id;
}

/** Changes an admin's rights or password. Access tokens stay valid. */
export function changeAdmin(
  database: Database,
  username: string,
  change: { admin?: boolean | undefined; password?: string | undefined },
): void {
  const admin = database.one(
    idRow,
    "UPDATE admins SET password_hash = coalesce(?, password_hash) WHERE username = ? RETURNING id",
    change.password === undefined ? null : hashOf(change.password),
    username.toLowerCase(),
  );
  if (!admin) throw refusal(404, "ADMIN_NOT_FOUND", "no such admin");
  if (change.admin === undefined) return;
  database.run("UPDATE users SET role = ? WHERE id = ?", change.admin ? "admin" : "member", admin.id);
}

/** A new expiry, even an earlier one, renews the subscription (D36). It changes no token. */
export function changeSubscription(
  database: Database,
  organizationId: string,
  change: { expiresAt?: string | undefined; seats?: number | undefined },
): void {
  const { changes } = database.run(
    `UPDATE organizations SET generation = generation + ?, seats = coalesce(?, seats),
       subscription_expires_at = coalesce(?, subscription_expires_at)
     WHERE id = ?`,
    change.expiresAt === undefined ? 0 : 1,
    change.seats ?? null,
    change.expiresAt === undefined ? null : Date.parse(change.expiresAt),
    organizationId,
  );
  if (changes === 0) throw refusal(404, "ORGANIZATION_NOT_FOUND", "no such organization");
}

/** Unassigned seats; never below zero, even after the total is lowered. */
export function freeSeats(database: Database, organization: OrganizationRow): number {
  const held = database.one(
    countRow,
    "SELECT count(*) AS count FROM seats JOIN users ON users.id = seats.user_id WHERE organization_id = ?",
    organization.id,
  );
  return Math.max(0, organization.seats - (held?.count ?? 0));
}
