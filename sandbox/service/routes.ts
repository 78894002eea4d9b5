/** From the contract table to routes: which call a method and a path mean, and who serves it. */
import { calls } from "../../provider/api/calls.ts";
import { createServiceAccount, deleteServiceAccount, listServiceAccounts } from "./accounts.ts";
import type { Handler } from "./handler.ts";
import { assignSeat, createUser, removeSeat, removeUser } from "./members.ts";
import { onboardUsers } from "./onboarding.ts";
import { issueToken, renewToken, revokeToken } from "./tokens.ts";

/** Where the organization area begins; calls 1 to 11 are relative to it. */
export const ORGANIZATION_BASE = "/api/v1";
/** The token endpoint (D3). */
export const TOKEN_PATH = "/api/iam/token";

type AnyCall = (typeof calls)[keyof typeof calls];

/** The handlers by the names of the table. A call of the table without one is an unknown route. */
const handlers: { readonly [Name in keyof typeof calls]?: Handler } = {
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

/** What a request asks for. */
export type Route =
  | {
      readonly kind: "call";
      readonly call: AnyCall;
      readonly handler: Handler;
      readonly path: Record<string, string>;
    }
  | { readonly kind: "token" }
  | { readonly kind: "wrong-method"; readonly allowed: readonly string[] }
  | { readonly kind: "unknown" };

interface Served {
  readonly call: AnyCall;
  readonly handler: Handler;
  readonly pattern: RegExp;
}

const served: readonly Served[] = Object.entries(calls).flatMap(([name, call]) => {
  const handler = Object.entries(handlers).find(([known]) => known === name)?.[1];
  return handler ? [{ call, handler, pattern: patternOf(call.path) }] : [];
});

/** `/users/{user_id}` as a pattern with one named group a variable. */
function patternOf(path: string): RegExp {
  return new RegExp(`^${ORGANIZATION_BASE}${path.replaceAll(/\{(\w+)\}/g, "(?<$1>[^/]+)")}$`);
}

export function findRoute(method: string, path: string): Route {
  const allowed: string[] = [];
  if (path === TOKEN_PATH) {
    return method === "POST" ? { kind: "token" } : { kind: "wrong-method", allowed: ["POST"] };
  }
  for (const { call, handler, pattern } of served) {
    const match = pattern.exec(path);
    if (!match) continue;
    if (call.method === method) return { kind: "call", call, handler, path: { ...match.groups } };
    allowed.push(call.method);
  }
  return allowed.length > 0 ? { kind: "wrong-method", allowed } : { kind: "unknown" };
}
