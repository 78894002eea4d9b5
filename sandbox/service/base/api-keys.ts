/** The keys of the model area: UUIDs, stored as hashes, each with a name for the request log. */
import { z } from "zod";
import { apiKeySchema } from "../../../provider/api/schemas/model-schemas.ts";
import type { Database } from "./database.ts";
import { bearerOf } from "./identity.ts";
import { refusal } from "./refusals.ts";
import { hashOf } from "./secrets.ts";

export const newApiKeySchema = z.strictObject({ key: apiKeySchema, name: z.string().min(1) });
export type NewApiKey = z.input<typeof newApiKeySchema>;

const keyRow = z.object({ name: z.string() });

/** UUIDs are case-insensitive. */
function hashOfKey(key: string): string {
  return hashOf(key.toLowerCase());
}

export function addApiKey(database: Database, { key, name }: NewApiKey): void {
  if (database.has("SELECT 1 FROM api_keys WHERE hash = ? OR name = ?", hashOfKey(key), name)) {
    throw refusal(409, "API_KEY_EXISTS", "this key, or one of this name, exists");
  }
  database.run("INSERT INTO api_keys (hash, name) VALUES (?, ?)", hashOfKey(key), name);
}

/** The name of the key in an `Authorization` header; undefined without a valid key. */
export function findApiKey(database: Database, authorization: string | undefined): string | undefined {
  const key = apiKeySchema.safeParse(bearerOf(authorization));
  if (!key.success) return undefined;
  return database.one(keyRow, "SELECT name FROM api_keys WHERE hash = ?", hashOfKey(key.data))?.name;
}
