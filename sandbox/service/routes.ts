/** Routes from the contract table: the operation of a method and a path, and its handler. */
import { areaOf } from "../../provider/api/call.ts";
import { calls } from "../../provider/api/calls.ts";
import { createServiceAccount, deleteServiceAccount, listServiceAccounts } from "./accounts.ts";
import type { Handler, ModelHandler, VectorHandler } from "./handler.ts";
import { assignSeat, createUser, removeSeat, removeUser } from "./members.ts";
import { listModelFiles } from "./model-files.ts";
import { onboardUsers } from "./onboarding.ts";
import { deleteServer, listServers } from "./servers.ts";
import { issueToken, renewToken, revokeToken } from "./tokens.ts";
import { createTable, listTables } from "./vector-tables.ts";

/** The base path of the organization area. */
export const ORGANIZATION_BASE = "/api/v1";
/** The base path of the model area (D2). */
export const MODEL_BASE = "/serving";
/** The token endpoint (D3). */
export const TOKEN_PATH = "/api/iam/token";
/** The OpenAPI document. */
const DOCUMENT_PATH = "/openapi.json";

type AnyCall = (typeof calls)[keyof typeof calls];

/** The handlers by the names of the table. An operation without one is an unknown route. */
const organizationHandlers: { readonly [Name in keyof typeof calls]?: Handler } = {
  createServiceAccount,
  listServiceAccounts,
  deleteServiceAccount,
  onboardUsers,
  createUser,
  assignSeat,
  issueToken,
  renewToken,
  revokeToken,
  removeSeat,
  removeUser,
};

const modelHandlers: { readonly [Name in keyof typeof calls]?: ModelHandler } = {
  listServers,
  listModelFiles,
  deleteServer,
};

const vectorHandlers: { readonly [Name in keyof typeof calls]?: VectorHandler } = { listTables, createTable };

type Served =
  | { readonly kind: "call"; readonly call: AnyCall; readonly handler: Handler }
  | { readonly kind: "model-call"; readonly call: AnyCall; readonly handler: ModelHandler }
  | { readonly kind: "vector-call"; readonly call: AnyCall; readonly handler: VectorHandler };

/** The target of a request. */
export type Route =
  | (Served & { readonly path: Record<string, string> })
  | { readonly kind: "token" | "document" }
  | { readonly kind: "wrong-method"; readonly allowed: readonly string[] }
  | { readonly kind: "unknown" };

const served = Object.entries(calls).flatMap(([name, call]) => {
  const found = servedBy(name, call);
  return found ? [{ ...found, pattern: patternOf(call) }] : [];
});

function servedBy(name: string, call: AnyCall): Served | undefined {
  const handler = entryOf(organizationHandlers, name);
  if (handler) return { kind: "call", call, handler };
  const modelHandler = entryOf(modelHandlers, name);
  if (modelHandler) return { kind: "model-call", call, handler: modelHandler };
  const vectorHandler = entryOf(vectorHandlers, name);
  return vectorHandler && { kind: "vector-call", call, handler: vectorHandler };
}

function entryOf<Value>(table: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return table[name];
}

/** `/users/{user_id}` below its area's base, as a pattern with one named group per variable. */
function patternOf(call: AnyCall): RegExp {
  const base = areaOf(call) === "model" ? MODEL_BASE : ORGANIZATION_BASE;
  return new RegExp(`^${base}${call.path.replaceAll(/\{(\w+)\}/g, "(?<$1>[^/]+)")}$`);
}

export function findRoute(method: string, path: string): Route {
  const allowed: string[] = [];
  if (path === TOKEN_PATH) {
    return method === "POST" ? { kind: "token" } : { kind: "wrong-method", allowed: ["POST"] };
  }
  if (path === DOCUMENT_PATH && method === "GET") return { kind: "document" };
  for (const { pattern, ...found } of served) {
    const match = pattern.exec(path);
    if (!match) continue;
    if (found.call.method === method) return { ...found, path: decoded(match.groups ?? {}) };
    allowed.push(found.call.method);
  }
  return allowed.length > 0 ? { kind: "wrong-method", allowed } : { kind: "unknown" };
}

/** The decoded variables; one with an invalid escape stays undecoded, and matches nothing. */
function decoded(variables: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(variables).map(([name, value]) => {
      try {
        return [name, decodeURIComponent(value)];
      } catch {
        return [name, value];
      }
    }),
  );
}
