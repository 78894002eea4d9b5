/** The request log: all requests in order, without bodies and secrets. */
import { z } from "zod";
import type { Database } from "./database.ts";

/** The size of the log, so that a sandbox that runs for weeks does not fill the disk. */
const KEPT = 50_000;

const entrySchema = z.object({
  method: z.string(),
  path: z.string(),
  /** The interface's number of the operation, or `token`; null for an unknown route. */
  call: z.union([z.int(), z.literal("token")]).nullable(),
  /** Null without a complete response. */
  status: z.int().nullable(),
  /** The kind of the credential. `invalid`: unknown or expired. */
  credential: z.enum(["user", "serviceAccount", "apiKey", "invalid", "none"]),
  /** The admin's username, the client_id, or the name of the key. */
  caller: z.string().nullable(),
  organizationId: z.string().nullable(),
  /** The user of the request; for "add user" the new one. */
  userId: z.string().nullable(),
  /** Names of the fields in the body. */
  fields: z.array(z.string()),
  /** The kind of the injected fault, if any. */
  fault: z.string().nullable(),
});
export type LogEntry = z.output<typeof entrySchema>;

/** One logged request. `number` always increases, even after a clearing or a restart. */
export const loggedRequestSchema = entrySchema.extend({ number: z.int(), at: z.string() });
export type LoggedRequest = z.output<typeof loggedRequestSchema>;

const row = z.object({ number: z.number(), at: z.number(), entry: z.string() });

/** Adds an entry when a request arrives, so that the log has requests without a response too. */
export class RequestLog {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** @returns the number of the request. */
  begin(at: number, entry: LogEntry): number {
    const { inserted } = this.#database.run(
      "INSERT INTO requests (at, entry) VALUES (?, ?)",
      at,
      JSON.stringify(entry),
    );
    if (inserted % 1000 === 0) this.#database.run("DELETE FROM requests WHERE number <= ?", inserted - KEPT);
    return inserted;
  }

  finish(number: number, entry: LogEntry): void {
    this.#database.run("UPDATE requests SET entry = ? WHERE number = ?", JSON.stringify(entry), number);
  }

  /** The requests with a number above `since`, oldest first. */
  since(since: number): LoggedRequest[] {
    const rows = this.#database.all(row, "SELECT * FROM requests WHERE number > ? ORDER BY number", since);
    return rows.map(({ number, at, entry }) => ({
      number,
      at: new Date(at).toISOString(),
      ...entrySchema.parse(JSON.parse(entry)),
    }));
  }

  clear(): void {
    this.#database.run("DELETE FROM requests");
  }
}
