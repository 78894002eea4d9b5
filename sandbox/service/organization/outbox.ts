/** The emails that a real service would send (D35). */
import { z } from "zod";
import { formatInstant } from "../../../provider/util/instants.ts";
import type { Database } from "../base/database.ts";
import type { Scope } from "../base/handler.ts";

/** "onboard users" sends three kinds: one to the admins, and two to each new user. "assign seat" can send `seat`. */
const emailKinds = ["users-added", "welcome", "token", "seat"] as const;
const recipientRow = z.object({ email: z.string().nullable() });

const emailSchema = z.object({
  number: z.number(),
  at: z.union([z.string(), z.number().transform((at) => formatInstant(at))]),
  organizationId: z.string(),
  recipient: z.string(),
  kind: z.enum(emailKinds),
  /** Only the text of a `token` mail contains the token's value. */
  text: z.string(),
});
export const outboxSchema = z.array(emailSchema);
/** One email that a real service would send (D35). */
export type Email = z.output<typeof emailSchema>;

/** Adds an email to the outbox, in the current transaction. */
export function sendEmail(
  { database, organization, now }: Scope,
  { recipient, kind, text }: Pick<Email, "recipient" | "kind" | "text">,
): void {
  database.run(
    "INSERT INTO outbox (at, organization_id, recipient, kind, text) VALUES (?, ?, ?, ?, ?)",
    now,
    organization.id,
    recipient,
    kind,
    text,
  );
}

/** Sends an email to a user; a machine user has no mailbox. */
export function announce(scope: Scope, userId: string, kind: "token" | "seat", text: string): void {
  const user = scope.database.one(recipientRow, "SELECT email FROM users WHERE id = ?", userId);
  if (user?.email) sendEmail(scope, { recipient: user.email, kind, text });
}

/** All emails, oldest first. */
export function readOutbox(database: Database): Email[] {
  return database.all(
    emailSchema,
    `SELECT number, at, organization_id AS organizationId, recipient, kind, text
     FROM outbox ORDER BY number`,
  );
}
