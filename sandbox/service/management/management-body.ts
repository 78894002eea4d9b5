/** The reading of bodies in the management API. */
import type { z } from "zod";
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
