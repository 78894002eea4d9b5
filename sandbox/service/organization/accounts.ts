/** "create", "list" and "delete service account". */
import { randomUUID } from "node:crypto";
import { z } from "zod";
import { createServiceAccountRequestSchema } from "../../../provider/api/schemas/schemas.ts";
import type { Handler } from "../base/handler.ts";
import { refusal } from "../base/refusals.ts";
import { newSecret } from "../base/secrets.ts";
import { addServiceAccount } from "./organizations.ts";

const accountRow = z.object({ name: z.string(), client_id: z.string(), org_id: z.string() });

/** Two accounts may share a name (D8). Only this response contains the secret. */
export const createServiceAccount: Handler = ({ database, organization, switches }, body) => {
  const { name } = createServiceAccountRequestSchema.parse(body);
  const account = { name, clientId: randomUUID(), clientSecret: newSecret(switches.secretMarker) };
  addServiceAccount(database, organization.id, account);
  const { clientId: client_id, clientSecret: client_secret } = account;
  return { name, client_id, org_id: organization.id, client_secret };
};

export const listServiceAccounts: Handler = ({ database, organization }) => ({
  items: database.all(
    accountRow,
    `SELECT name, client_id, organization_id AS org_id FROM service_accounts
     WHERE organization_id = ? ORDER BY rowid`,
    organization.id,
  ),
});

/** Also deletes the account's access tokens. */
export const deleteServiceAccount: Handler = ({ database, organization, path }) => {
  const { changes } = database.run(
    "DELETE FROM service_accounts WHERE organization_id = ? AND client_id = ?",
    organization.id,
    path.client_id ?? "",
  );
  if (changes === 0) throw refusal(404, "SERVICE_ACCOUNT_NOT_FOUND", "no such service account");
  return undefined;
};
