/** The model area: checks the key, the query and the body, then calls the handler. */
import { findApiKey } from "./base/api-keys.ts";
import { Accepted, type ModelScope } from "./base/handler.ts";
import { firstPage } from "./base/pages.ts";
import { refusal } from "./base/refusals.ts";
import type { Core } from "./core.ts";
import { withoutOptional } from "./exact-answers.ts";
import { withOddItems } from "./management/odd-items.ts";
import { type PublicContext, readBody, readQuery } from "./request.ts";
import type { Route } from "./routes.ts";

type ModelCall = Extract<Route, { kind: "model-call" }>;
type VectorCall = Extract<Route, { kind: "vector-call" }>;

export function serveModelCall(core: Core, context: PublicContext, route: ModelCall): Response {
  const { call, handler } = route;
  return core.database.transaction(() => {
    authorize(core, context);
    const body = readBody(context, call.request, core.platform);
    const result = handler(scopeOf(core, context, route), body);
    const [answer, status] = result instanceof Accepted ? [result.answer, 202] : [result, call.success];
    if (call.body === "none") return new Response(null, { status });
    return Response.json(firstPage(checked(core, call, answer), core.settings.switches().pages), { status });
  });
}

/** A response that violates the contract rolls the transaction back. */
export function checked(
  { settings, platform }: Core,
  { answer, number }: ModelCall["call"],
  value: unknown,
): unknown {
  answer.parse(value);
  const isMinimal = platform.listsStatuses && settings.switches().optionalFields === "omitted";
  const shown = isMinimal ? withoutOptional(answer, value) : value;
  return withOddItems(settings.oddItems(), number, shown);
}

export async function serveVectorCall(
  core: Core,
  context: PublicContext,
  route: VectorCall,
): Promise<Response> {
  const { call, handler } = route;
  authorize(core, context);
  const body = readBody(context, call.request, core.platform);
  const { vectors, settings } = core;
  const scope = { vectors, settings, switches: settings.switches(), path: route.path };
  const answer = await handler(scope, body);
  return Response.json(firstPage(checked(core, call, answer), scope.switches.pages), {
    status: call.success,
  });
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
  { database, settings, platform }: Core,
  context: PublicContext,
  { call, path }: ModelCall,
): ModelScope {
  const query = platform.listsStatuses ? context.req.query() : readQuery(context, call.query, platform);
  return { database, now: settings.now(), switches: settings.switches(), path, query };
}
