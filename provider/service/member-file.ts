/**
 * The members of an organization in a file (`ORGSEAT_MEMBERS_FILE`), for the runs of a command that has read them: their
 * resources then read the file instead of the service. The file has no secrets.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { z } from "zod";
import type { OrganizationApi } from "../api/calls/organization.ts";
import { listedTokenSchema, listedUserSchema } from "../api/schemas/anaconda-schemas.ts";
import { oddItemSchema } from "../api/schemas/forgiving-list.ts";
import type { ServiceMembers } from "./members.ts";

const fileSchema = z.object({
  organizationId: z.string(),
  users: z.array(listedUserSchema),
  odd: z.array(oddItemSchema),
  tokens: z.array(z.tuple([z.string(), z.array(listedTokenSchema)])),
  unread: z.array(z.string()),
  gone: z.array(z.string()),
  contradicted: z.array(z.string()),
  kept: z.array(z.string()),
  unreadable: z.array(z.tuple([z.string(), z.string()])),
});

export function writeMembers(file: string, { tokens, unreadable, ...members }: ServiceMembers): void {
  const lists = { ...members, tokens: [...tokens], unreadable: [...unreadable] };
  const text = JSON.stringify(lists, (_, value: unknown) => (value instanceof Set ? [...value] : value));
  writeFileSync(file, text, { mode: 0o600 });
}

/** @throws Error if the file is missing or invalid: the run must not take it for an empty organization */
export function readMemberFile(file: string): ServiceMembers {
  const { tokens, unread, gone, contradicted, kept, unreadable, ...members } = fileSchema.parse(
    JSON.parse(readFileSync(file, "utf8")),
  );
  const sets = { unread: new Set(unread), gone: new Set(gone) };
  return {
    ...{ ...members, ...sets, tokens: new Map(tokens), unreadable: new Map(unreadable) },
    ...{ contradicted: new Set(contradicted), kept: new Set(kept) },
  };
}

/** The same organization, with the lists of the file if it has them. */
export function withMembers(api: OrganizationApi, { users, odd, tokens }: ServiceMembers): OrganizationApi {
  return {
    ...api,
    listUsers: async () => ({ users, odd }),
    listTokens: async (userId, operation) => tokens.get(userId) ?? api.listTokens(userId, operation),
  };
}
