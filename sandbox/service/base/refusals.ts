/** Error responses: one error class, three shapes of body (D3, D30, D43). */
import { z } from "zod";
import type { Switches } from "./settings.ts";

type RefusalStatus = 400 | 401 | 402 | 403 | 404 | 405 | 409 | 410 | 413 | 415 | 422;

/** An error response. Thrown inside a transaction, it rolls the transaction back. */
export class Refusal extends Error {
  readonly status: RefusalStatus;
  readonly body: unknown;
  readonly headers: Record<string, string>;

  constructor(status: RefusalStatus, body: unknown, headers: Record<string, string> = {}) {
    super(`refused with ${status}`);
    this.name = "Refusal";
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

/** The error body of the organization area (D30). */
export function refusal(status: RefusalStatus, code: string, message: string): Refusal {
  const headers: Record<string, string> = status === 401 ? { "www-authenticate": "Bearer" } : {};
  return new Refusal(status, { error: { code, message } }, headers);
}

/** The same without a code, which the interface does not have for every condition (D23). */
export function plainRefusal(status: RefusalStatus, message: string): Refusal {
  return new Refusal(status, { error: { message } });
}

/**
 * The refusal in a platform that lists the statuses of each call: one that is not listed becomes a 422. The `loc` of a 422
 * there has texts only.
 * @param listed the statuses of the call
 */
export function listedRefusal(error: Refusal, listed: readonly string[]): Refusal {
  const invalid = invalidSchema.safeParse(error.body);
  if (invalid.success) return new Refusal(422, invalid.data);
  if (listed.includes(String(error.status)) || GENERAL.includes(error.status)) return error;
  const parsed = codedSchema.safeParse(error.body);
  const { code = "", message = "refused" } = parsed.success ? parsed.data.error : {};
  const loc = PLACES[code] ?? ["body"];
  return new Refusal(422, { detail: [{ loc, msg: message, type: "value_error" }] });
}

const REPEATED = { 400: 400, 404: 404, 409: 409, 410: 410, 422: 422 } as const;
/** The codes of a 404 that is not about the object of the call. */
const OTHER_OBJECTS = ["ORGANIZATION_NOT_FOUND", "DATABASE_NOT_RUNNING"];

/** The refusal of the removal of what is gone, if the switch selects another status than that of the platform. */
export function repeatedRemoval(
  { status, body }: Refusal,
  { repeatRemoval }: Pick<Switches, "repeatRemoval">,
): Refusal | undefined {
  const code = codedSchema.safeParse(body).data?.error.code ?? "";
  if (status !== 404 || repeatRemoval === "404" || OTHER_OBJECTS.includes(code)) return undefined;
  return refusal(REPEATED[repeatRemoval], "ALREADY_REMOVED", "already removed or revoked");
}

/** The codes of the model area in such a platform. */
export const modelErrorCodes = [
  ...(["INVALID_REQUEST", "DATABASE_NOT_RUNNING", "INTERNAL_SERVER_ERROR"] as const),
  ...(["INVALID_SERVER_ID", "SERVER_NOT_RUNNING", "SERVER_RUNNING"] as const),
] as const;

/** The refusal of the model area in such a platform: always with one of its codes, and 400 for an invalid body. */
export function codedRefusal({ status, body, headers }: Refusal): Refusal {
  const parsed = modelBodySchema.safeParse(body);
  const error = parsed.success ? parsed.data : { code: "INVALID_REQUEST", message: "invalid request" };
  return new Refusal(status === 422 ? 400 : status, { error }, headers);
}

/** Of an error body, or of the issues of an invalid body, the code and the message. */
const modelBodySchema = z.union([
  z
    .object({
      error: z.object({ code: z.enum(modelErrorCodes).catch("INVALID_REQUEST"), message: z.string() }),
    })
    .transform(({ error }) => error),
  z
    .object({ detail: z.array(z.object({ loc: z.array(z.unknown()), msg: z.string() })) })
    .transform(({ detail }) => ({
      code: "INVALID_REQUEST",
      message: detail.map(({ loc, msg }) => `${loc.join(".")}: ${msg}`).join("; "),
    })),
]);

const invalidSchema = z.object({
  detail: z.array(z.object({ loc: z.array(z.coerce.string()), msg: z.string(), type: z.string() })),
});
const codedSchema = z.object({ error: z.object({ code: z.string(), message: z.string() }) });
/** Statuses that every call may have. */
const GENERAL: readonly RefusalStatus[] = [401, 403, 405, 413];
/** The part of a request that a refusal is about. */
const PLACES: Readonly<Record<string, readonly string[]>> = {
  ORGANIZATION_NOT_FOUND: ["path", "org_id"],
  USER_NOT_FOUND: ["path", "user_id"],
  TOKEN_NOT_FOUND: ["path", "user_id"],
  SUBSCRIPTION_EXPIRED: ["path", "org_id"],
  USER_EXISTS: ["body", "email"],
};

/** The 422 for a header that is missing or has another value. */
export function invalidHeader(name: string, given: string | undefined): Refusal {
  const msg = given === undefined ? "Field required" : "differs from the path";
  const type = given === undefined ? "missing" : "value_error";
  return new Refusal(422, { detail: [{ loc: ["header", name], msg, type }] });
}

/** The body of the token endpoint's errors, by the OAuth standard (RFC 6749, section 5.2). */
export function oauthRefusal(status: 400 | 401, error: string, description: string): Refusal {
  return new Refusal(status, { error, error_description: description });
}

/** The 422 of D43. It names the field and the rule, never the value. */
export function malformed(loc: (string | number)[], msg: string, type: string): Refusal {
  return new Refusal(422, { detail: [{ loc: ["body", ...loc], msg, type }] });
}

/** The 422 for a body that violates its schema: one entry per issue. */
export function invalidBody(error: z.ZodError): Refusal {
  return invalid("body", error);
}

/** The same for a query. */
export function invalidQuery(error: z.ZodError): Refusal {
  return invalid("query", error);
}

function invalid(where: "body" | "query", error: z.ZodError): Refusal {
  const detail = error.issues.flatMap((issue) => {
    const names = issue.code === "unrecognized_keys" ? issue.keys : [undefined];
    const missing = issue.code === "invalid_type" && issue.message.endsWith("received undefined");
    return names.map((name) => ({
      loc: [where, ...issue.path, ...(name === undefined ? [] : [name])].map((key) =>
        typeof key === "number" ? key : String(key),
      ),
      msg: name === undefined ? issue.message : "is not known here",
      type: missing ? "missing" : "value_error",
    }));
  });
  return new Refusal(422, { detail });
}
