/** The whole content of the database, with hashes instead of secrets. */
import { z } from "zod";
import { serverStatuses } from "../../../provider/api/schemas/model-types.ts";
import { formatInstant } from "../../../provider/util/instants.ts";
import type { Database } from "../base/database.ts";
import { findServers } from "../models/servers.ts";

const flag = z.union([z.boolean(), z.number().transform((number) => number === 1)]);
const instant = z.union([z.string(), z.number().transform((at) => formatInstant(at))]);

const organizationSchema = z.object({
  organizationId: z.string(),
  seats: z.number(),
  seatsHeld: z.number(),
  subscriptionExpiresAt: instant,
});
const adminSchema = z.object({ organizationId: z.string(), username: z.string(), isAdmin: flag });
const accountSchema = z.object({ organizationId: z.string(), clientId: z.string(), name: z.string() });
const userSchema = z.object({
  organizationId: z.string(),
  userId: z.string(),
  email: z.string().nullable(),
  firstName: z.string().nullable(),
  lastName: z.string().nullable(),
  role: z.string(),
  /** Whether it is a machine user, without an email. */
  managed: flag,
  seat: flag,
});
const tokenSchema = z.object({
  tokenId: z.string(),
  userId: z.string(),
  expiresAt: instant,
  revoked: flag,
  /** SHA-256 of the value: the same hash means that the value has not changed. */
  hash: z.string(),
});
const modelFileSchema = z.object({ modelId: z.string(), fileId: z.string(), name: z.string() });
const serverSchema = z.object({
  serverId: z.string(),
  tag: z.string(),
  fileId: z.string(),
  host: z.string(),
  port: z.number(),
  status: z.enum(serverStatuses),
});
export const serviceSnapshotSchema = z.object({
  organizations: z.array(organizationSchema),
  admins: z.array(adminSchema),
  serviceAccounts: z.array(accountSchema),
  users: z.array(userSchema),
  tokens: z.array(tokenSchema),
  modelFiles: z.array(modelFileSchema),
  servers: z.array(serverSchema),
});
/** Everything in the order of its creation. */
export type ServiceSnapshot = z.output<typeof serviceSnapshotSchema>;

export function takeSnapshot(database: Database, now: number): ServiceSnapshot {
  return { ...organizationArea(database), ...modelArea(database, now) };
}

function organizationArea(database: Database): Omit<ServiceSnapshot, "modelFiles" | "servers"> {
  return {
    organizations: database.all(
      organizationSchema,
      `SELECT id AS organizationId, seats, subscription_expires_at AS subscriptionExpiresAt,
         (SELECT count(*) FROM seats JOIN users u ON u.id = user_id WHERE u.organization_id = o.id) AS seatsHeld
       FROM organizations o ORDER BY rowid`,
    ),
    admins: database.all(
      adminSchema,
      `SELECT admins.organization_id AS organizationId, username, role = 'admin' AS isAdmin
       FROM admins JOIN users USING (id) ORDER BY admins.rowid`,
    ),
    serviceAccounts: database.all(
      accountSchema,
      `SELECT organization_id AS organizationId, client_id AS clientId, name
       FROM service_accounts ORDER BY rowid`,
    ),
    users: database.all(
      userSchema,
      `SELECT organization_id AS organizationId, id AS userId, email, first_name AS firstName,
         last_name AS lastName, role, email IS NULL AS managed, id IN (SELECT user_id FROM seats) AS seat
       FROM users WHERE id NOT IN (SELECT id FROM admins) ORDER BY rowid`,
    ),
    tokens: database.all(
      tokenSchema,
      "SELECT id AS tokenId, user_id AS userId, expires_at AS expiresAt, revoked, hash FROM tokens ORDER BY rowid",
    ),
  };
}

function modelArea(database: Database, now: number): Pick<ServiceSnapshot, "modelFiles" | "servers"> {
  return {
    modelFiles: database.all(
      modelFileSchema,
      "SELECT model_id AS modelId, id AS fileId, name FROM model_files ORDER BY rowid",
    ),
    servers: findServers(database, now).map(({ id, tag, file_id, host, port, status }) => ({
      serverId: id,
      tag,
      fileId: file_id,
      host,
      port,
      status,
    })),
  };
}
