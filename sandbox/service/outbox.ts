/** The emails that a real service would have sent (D35): kept for tests and people to read. */
import { z } from "zod";
import { formatInstant } from "../../provider/api/instants.ts";
import type { Database } from "./database.ts";
import type { Scope } from "./handler.ts";

/** Call 4 sends three kinds: to the admins, and two to each new user. */
export const emailKinds = ["users-added", "welcome", "token"] as const;

const emailSchema = z.object({
  number: z.number(),
  at: z.union([z.string(), z.number().transform((at) => formatInstant(at))]),
  organizationId: z.string(),
  recipient: z.string(),
  kind: z.enum(emailKinds),
  /** That of a `token` mail holds the token's value: nobody gets it in another way. */
  text: z.string(),
});
export const outboxSchema = z.array(emailSchema);
/** One email that a real service would have sent (D35). */
export type Email = z.output<typeof emailSchema>;

/** Puts an email into the outbox; it goes with the transaction. */
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

/** All emails, oldest first. */
export function readOutbox(database: Database): Email[] {
  return database.all(
    emailSchema,
    `SELECT number, at, organization_id AS organizationId, recipient, kind, text
     FROM outbox ORDER BY number`,
  );
}
