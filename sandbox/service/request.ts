/** One request of the public API: its log entry, and the reading of its body and query. */
import type { IncomingMessage } from "node:http";
import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";
import type { z } from "zod";
import type { Platform } from "../../provider/api/calls/platform.ts";
import { invalidBody, invalidQuery, malformed, type Refusal, refusal } from "./base/refusals.ts";
import type { LogEntry } from "./base/request-log.ts";
import type { Route } from "./routes.ts";

/** Far above any request of the contract. */
export const BODY_LIMIT_BYTES = 1_048_576;

export interface Env {
  Bindings: HttpBindings;
  Variables: { route: Route; entry: LogEntry; text: string };
}
export type PublicContext = Context<Env>;

/** Reads the body from the connection, to stop a body without a length at the limit. */
export async function readBodyText(incoming: IncomingMessage): Promise<string> {
  const tooLarge = (): Refusal =>
    refusal(413, "BODY_TOO_LARGE", `the body has more than ${BODY_LIMIT_BYTES} bytes`);
  if (Number(incoming.headers["content-length"] ?? 0) > BODY_LIMIT_BYTES) throw tooLarge();
  const chunks: Buffer[] = [];
  let size = 0;
  // Not destroyed, because the error response uses this connection.
  for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > BODY_LIMIT_BYTES) throw tooLarge();
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/**
 * The body by the call's schema; undefined for a call without one. Logs the names of its fields. A platform that lists the
 * statuses of each call has none for another media type, or for a body that no call takes: it ignores both.
 */
export function readBody(
  context: PublicContext,
  request: z.ZodType | undefined,
  { listsStatuses }: Platform,
): unknown {
  if (listsStatuses && !request) return undefined;
  if (!listsStatuses) requireJson(context);
  const json = readJson(context);
  context.get("entry").fields = fieldsOf(json);
  if (!request) return undefined;
  if (json === undefined) throw malformed([], "Field required", "missing");
  const parsed = request.safeParse(json);
  if (!parsed.success) throw invalidBody(parsed.error);
  return parsed.data;
}

/**
 * The query by the call's schema. Refuses repeated and unknown parameters, except in a platform that lists the statuses of
 * each call: there the first of repeated ones counts, and unknown ones are ignored.
 */
export function readQuery(
  context: PublicContext,
  schema: z.ZodObject | undefined,
  { listsStatuses }: Platform,
): unknown {
  if (!schema) return undefined;
  const parsed = listsStatuses
    ? schema.strip().safeParse(context.req.query())
    : schema.safeParse(wholeQuery(context));
  if (!parsed.success) throw invalidQuery(parsed.error);
  return parsed.data;
}

function wholeQuery(context: PublicContext): Record<string, string | string[] | undefined> {
  const given = Object.entries(context.req.queries()).map(([name, values]) => [
    name,
    values.length === 1 ? values[0] : values,
  ]);
  return Object.fromEntries(given);
}

export function mediaType(context: PublicContext): string {
  return (context.req.header("content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
}

function requireJson(context: PublicContext): void {
  if (context.get("text") === "" || mediaType(context) === "application/json") return;
  throw refusal(415, "UNSUPPORTED_MEDIA_TYPE", "the body has to be application/json");
}

function readJson(context: PublicContext): unknown {
  const text = context.get("text");
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw malformed([], "JSON decode error", "json_invalid");
  }
}

function fieldsOf(json: unknown): string[] {
  return typeof json === "object" && json !== null && !Array.isArray(json) ? Object.keys(json) : [];
}
