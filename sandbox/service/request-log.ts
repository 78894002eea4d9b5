/** The request log: what was asked, in order, without bodies and secrets. */
import { z } from "zod";
import type { Database } from "./database.ts";

/** So many requests are kept; a sandbox that runs for weeks does not fill the disk. */
const KEPT = 50_000;

const entrySchema = z.object({
  method: z.string(),
  path: z.string(),
  /** The number of the call, or `token`; null for a route that nobody knows. */
  call: z.union([z.int(), z.literal("token")]).nullable(),
  /** Null where no whole answer was sent. */
  status: z.int().nullable(),
  /** The kind of credential that came along. `invalid`: unknown or expired. */
  credential: z.enum(["user", "serviceAccount", "apiKey", "invalid", "none"]),
  /** The admin's username, the client_id, or the name of the key. */
  caller: z.string().nullable(),
  organizationId: z.string().nullable(),
  /** The user whom the call is about; of call 5 the one who was made. */
  userId: z.string().nullable(),
  /** Names of the fields in the body. */
  fields: z.array(z.string()),
  /** The kind of the fault that was played, if any. */
  fault: z.string().nullable(),
});
export type LogEntry = z.output<typeof entrySchema>;

/** One logged request. `number` only ever grows, also over clearing and restarts. */
export const loggedRequestSchema = entrySchema.extend({ number: z.int(), at: z.string() });
export type LoggedRequest = z.output<typeof loggedRequestSchema>;

const row = z.object({ number: z.number(), at: z.number(), entry: z.string() });

/** A request is noted when it arrives, so that one that is never answered stands in the log too. */
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
