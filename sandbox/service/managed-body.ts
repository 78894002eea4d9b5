/** How the management side reads what it is sent. */
import type { z } from "zod";
import { invalidBody, malformed } from "./refusals.ts";

/** @throws 422 where the body is not of this shape */
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
