/** Bodies of the management API, and the routes that change the data by them. */
import type { Hono } from "hono";
import type { z } from "zod";
import type { Database } from "../base/database.ts";
import { invalidBody, malformed } from "../base/refusals.ts";

/** @throws 422 if the body does not match the schema */
export async function read<Output>(request: Request, schema: z.ZodType<Output>): Promise<Output> {
  let json: unknown;
  try {
    json = await request.json();
  } catch {
    throw malformed([], "JSON decode error", "json_invalid");
  }
  const parsed = schema.safeParse(json);
  if (!parsed.success) throw invalidBody(parsed.error);
  return parsed.data;
}

/** Adds a route of one transaction, which answers nothing. */
type AddChange = <Body>(
  method: "POST" | "PATCH",
  path: string,
  schema: z.ZodType<Body>,
  /** @param id the variable of the path */
  work: (body: Body, id: string) => unknown,
) => void;

export function changesOf(app: Hono, database: Database): AddChange {
  return (method, path, schema, work) => {
    app.on(method, path, async (context) => {
      const body = await read(context.req.raw, schema);
      database.transaction(() => work(body, context.req.param("id") ?? ""));
      return context.body(null, 204);
    });
  };
}
