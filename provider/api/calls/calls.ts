/**
 * The contract as data: all calls of the interface. The client sends them and the sandbox service serves them; the rules
 * of a call are defined here only. anaconda-calls.ts has the differences of the live platform.
 */
import { z } from "zod";
import {
  createdTableSchema,
  createTableRequestSchema,
  modelFileListSchema,
  serverFilterSchema,
  serverListSchema,
  tableListSchema,
} from "../schemas/model-schemas.ts";
import {
  createdServiceAccountSchema,
  createServiceAccountRequestSchema,
  createUserRequestSchema,
  issuedTokenSchema,
  issueTokenRequestSchema,
  onboardingRequestSchema,
  onboardingResultSchema,
  renewedTokenSchema,
  serviceAccountListSchema,
  userSchema,
} from "../schemas/schemas.ts";
import type { Call } from "./call.ts";

/** What a definition can omit. */
type Defaulted = "request" | "body" | "repeatable" | "success" | "refusals";

/**
 * A call from what its definition says. Default: no request body, a required response body with the status 200, no refusals of
 * its own; only a POST must not be repeated.
 */
export function call<Path extends string, Request, Answer>(
  definition: Omit<Call<Path, Request, Answer>, Defaulted> &
    Partial<Pick<Call<Path, Request, Answer>, Defaulted>>,
): Call<Path, Request, Answer> {
  const repeatable = definition.method !== "POST";
  return { request: undefined, body: "required", repeatable, success: 200, refusals: {}, ...definition };
}

/** The response of a call whose body is never read. */
export const nothing = z.unknown();

export const calls = {
  /** The only response that contains the secret. */
  createServiceAccount: call({
    number: 1,
    name: "create service account",
    method: "POST",
    path: "/organizations/{org_id}/service-accounts",
    credential: "user",
    request: createServiceAccountRequestSchema,
    answer: createdServiceAccountSchema,
  }),
  /** All accounts of the organization, without secrets. */
  listServiceAccounts: call({
    number: 2,
    name: "list service accounts",
    method: "GET",
    path: "/organizations/{org_id}/service-accounts",
    credential: "user",
    answer: serviceAccountListSchema,
  }),
  deleteServiceAccount: call({
    number: 3,
    name: "delete service account",
    method: "DELETE",
    path: "/organizations/{org_id}/service-accounts/{client_id}",
    credential: "user",
    answer: nothing,
    body: "none",
    success: 204,
    refusals: { 404: "no such account, or gone already (D15)" },
  }),
  /** Adds people without an account as members with a seat and a token, while seats are available, and emails them (D35). */
  onboardUsers: call({
    number: 4,
    name: "onboard users",
    method: "POST",
    path: "/organizations/{org_id}/users_auto_registration",
    credential: "serviceAccount",
    request: onboardingRequestSchema,
    answer: onboardingResultSchema,
    refusals: { 402: "the subscription has ended (D38)" },
  }),
  createUser: call({
    number: 5,
    name: "add user",
    method: "POST",
    path: "/organizations/{org_id}/users",
    credential: "serviceAccount",
    request: createUserRequestSchema,
    answer: userSchema,
    refusals: { 402: "the subscription has ended (D38)", 409: "the email is already a member (D17)" },
  }),
  assignSeat: call({
    number: 6,
    name: "assign seat",
    method: "POST",
    path: "/organizations/{org_id}/users/{user_id}/seats",
    credential: "serviceAccount",
    answer: nothing,
    body: "none",
    success: 201,
    refusals: {
      402: "no seat is free, or the subscription has ended",
      404: "no such user (D44)",
      409: "the user already has a seat, on services that report it (D16)",
    },
  }),
  issueToken: call({
    number: 7,
    name: "issue token",
    method: "POST",
    path: "/organizations/{org_id}/users/{user_id}/token",
    credential: "serviceAccount",
    request: issueTokenRequestSchema,
    answer: issuedTokenSchema,
    refusals: {
      402: "the subscription has ended",
      404: "no such user (D44)",
      409: "the user already has a token (D13)",
    },
  }),
  /** Extends the token to the end of the subscription and keeps its value (D9). */
  renewToken: call({
    number: 8,
    name: "renew token",
    method: "PATCH",
    path: "/organizations/{org_id}/users/{user_id}/token",
    credential: "serviceAccount",
    answer: renewedTokenSchema,
    body: "optional",
    refusals: { 404: "the user has no token (D41)" },
  }),
  /** First step of a removal. */
  revokeToken: call({
    number: 9,
    name: "revoke token",
    method: "DELETE",
    path: "/organizations/{org_id}/users/{user_id}/token",
    credential: "serviceAccount",
    answer: nothing,
    body: "none",
    success: 204,
    refusals: { 404: "no such token or user, or gone already" },
  }),
  /** Second step of a removal. */
  removeSeat: call({
    number: 10,
    name: "remove seat",
    method: "DELETE",
    path: "/organizations/{org_id}/users/{user_id}/seats",
    credential: "serviceAccount",
    answer: nothing,
    body: "none",
    success: 204,
    refusals: { 404: "no such seat or user, or gone already", 409: "the user still has a token (D14)" },
  }),
  /** Last step of a removal. */
  removeUser: call({
    number: 11,
    name: "remove user",
    method: "DELETE",
    path: "/organizations/{org_id}/users/{user_id}",
    credential: "serviceAccount",
    answer: nothing,
    body: "none",
    success: 204,
    refusals: { 404: "no such user, or gone already", 409: "the user still has a seat or a token (D14)" },
  }),
  /** The model servers that match all filters. */
  listServers: call({
    number: 12,
    name: "list servers",
    method: "GET",
    path: "/api/servers",
    credential: "apiKey",
    query: serverFilterSchema,
    answer: serverListSchema,
    refusals: { 500: "the servers could not be read" },
  }),
  /** The files of a model, each with its download. */
  listModelFiles: call({
    number: 13,
    name: "list model files",
    method: "GET",
    path: "/models/{model_id}/files",
    credential: "apiKey",
    answer: modelFileListSchema,
    refusals: { 404: "no such model", 500: "the files could not be read" },
  }),
  /** Deletes a stopped server. */
  deleteServer: call({
    number: 14,
    name: "delete server",
    method: "DELETE",
    path: "/api/servers/{server_id}",
    credential: "apiKey",
    answer: nothing,
    body: "optional",
    refusals: {
      400: "not an id of a server (INVALID_SERVER_ID)",
      404: "no such server, or gone already",
      409: "the server runs (SERVER_RUNNING)",
      500: "the server could not be deleted",
    },
  }),
  /** The tables of the vector database. */
  listTables: call({
    number: 15,
    name: "list tables",
    method: "GET",
    path: "/api/vector-db/tables",
    credential: "apiKey",
    answer: tableListSchema,
    refusals: {
      404: "the database does not run (DATABASE_NOT_RUNNING)",
      500: "the tables could not be read",
    },
  }),
  /** Creates a table with its first rows. */
  createTable: call({
    number: 16,
    name: "create table",
    method: "POST",
    path: "/api/vector-db/tables",
    credential: "apiKey",
    request: createTableRequestSchema,
    answer: createdTableSchema,
    refusals: {
      400: "INVALID_REQUEST: the database refuses the schema or the rows; DATABASE_NOT_RUNNING: it does not run",
      409: "a table of that name exists",
      500: "the table could not be made",
    },
  }),
} as const;
