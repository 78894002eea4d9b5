/** The model area: checks the key, the query and the body, then calls the handler. */
import { findApiKey } from "./api-keys.ts";
import type { Core } from "./core.ts";
import { Accepted, type ModelScope } from "./handler.ts";
import { refusal } from "./refusals.ts";
import { type PublicContext, readBody, readQuery } from "./request.ts";
import type { Route } from "./routes.ts";

type ModelCall = Extract<Route, { kind: "model-call" }>;
type VectorCall = Extract<Route, { kind: "vector-call" }>;

export function serveModelCall(core: Core, context: PublicContext, route: ModelCall): Response {
  const { call, handler } = route;
  return core.database.transaction(() => {
    authorize(core, context);
    const body = readBody(context, call.request);
    const result = handler(scopeOf(core, context, route), body);
    const [answer, status] = result instanceof Accepted ? [result.answer, 202] : [result, call.success];
    if (call.body === "none") return new Response(null, { status });
    // A response that violates the contract rolls the transaction back.
    call.answer.parse(answer);
    return Response.json(answer, { status });
  });
}

export async function serveVectorCall(
  core: Core,
  context: PublicContext,
  route: VectorCall,
): Promise<Response> {
  const { call, handler } = route;
  authorize(core, context);
  const body = readBody(context, call.request);
  const { vectors, settings } = core;
  const state = { running: settings.vectorsRun(), switches: settings.switches() };
  const scope = { vectors, settings, ...state, path: route.path };
  const answer = await handler(scope, body);
  call.answer.parse(answer);
  return Response.json(answer, { status: call.success });
}

/** The caller. Every operation of the area needs a key. */
function authorize({ database }: Core, context: PublicContext): void {
  const entry = context.get("entry");
  const authorization = context.req.header("authorization");
  const name = findApiKey(database, authorization);
  entry.credential = name !== undefined ? "apiKey" : authorization === undefined ? "none" : "invalid";
  entry.caller = name ?? null;
  if (name !== undefined) return;
  const message = authorization === undefined ? "an API key is missing" : "the API key is unknown or no UUID";
  throw refusal(401, "UNAUTHORIZED", message);
}

function scopeOf(
  { database, settings }: Core,
  context: PublicContext,
  { call, path }: ModelCall,
): ModelScope {
  const query = "query" in call ? readQuery(context, call.query) : undefined;
  return { database, now: settings.now(), switches: settings.switches(), path, query };
}
