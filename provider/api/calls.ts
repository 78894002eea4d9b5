/**
 * The contract as data: the calls of the organization area, by the numbers of the interface. The client sends what
 * stands here, the sandbox service serves what stands here; a rule about a call has no other place.
 */
import { z } from "zod";
import {
  createdServiceAccountSchema,
  createServiceAccountRequestSchema,
  createUserRequestSchema,
  issuedTokenSchema,
  issueTokenRequestSchema,
  renewedTokenSchema,
  serviceAccountListSchema,
  userSchema,
} from "./schemas.ts";

/** Which credential a call is made with (D5). */
export type CredentialKind = "user" | "serviceAccount";

/** One call. `Path` holds its variables in braces, as the interface writes them. */
export interface Call<Path extends string, Request, Answer> {
  /** The number in the interface, used in every message about the call. */
  readonly number: number;
  readonly name: string;
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly path: Path;
  readonly credential: CredentialKind;
  /** The schema of the JSON body; undefined where none is sent. */
  readonly request: z.ZodType<unknown, Request> | undefined;
  /** The schema of the answer's JSON body. */
  readonly answer: z.ZodType<Answer>;
  /** `required`: a 2xx without a body breaks the contract. `optional`: its absence reads as `{}`. `none`: never read. */
  readonly body: "required" | "optional" | "none";
  /** Whether sending it twice has the effect of sending it once (D32). */
  readonly repeatable: boolean;
  /** The status the sandbox answers a success with (D6); the client takes any 2xx. */
  readonly success: 200 | 201 | 204;
}

/** The variables of a path: `{org_id}` becomes `{ org_id: string }`. */
export type PathVariables<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? { readonly [key in Name]: string } & PathVariables<Rest>
  : unknown;

function call<Path extends string, Request, Answer>(
  definition: Call<Path, Request, Answer>,
): Call<Path, Request, Answer> {
  return definition;
}

const nothing = z.unknown();

export const calls = {
  /** 402 never, 403 the caller is no admin, 422 a name that breaks the rule. The secret is never shown again. */
  createServiceAccount: call({
    number: 1,
    name: "create service account",
    method: "POST",
    path: "/organizations/{org_id}/service-accounts",
    credential: "user",
    request: createServiceAccountRequestSchema,
    answer: createdServiceAccountSchema,
    body: "required",
    repeatable: false,
    success: 200,
  }),
  /** All accounts of the organization, without secrets. */
  listServiceAccounts: call({
    number: 2,
    name: "list service accounts",
    method: "GET",
    path: "/organizations/{org_id}/service-accounts",
    credential: "user",
    request: undefined,
    answer: serviceAccountListSchema,
    body: "required",
    repeatable: true,
    success: 200,
  }),
  /** 404 the account is gone (D15). */
  deleteServiceAccount: call({
    number: 3,
    name: "delete service account",
    method: "DELETE",
    path: "/organizations/{org_id}/service-accounts/{client_id}",
    credential: "user",
    request: undefined,
    answer: nothing,
    body: "none",
    repeatable: true,
    success: 204,
  }),
  /** 409 the email is a member already (D17), 402 the subscription has ended (D38), 422 not an email. */
  createUser: call({
    number: 5,
    name: "add user",
    method: "POST",
    path: "/organizations/{org_id}/users",
    credential: "serviceAccount",
    request: createUserRequestSchema,
    answer: userSchema,
    body: "required",
    repeatable: false,
    success: 200,
  }),
  /** 402 no seat is free, 404 no such user, 409 holds one already at services that say so (D16). */
  assignSeat: call({
    number: 6,
    name: "assign seat",
    method: "POST",
    path: "/organizations/{org_id}/users/{user_id}/seats",
    credential: "serviceAccount",
    request: undefined,
    answer: nothing,
    body: "none",
    repeatable: false,
    success: 201,
  }),
  /** 409 the user has a token already (D13), 404 no such user (D44), 402 the subscription has ended. */
  issueToken: call({
    number: 7,
    name: "issue token",
    method: "POST",
    path: "/organizations/{org_id}/users/{user_id}/token",
    credential: "serviceAccount",
    request: issueTokenRequestSchema,
    answer: issuedTokenSchema,
    body: "required",
    repeatable: false,
    success: 200,
  }),
  /** Extends the token to the subscription's end and keeps its value (D9). 404 the user has no token (D41). */
  renewToken: call({
    number: 8,
    name: "renew token",
    method: "PATCH",
    path: "/organizations/{org_id}/users/{user_id}/token",
    credential: "serviceAccount",
    request: undefined,
    answer: renewedTokenSchema,
    body: "optional",
    repeatable: true,
    success: 200,
  }),
  /** First step of a removal. 404 the token is gone. */
  revokeToken: call({
    number: 9,
    name: "revoke token",
    method: "DELETE",
    path: "/organizations/{org_id}/users/{user_id}/token",
    credential: "serviceAccount",
    request: undefined,
    answer: nothing,
    body: "none",
    repeatable: true,
    success: 204,
  }),
  /** Second step. 404 the seat is gone, 409 a token still lives (D14). */
  removeSeat: call({
    number: 10,
    name: "remove seat",
    method: "DELETE",
    path: "/organizations/{org_id}/users/{user_id}/seats",
    credential: "serviceAccount",
    request: undefined,
    answer: nothing,
    body: "none",
    repeatable: true,
    success: 204,
  }),
  /** Last step. 404 the user is gone, 409 a seat or a token is left (D14). */
  removeUser: call({
    number: 11,
    name: "remove user",
    method: "DELETE",
    path: "/organizations/{org_id}/users/{user_id}",
    credential: "serviceAccount",
    request: undefined,
    answer: nothing,
    body: "none",
    repeatable: true,
    success: 204,
  }),
} as const;
