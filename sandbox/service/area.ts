/** The public API: log and faults for every request, then the token endpoint and the operations of both areas. */
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { Hono, type Next } from "hono";
import type { Scope } from "./base/handler.ts";
import { findCaller, grantAccess } from "./base/identity.ts";
import { firstPage } from "./base/pages.ts";
import {
  codedRefusal,
  invalidHeader,
  listedRefusal,
  oauthRefusal,
  Refusal,
  refusal,
  repeatedRemoval,
} from "./base/refusals.ts";
import type { LogEntry } from "./base/request-log.ts";
import type { Switches } from "./base/settings.ts";
import type { Core } from "./core.ts";
import { injectFault } from "./inject-fault.ts";
import { checked, serveModelCall, serveVectorCall } from "./model-area.ts";
import { openApiDocument } from "./openapi.ts";
import { findOrganization } from "./organization/organizations.ts";
import { type Env, mediaType, type PublicContext, readBody, readBodyText, readQuery } from "./request.ts";
import { type Route, routerOf } from "./routes.ts";

export function publicArea(core: Core): Hono<Env> {
  const app = new Hono<Env>();
  app.use(record(core));
  app.use(async (context, next) => {
    context.set("text", await readBodyText(context.env.incoming));
    await next();
  });
  app.use(withFaults(core));
  app.all("*", (context) => serve(core, context));
  app.onError((error, context) => answerError(core, error, context));
  return app;
}

function record(core: Core): (context: PublicContext, next: Next) => Promise<void> {
  const findRoute = routerOf(core.platform);
  return async (context, next) => {
    const { method } = context.req;
    const path = new URL(context.req.url).pathname;
    const route = findRoute(method, path);
    const called = "call" in route ? route : undefined;
    const variables = called?.path ?? {};
    const entry: LogEntry = {
      method,
      path: path.slice(0, 500),
      call: called?.call.number ?? (route.kind === "token" ? "token" : null),
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
    const now = core.settings.now();
    const hasDate = core.settings.switches().dateHeader === "clock";
    const number = core.log.begin(now, entry);
    await next();
    if (context.res !== RESPONSE_ALREADY_SENT) {
      entry.status = context.res.status;
      if (!hasDate) context.env.outgoing.sendDate = false;
      else if (!context.res.headers.has("date")) context.res.headers.set("date", new Date(now).toUTCString());
    }
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
    const result = await injectFault(fault, {
      socket: context.env.incoming.socket,
      effect,
      closing: core.closing,
    });
    // An assignment to `res` would merge the headers of the first response into the other one.
    context.res = undefined;
    context.res = result instanceof Response ? result : RESPONSE_ALREADY_SENT;
    return undefined;
  };
}

function serve(core: Core, context: PublicContext): Response | Promise<Response> {
  const route = context.get("route");
  switch (route.kind) {
    case "call":
      return core.database.transaction(() => serveCall(core, context, route));
    case "model-call":
      return serveModelCall(core, context, route);
    case "vector-call":
      return serveVectorCall(core, context, route);
    case "token":
      return core.database.transaction(() => serveToken(core, context));
    case "document":
      return Response.json(openApiDocument(core.platform));
    case "wrong-method":
      return context.json({ detail: "Method Not Allowed" }, 405, { allow: route.allowed.join(", ") });
    case "unknown":
      // A router's message, not an error body of the contract: the route is unknown (D15).
      return context.json({ detail: "Not Found" }, 404);
  }
}

function serveCall(core: Core, context: PublicContext, route: Extract<Route, { kind: "call" }>): Response {
  const { call, handler } = route;
  const scope = authorize(core, context, route);
  const isHidden = scope.switches.accountRights === "none" && call.credential === "serviceAccount";
  // Not by the list of statuses: what has no rights is hidden.
  if (isHidden && call.name !== "list users") {
    const { body, status } = refusal(404, "USER_NOT_FOUND", "no such user in the organization");
    return Response.json(body, { status });
  }
  const answer = handler(
    { ...scope, query: readQuery(context, call.query, core.platform) },
    readBody(context, call.request, core.platform),
  );
  const shown = call.body === "none" ? answer : checked(core, call, answer ?? {});
  if (call.number === 5) context.get("entry").userId = idOf(answer);
  return answer === undefined
    ? new Response(null, { status: call.success })
    : Response.json(firstPage(shown, scope.switches.pages), { status: call.success });
}

/** The caller and its organization. */
function authorize(
  { database, settings, platform, newId }: Core,
  context: PublicContext,
  { call, path }: Extract<Route, { kind: "call" }>,
): Omit<Scope, "query"> {
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
  if (!caller.isAdmin) throw refusal(403, "NOT_AN_ADMIN", "the caller is not an admin of the organization");
  const switches = settings.switches();
  for (const [name, value] of switches.platformHeaders === "required" ? platform.headers : []) {
    const given = context.req.header(name);
    const ids = [organization.id, encodeURIComponent(organization.id)];
    if (!ids.some((id) => given === value.replace("{org_id}", () => id))) throw invalidHeader(name, given);
  }
  return { database, now, platform, switches, organization, path, newId };
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

function idOf(answer: unknown): string | null {
  if (typeof answer !== "object" || answer === null || !("id" in answer)) return null;
  return typeof answer.id === "string" ? answer.id : null;
}

/** The refusal in a platform that lists the statuses of each call. */
function listed(error: Refusal, route: Route, { optionalFields }: Switches): Refusal {
  if (route.kind === "call") return listedRefusal(error, Object.keys(route.call.refusals));
  if (route.kind !== "model-call" && route.kind !== "vector-call") return error;
  const coded = codedRefusal(error);
  return optionalFields === "sent" ? coded : new Refusal(coded.status, {}, coded.headers);
}

function answerError(core: Core, error: unknown, context: PublicContext): Response {
  if (error instanceof Refusal) {
    const route = context.get("route");
    const switches = core.settings.switches();
    const repeated = context.req.method === "DELETE" ? repeatedRemoval(error, switches) : undefined;
    const exact = core.platform.listsStatuses ? listed(error, route, switches) : error;
    const { status, body, headers } = repeated ?? exact;
    return Response.json(body, { status, headers });
  }
  // A client that disconnects during its body is not an error of the service.
  const clientLeft = !context.env.incoming.complete;
  if (!clientLeft && !core.closing.aborted) core.onError(error);
  const body = { code: "INTERNAL_SERVER_ERROR", message: "the sandbox failed; its output says why" };
  return Response.json({ error: body }, { status: 500 });
}
