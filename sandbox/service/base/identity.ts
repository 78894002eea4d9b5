/** The token endpoint (D3) and its access tokens: opaque, bearer, 900 seconds of the service's clock. */
import { z } from "zod";
import type { OrganizationCredential } from "../../../provider/api/calls/call.ts";
import { tokenRequestSchema } from "../../../provider/api/schemas/schemas.ts";
import type { Database } from "./database.ts";
import { oauthRefusal } from "./refusals.ts";
import { hashOf, newSecret } from "./secrets.ts";

const ACCESS_TOKEN_SECONDS = 900;

/** The caller of a request. */
interface Caller {
  readonly kind: OrganizationCredential;
  /** The admin's username or the service account's client_id. */
  readonly id: string;
  readonly organizationId: string;
  /** Always true for service accounts, which act for their organization. */
  readonly isAdmin: boolean;
}

const adminRow = z.object({ id: z.string(), organization_id: z.string(), password_hash: z.string() });
const accountRow = z.object({ client_id: z.string(), organization_id: z.string(), secret_hash: z.string() });
const callerRow = z.object({
  organization_id: z.string(),
  client_id: z.string().nullable(),
  username: z.string().nullable(),
  role: z.string().nullable(),
});

const GRANTS = ["password", "client_credentials"];

/** Handles one request of the token endpoint. @param form the decoded form. @param marker the access token's prefix. */
export function grantAccess(
  database: Database,
  now: number,
  form: Record<string, string>,
  marker: string,
): unknown {
  if (!form.grant_type) throw oauthRefusal(400, "invalid_request", "grant_type is missing");
  if (!GRANTS.includes(form.grant_type)) {
    throw oauthRefusal(400, "unsupported_grant_type", `grant_type is one of ${GRANTS.join(", ")}`);
  }
  const parsed = tokenRequestSchema.safeParse(form);
  if (!parsed.success) {
    const fields = parsed.error.issues.map((issue) => issue.path.join("."));
    throw oauthRefusal(400, "invalid_request", `missing or empty: ${fields.join(", ")}`);
  }
  const request = parsed.data;
  const token = newSecret(marker);
  database.run("DELETE FROM access_tokens WHERE expires_at <= ?", now);
  const insert =
    "INSERT INTO access_tokens (hash, organization_id, admin_id, client_id, expires_at) VALUES (?, ?, ?, ?, ?)";
  const expiresAt = now + ACCESS_TOKEN_SECONDS * 1000;
  if (request.grant_type === "password") {
    const admin = passwordOwner(database, request.username, request.password);
    database.run(insert, hashOf(token), admin.organization_id, admin.id, null, expiresAt);
  } else {
    const account = secretOwner(database, request.client_id, request.client_secret);
    database.run(insert, hashOf(token), account.organization_id, null, account.client_id, expiresAt);
  }
  return { access_token: token, token_type: "Bearer", expires_in: ACCESS_TOKEN_SECONDS };
}

function passwordOwner(database: Database, username: string, password: string): z.output<typeof adminRow> {
  const admin = database.one(adminRow, "SELECT * FROM admins WHERE username = ?", username.toLowerCase());
  if (admin?.password_hash === hashOf(password)) return admin;
  throw oauthRefusal(400, "invalid_grant", "wrong username or password");
}

function secretOwner(database: Database, clientId: string, secret: string): z.output<typeof accountRow> {
  const account = database.one(accountRow, "SELECT * FROM service_accounts WHERE client_id = ?", clientId);
  if (account?.secret_hash === hashOf(secret)) return account;
  throw oauthRefusal(401, "invalid_client", "unknown client_id or wrong client_secret");
}

/** The caller of an `Authorization` header; undefined without a live access token. */
export function findCaller(
  database: Database,
  now: number,
  authorization: string | undefined,
): Caller | undefined {
  const token = bearerOf(authorization);
  if (token === undefined) return undefined;
  const row = database.one(
    callerRow,
    `SELECT t.organization_id, t.client_id, a.username, u.role
     FROM access_tokens t LEFT JOIN admins a ON a.id = t.admin_id LEFT JOIN users u ON u.id = a.id
     WHERE t.hash = ? AND t.expires_at > ?`,
    hashOf(token),
    now,
  );
  if (!row) return undefined;
  const kind = row.client_id === null ? "user" : "serviceAccount";
  return {
    kind,
    id: row.client_id ?? row.username ?? "",
    organizationId: row.organization_id,
    isAdmin: kind === "serviceAccount" || row.role === "admin",
  };
}

export function bearerOf(authorization: string | undefined): string | undefined {
  return /^Bearer +([^\s]+)$/i.exec(authorization ?? "")?.[1];
}
