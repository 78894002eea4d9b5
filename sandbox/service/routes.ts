/** Routes from the contract table: the operation of a method and a path, and its handler. */
import type { anacondaCalls } from "../../provider/api/calls/anaconda-calls.ts";
import { areaOf, type Call } from "../../provider/api/calls/call.ts";
import type { Platform } from "../../provider/api/calls/platform.ts";
import type { Handler, ModelHandler, VectorHandler } from "./base/handler.ts";
import { exactAnswers } from "./exact-answers.ts";
import * as modelCalls from "./models/model-calls.ts";
import { checkModelArea, checkModels, checkServers, checkVectorDatabase } from "./models/model-calls.ts";
import { listModelFiles } from "./models/model-files.ts";
import * as serverCalls from "./models/server-calls.ts";
import { deleteServer, listServers } from "./models/servers.ts";
import { createServiceAccount, deleteServiceAccount, listServiceAccounts } from "./organization/accounts.ts";
import {
  issueListedToken,
  listTokens,
  renewListedToken,
  revokeListedToken,
} from "./organization/listed-tokens.ts";
import { listUsers } from "./organization/listed-users.ts";
import { assignSeat, createUser, removeSeat, removeUser } from "./organization/members.ts";
import { onboardUsers } from "./organization/onboarding.ts";
import { issueToken, renewToken, revokeToken } from "./organization/tokens.ts";
import { createTable, deleteTable, listTables } from "./vector/vector-tables.ts";

/** The base path of the organization area. */
export const ORGANIZATION_BASE = "/api/v1";
/** The base path of the model area (D2). */
export const MODEL_BASE = "/serving";
/** The token endpoint (D3). */
export const TOKEN_PATH = "/api/iam/token";
/** The OpenAPI document. */
const DOCUMENT_PATH = "/openapi.json";

/** A call as the service sees it: bodies and answers are checked by its schemas. */
export type ServedCall = Call<string, unknown, unknown>;
type Handlers<H> = { readonly [Name in keyof typeof anacondaCalls]?: H };

/**
 * The handlers by the names of the table; a whole file of them by the names of its exports. An operation without one is an
 * unknown route.
 */
const organizationHandlers: Handlers<Handler> = {
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

/** Those of platforms that list tokens. */
const tokenListHandlers: Handlers<Handler> = {
  listUsers,
  issueToken: issueListedToken,
  renewToken: renewListedToken,
  listTokens,
  revokeToken: revokeListedToken,
};

const modelHandlers: Handlers<ModelHandler> = {
  ...modelCalls,
  ...serverCalls,
  listServers,
  deleteServer,
  listModelFiles,
  checkModelArea,
  checkModels,
  checkServers,
  checkVectorDatabase,
};

/** Those of platforms that create servers. */
const serverStateHandlers: Handlers<ModelHandler> = {
  listServers: serverCalls.listServersByState,
  listModelFiles: modelCalls.listModelFilesWithStatus,
};

const vectorHandlers: Handlers<VectorHandler> = {
  listTables,
  createTable,
  deleteTable,
};

type Served =
  | { readonly kind: "call"; readonly call: ServedCall; readonly handler: Handler }
  | { readonly kind: "model-call"; readonly call: ServedCall; readonly handler: ModelHandler }
  | { readonly kind: "vector-call"; readonly call: ServedCall; readonly handler: VectorHandler };

/** The target of a request. */
export type Route =
  | (Served & { readonly path: Record<string, string> })
  | { readonly kind: "token" | "document" }
  | { readonly kind: "wrong-method"; readonly allowed: readonly string[] }
  | { readonly kind: "unknown" };

/** The calls of a platform by name. Those of a platform that lists users have the responses of the sandbox. */
export function servedCalls(platform: Platform): [name: string, call: ServedCall][] {
  return Object.entries(platform.calls).flatMap(([name, call]) => {
    const exact = platform.canListUsers ? entryOf(exactAnswers, name) : undefined;
    return call ? [[name, exact ? { ...call, answer: exact } : call]] : [];
  });
}

/** Finds the operation of a method and a path in a platform. */
export type Router = (method: string, path: string) => Route;

export function routerOf(platform: Platform): Router {
  const served = servedCalls(platform).flatMap(([name, call]) => {
    const found = servedBy(platform, name, call);
    return found ? [{ ...found, pattern: patternOf(found.call) }] : [];
  });
  return (method, path) => {
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
  };
}

function servedBy(platform: Platform, name: string, call: ServedCall): Served | undefined {
  const handler =
    (platform.canListTokens ? entryOf(tokenListHandlers, name) : undefined) ??
    entryOf(organizationHandlers, name);
  if (handler) return { kind: "call", call, handler };
  const modelHandler =
    (platform.canCreateServers ? entryOf(serverStateHandlers, name) : undefined) ??
    entryOf(modelHandlers, name);
  if (modelHandler) return { kind: "model-call", call, handler: modelHandler };
  const vectorHandler = entryOf(vectorHandlers, name);
  return vectorHandler && { kind: "vector-call", call, handler: vectorHandler };
}

function entryOf<Value>(table: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return table[name];
}

/** `/users/{user_id}` below its area's base, as a pattern with one named group per variable. */
function patternOf(call: ServedCall): RegExp {
  const base = areaOf(call) === "model" ? MODEL_BASE : ORGANIZATION_BASE;
  return new RegExp(`^${base}${call.path.replaceAll(/\{(\w+)\}/g, "(?<$1>[^/]+)")}$`);
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
