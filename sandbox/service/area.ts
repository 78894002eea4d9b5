/** The public side: calls 1 to 11 as the contract table has them, and the token endpoint. */
import type { IncomingMessage } from "node:http";
import type { HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { type Context, Hono, type Next } from "hono";
import type { Database } from "./database.ts";
import { play } from "./fault-player.ts";
import type { Faults } from "./faults.ts";
import type { Scope } from "./handler.ts";
import { findCaller, grantAccess } from "./identity.ts";
import { findOrganization } from "./organizations.ts";
import { invalidBody, malformed, oauthRefusal, Refusal, refusal } from "./refusals.ts";
import type { LogEntry, RequestLog } from "./request-log.ts";
import { findRoute, type Route } from "./routes.ts";
import type { Settings } from "./settings.ts";

/** No request of the contract comes near it. */
export const BODY_LIMIT_BYTES = 1_048_576;

/** What both sides of one running service share. */
export interface Core {
  readonly database: Database;
  readonly settings: Settings;
  readonly log: RequestLog;
  readonly faults: Faults;
  /** Aborted when the service closes. */
  readonly closing: AbortSignal;
  /** Gets what no refusal explains; the client sees a 500. */
  readonly onError: (error: unknown) => void;
}

interface Env {
  Bindings: HttpBindings;
  Variables: { route: Route; entry: LogEntry; text: string };
}
type PublicContext = Context<Env>;

export function organizationArea(core: Core): Hono<Env> {
  const app = new Hono<Env>();
  app.use(record(core));
  app.use(async (context, next) => {
    context.set("text", await readBody(context.env.incoming));
    await next();
  });
  app.use(withFaults(core));
  app.all("*", (context) => serve(core, context));
  app.onError((error, context) => answerError(core, error, context));
  return app;
}

function record(core: Core): (context: PublicContext, next: Next) => Promise<void> {
  return async (context, next) => {
    const { method } = context.req;
    const path = new URL(context.req.url).pathname;
    const route = findRoute(method, path);
    const variables = route.kind === "call" ? route.path : {};
    const entry: LogEntry = {
      method,
      path: path.slice(0, 500),
      call: route.kind === "call" ? route.call.number : route.kind === "token" ? "token" : null,
      status: null,
      credential: "none",
      caller: null,
      organizationId: variables.org_id ?? null,
      userId: variables.user_id ?? null,
      fields: [],
      fault: null,
    };
    context.set("route", route);
    context.set("entry", entry);
    const number = core.log.begin(core.settings.now(), entry);
    await next();
    if (context.res !== RESPONSE_ALREADY_SENT) entry.status = context.res.status;
    if (!core.closing.aborted) core.log.finish(number, entry);
  };
}

function withFaults(core: Core): (context: PublicContext, next: Next) => Promise<Response | undefined> {
  return async (context, next) => {
    const entry = context.get("entry");
    const fault = core.faults.take({ ...entry, body: context.get("text") });
    const effect = async (): Promise<Response> => {
      await next();
      return context.res;
    };
    if (!fault) {
      await next();
      return undefined;
    }
    entry.fault = fault.kind;
    const played = await play(fault, { socket: context.env.incoming.socket, effect, closing: core.closing });
    if (played instanceof Response) return played;
    // An assignment to `res` would merge the headers of the answer that was made already into the marker.
    context.res = undefined;
    context.res = RESPONSE_ALREADY_SENT;
    return undefined;
  };
}

function serve(core: Core, context: PublicContext): Response {
  const route = context.get("route");
  switch (route.kind) {
    case "call":
      return core.database.transaction(() => serveCall(core, context, route));
    case "token":
      return core.database.transaction(() => serveToken(core, context));
    case "wrong-method":
      return context.json({ detail: "Method Not Allowed" }, 405, { allow: route.allowed.join(", ") });
    case "unknown":
      // A router's own words, not an error body of the contract: nobody here knows what was meant (D15).
      return context.json({ detail: "Not Found" }, 404);
  }
}

function serveCall(core: Core, context: PublicContext, route: Extract<Route, { kind: "call" }>): Response {
  const { call, handler } = route;
  const scope = authorize(core, context, route);
  const json = readJson(context);
  context.get("entry").fields = fieldsOf(json);
  let body: unknown;
  if (call.request) {
    if (json === undefined) throw malformed([], "Field required", "missing");
    const parsed = call.request.safeParse(json);
    if (!parsed.success) throw invalidBody(parsed.error);
    body = parsed.data;
  }
  const answer = handler(scope, body);
  // The sandbox holds itself to the table too: an answer outside of the contract undoes the call.
  if (call.body !== "none") call.answer.parse(answer ?? {});
  if (call.number === 5) context.get("entry").userId = idOf(answer);
  return answer === undefined
    ? new Response(null, { status: call.success })
    : Response.json(answer, { status: call.success });
}

/** Who is asking, and for which organization. */
function authorize(
  { database, settings }: Core,
  context: PublicContext,
  { call, path }: Extract<Route, { kind: "call" }>,
): Scope {
  const entry = context.get("entry");
  const now = settings.now();
  const authorization = context.req.header("authorization");
  const caller = findCaller(database, now, authorization);
  entry.credential = caller?.kind ?? (authorization === undefined ? "none" : "invalid");
  entry.caller = caller?.id ?? null;
  if (!caller) {
    const message =
      authorization === undefined ? "an access token is missing" : "the access token is unknown or expired";
    throw refusal(401, "UNAUTHORIZED", message);
  }
  if (caller.kind !== call.credential) {
    const needed = call.credential === "user" ? "User_Token" : "ServiceAccount_Token";
    throw refusal(403, "WRONG_CREDENTIAL", `this call needs the ${needed}`);
  }
  const organization = findOrganization(database, path.org_id ?? "");
  if (!organization) throw refusal(404, "ORGANIZATION_NOT_FOUND", "no such organization");
  if (organization.id !== caller.organizationId) {
    throw refusal(403, "OTHER_ORGANIZATION", "the caller belongs to another organization");
  }
  if (!caller.isAdmin) throw refusal(403, "NOT_AN_ADMIN", "the caller is no admin of the organization");
  return { database, now, switches: settings.switches(), organization, caller, path };
}

function serveToken(core: Core, context: PublicContext): Response {
  const entry = context.get("entry");
  if (mediaType(context) !== "application/x-www-form-urlencoded") {
    throw oauthRefusal(400, "invalid_request", "the body is application/x-www-form-urlencoded");
  }
  const form = Object.fromEntries(new URLSearchParams(context.get("text")));
  entry.fields = Object.keys(form);
  const { accessTokenMarker } = core.settings.switches();
  const answer = grantAccess(core.database, core.settings.now(), form, accessTokenMarker);
  entry.credential = form.grant_type === "password" ? "user" : "serviceAccount";
  entry.caller = form.username?.toLowerCase() ?? form.client_id ?? null;
  return Response.json(answer, { headers: { "cache-control": "no-store", pragma: "no-cache" } });
}

function readJson(context: PublicContext): unknown {
  const text = context.get("text");
  if (text === "") return undefined;
  if (mediaType(context) !== "application/json") {
    throw refusal(415, "UNSUPPORTED_MEDIA_TYPE", "the body has to be application/json");
  }
  try {
    return JSON.parse(text);
  } catch {
    throw malformed([], "JSON decode error", "json_invalid");
  }
}

function mediaType(context: PublicContext): string {
  return (context.req.header("content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
}

function fieldsOf(json: unknown): string[] {
  return typeof json === "object" && json !== null && !Array.isArray(json) ? Object.keys(json) : [];
}

function idOf(answer: unknown): string | null {
  if (typeof answer !== "object" || answer === null || !("id" in answer)) return null;
  return typeof answer.id === "string" ? answer.id : null;
}

/** Reads the body from the connection itself: a body without a length has to be stopped on its way. */
async function readBody(incoming: IncomingMessage): Promise<string> {
  const tooLarge = (): Refusal =>
    refusal(413, "BODY_TOO_LARGE", `the body has more than ${BODY_LIMIT_BYTES} bytes`);
  if (Number(incoming.headers["content-length"] ?? 0) > BODY_LIMIT_BYTES) throw tooLarge();
  const chunks: Buffer[] = [];
  let size = 0;
  // Not destroyed on the way out: the refusal still has to travel on this connection.
  for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > BODY_LIMIT_BYTES) throw tooLarge();
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function answerError(core: Core, error: unknown, context: PublicContext): Response {
  if (error instanceof Refusal) {
    return Response.json(error.body, { status: error.status, headers: error.headers });
  }
  // A client that left in the middle of its body is no failure of the service.
  const clientLeft = !context.env.incoming.complete;
  if (!clientLeft && !core.closing.aborted) core.onError(error);
  const body = { code: "INTERNAL_SERVER_ERROR", message: "the sandbox failed; its output says why" };
  return Response.json({ error: body }, { status: 500 });
}
