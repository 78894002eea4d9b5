/**
 * The calls of the dialect `anaconda` as they stand on the wire, typed by hand from the descriptions of the live
 * platform: the request byte for byte, the response, and what the client makes of it.
 */
import type { ApiErrorCode } from "../../../provider/api/calls/errors.ts";
import type { Make } from "../client-harness.ts";
import { modelWireCalls } from "./model-wire.ts";

/** What the client makes of a documented error: `gone` is no error. */
export type ErrorOutcome = ApiErrorCode | "gone";

export interface WireCall {
  readonly name: string;
  readonly make: Make;
  /** Method, path and query. */
  readonly request: string;
  readonly body?: string;
  readonly credential: "User_Token" | "ServiceAccount_Token" | "API key";
  readonly success: number;
  /** With every documented field. */
  readonly response?: unknown;
  /** Fields of the response that the client needs. The others of `response` can be missing. */
  readonly required?: readonly string[];
  readonly result: unknown;
  /** The response without all optional fields, and what the client makes of it. */
  readonly minimum?: { readonly response: unknown; readonly result: unknown };
  /** The documented errors, besides the 422 of the organization area. */
  readonly errors: Readonly<Partial<Record<number, ErrorOutcome>>>;
}

const ORG = "/api/v1/organizations/the-org";
const ID = "5f0c7d2e-1b3a-4c5d-8e9f-0a1b2c3d4e5f";
const END = "2027-06-30T23:59:59Z";

const account = { name: "build-bot_1", client_id: ID, org_id: "the-org" };
const member = { id: ID, email: "ada@acme.example", first_name: "Ada", last_name: "Byron" };
const listedMember = { ...member, role: "billing_manager", subscriptions: ["pro"], groups: null };
const leastMember = { id: ID, email: "ada@acme.example", role: "member", subscriptions: [] };
const token = { id: ID, expires_at: END, metadata: { a: 1 }, revoked: null };

const organizationCalls: readonly WireCall[] = [
  {
    name: "create service account",
    make: ({ org, operation }) => org.createServiceAccount("build-bot_1", operation),
    request: `POST ${ORG}/service-accounts`,
    body: '{"name":"build-bot_1"}',
    credential: "User_Token",
    success: 200,
    response: { ...account, client_secret: "the secret" },
    required: ["name", "client_id", "org_id", "client_secret"],
    result: { ...account, client_secret: "the secret" },
    errors: {},
  },
  {
    name: "list service accounts",
    make: ({ org, operation }) => org.listServiceAccounts(operation),
    request: `GET ${ORG}/service-accounts`,
    credential: "User_Token",
    success: 200,
    response: { items: [account] },
    required: ["items", "items.name", "items.client_id", "items.org_id"],
    result: { accounts: [account], complete: true },
    errors: {},
  },
  {
    name: "delete service account",
    make: ({ org, operation }) => org.deleteServiceAccount(ID, operation),
    request: `DELETE ${ORG}/service-accounts/${ID}`,
    credential: "User_Token",
    success: 204,
    result: "deleted",
    errors: { 404: "gone" },
  },
  {
    name: "onboard users",
    make: ({ org, operation }) => org.onboardUsers(["Ada@acme.example", "eve@acme.example"], operation),
    request: `POST ${ORG}/users_auto_registration`,
    body: '{"user_emails":["ada@acme.example","eve@acme.example"]}',
    credential: "ServiceAccount_Token",
    success: 200,
    response: {
      users_in_onboarding_process: ["ada@acme.example"],
      users_unavailable_for_onboarding: ["eve@acme.example"],
      total_organization_seats: "40",
      available_organization_seats: "0",
    },
    result: {
      users_in_onboarding_process: ["ada@acme.example"],
      users_unavailable_for_onboarding: ["eve@acme.example"],
      total_organization_seats: 40,
      available_organization_seats: 0,
    },
    minimum: {
      response: {},
      result: { users_in_onboarding_process: [], users_unavailable_for_onboarding: [] },
    },
    errors: {},
  },
  {
    name: "add user",
    make: ({ org, operation }) =>
      org.createUser({ email: "Ada@acme.example", first_name: "Ada", last_name: "Byron" }, operation),
    request: `POST ${ORG}/users`,
    body: '{"email":"ada@acme.example","first_name":"Ada","last_name":"Byron"}',
    credential: "ServiceAccount_Token",
    success: 200,
    response: member,
    required: ["id"],
    result: member,
    minimum: { response: { id: ID }, result: { id: ID } },
    errors: {},
  },
  {
    name: "add user, a managed one",
    make: ({ org, operation }) => org.createUser({ first_name: "nightly", last_name: null }, operation),
    request: `POST ${ORG}/users`,
    body: '{"first_name":"nightly","last_name":null}',
    credential: "ServiceAccount_Token",
    success: 200,
    response: { id: ID },
    required: ["id"],
    result: { id: ID },
    errors: {},
  },
  {
    name: "list users",
    make: ({ org, operation }) => org.listUsers(operation),
    request: `GET ${ORG}/users?include_groups=false`,
    credential: "ServiceAccount_Token",
    success: 200,
    response: { items: [listedMember] },
    required: ["items", "items.id", "items.email", "items.role", "items.subscriptions"],
    result: [listedMember],
    minimum: { response: { items: [leastMember] }, result: [leastMember] },
    errors: {},
  },
  {
    name: "remove user",
    make: ({ org, operation }) => org.removeUser(ID, operation),
    request: `DELETE ${ORG}/users/${ID}`,
    credential: "ServiceAccount_Token",
    success: 204,
    result: "deleted",
    errors: { 404: "gone", 409: "refused" },
  },
  {
    name: "assign seat",
    make: ({ org, operation }) => org.assignSeat(ID, operation),
    request: `POST ${ORG}/users/${ID}/seats?send_seat_assigned_email=false`,
    credential: "ServiceAccount_Token",
    success: 201,
    result: undefined,
    errors: { 402: "refused", 404: "refused", 409: "refused" },
  },
  {
    name: "assign seat, with an email",
    make: ({ org, operation }) => org.assignSeat(ID, operation, { sendEmail: true }),
    request: `POST ${ORG}/users/${ID}/seats?send_seat_assigned_email=true`,
    credential: "ServiceAccount_Token",
    success: 201,
    result: undefined,
    errors: {},
  },
  {
    name: "remove seat",
    make: ({ org, operation }) => org.removeSeat(ID, operation),
    request: `DELETE ${ORG}/users/${ID}/seats`,
    credential: "ServiceAccount_Token",
    success: 204,
    result: "deleted",
    errors: { 404: "gone" },
  },
  {
    name: "issue token",
    make: ({ org, operation }) => org.issueToken(ID, END, operation),
    request: `POST ${ORG}/users/${ID}/token`,
    body: `{"expires_at":"${END}","send_token_email":false}`,
    credential: "ServiceAccount_Token",
    success: 200,
    response: { token: "the token", expires_at: END },
    required: ["token"],
    result: { token: "the token", expires_at: END },
    minimum: { response: { token: "the token" }, result: { token: "the token" } },
    errors: {},
  },
  {
    name: "issue token, with an email and a tolerance",
    make: ({ org, operation }) => org.issueToken(ID, END, operation, { sendEmail: true, toleranceMonths: 2 }),
    request: `POST ${ORG}/users/${ID}/token`,
    body: `{"expires_at":"${END}","expiration_tolerance_months":2,"send_token_email":true}`,
    credential: "ServiceAccount_Token",
    success: 200,
    response: { token: "the token", expires_at: null },
    required: ["token"],
    result: { token: "the token", expires_at: null },
    errors: {},
  },
  {
    name: "renew token, to the end of the subscription",
    make: ({ org, operation }) => org.renewToken(ID, operation),
    request: `PATCH ${ORG}/users/${ID}/token`,
    body: '{"is_renewal":true}',
    credential: "ServiceAccount_Token",
    success: 200,
    result: {},
    errors: {},
  },
  {
    name: "renew token, to a date with a tolerance",
    make: ({ org, operation }) => org.renewToken(ID, operation, { expiresAt: END, toleranceMonths: 1 }),
    request: `PATCH ${ORG}/users/${ID}/token`,
    body: `{"is_renewal":false,"expires_at":"${END}","expiration_tolerance_months":1}`,
    credential: "ServiceAccount_Token",
    success: 200,
    result: {},
    errors: {},
  },
  {
    name: "list tokens",
    make: ({ org, operation }) => org.listTokens(ID, operation),
    request: `GET ${ORG}/users/${ID}/tokens`,
    credential: "ServiceAccount_Token",
    success: 200,
    response: { items: [token] },
    required: ["items", "items.id", "items.expires_at"],
    result: [token],
    minimum: {
      response: { items: [{ id: ID, expires_at: END, metadata: {} }] },
      result: [{ id: ID, expires_at: END, metadata: {} }],
    },
    errors: {},
  },
  {
    name: "revoke token",
    make: ({ org, operation }) => org.revokeToken(ID, operation, "the-token"),
    request: `DELETE ${ORG}/users/${ID}/tokens/the-token`,
    credential: "ServiceAccount_Token",
    success: 204,
    result: "deleted",
    errors: { 404: "gone", 409: "refused" },
  },
];

export const wireCalls = { organization: organizationCalls, model: modelWireCalls };
