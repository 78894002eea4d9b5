/**
 * The calls of the platform `anaconda`, typed by hand: the request byte for byte, and what the client makes of the response
 * that the document describes.
 */
import type { Make } from "../client-harness.ts";
import { modelCalls } from "./model-calls.ts";

export interface WireCall {
  readonly name: string;
  readonly make: Make;
  /** Method, path and query. */
  readonly request: string;
  readonly body?: string;
  /** Where the document has several. */
  readonly status?: number;
  /** In place of the values that the document's schema gives. */
  readonly response?: unknown;
  /** In place of the response with nothing but what the schema requires. */
  readonly leastResponse?: unknown;
  /** Fields of the response that the client needs. The others can be missing. */
  readonly needs?: readonly string[];
  /** What the client makes of the response; by default the content of the response itself. */
  readonly reads?: (content: unknown) => unknown;
  /** Of `needs`, those that cost a list no more than the item, or what the item says. */
  readonly costs?: readonly string[];
  /** The same of the least response. */
  readonly least?: (content: unknown) => unknown;
}

export const ORG = "/api/v1/organizations/the-org";
const ID = "5f0c7d2e-1b3a-4c5d-8e9f-0a1b2c3d4e5f";
const END = "2027-06-30T23:59:59Z";
const deleted = () => "deleted";

const account = ["name", "client_id", "org_id"];

const organizationCalls: readonly WireCall[] = [
  {
    name: "create service account",
    make: ({ org, operation }) => org.createServiceAccount("build-bot_1", operation),
    request: `POST ${ORG}/service-accounts`,
    body: '{"name":"build-bot_1"}',
    needs: ["client_id", "client_secret"],
  },
  {
    name: "list service accounts",
    make: ({ org, operation }) => org.listServiceAccounts(operation),
    request: `GET ${ORG}/service-accounts`,
    needs: ["items", ...account.map((name) => `items.${name}`)],
    costs: account.map((name) => `items.${name}`),
    reads: (accounts) => ({ accounts, complete: true }),
  },
  {
    name: "delete service account",
    make: ({ org, operation }) => org.deleteServiceAccount(ID, operation),
    request: `DELETE ${ORG}/service-accounts/${ID}`,
    reads: deleted,
  },
  {
    name: "onboard users",
    make: ({ org, operation }) => org.onboardUsers(["Ada@acme.example", "eve@acme.example"], operation),
    request: `POST ${ORG}/users_auto_registration`,
    body: '{"user_emails":["ada@acme.example","eve@acme.example"]}',
    response: {
      users_in_onboarding_process: ["ada@acme.example"],
      users_unavailable_for_onboarding: ["eve@acme.example"],
      total_organization_seats: "40",
      available_organization_seats: "0",
    },
    reads: () => ({
      users_in_onboarding_process: ["ada@acme.example"],
      users_unavailable_for_onboarding: ["eve@acme.example"],
      total_organization_seats: 40,
      available_organization_seats: 0,
    }),
    least: () => ({}),
  },
  {
    name: "add user",
    make: ({ org, operation }) =>
      org.createUser({ email: "Ada@acme.example", first_name: "Ada", last_name: "Byron" }, operation),
    request: `POST ${ORG}/users`,
    body: '{"email":"ada@acme.example","first_name":"Ada","last_name":"Byron"}',
    needs: ["id"],
  },
  {
    name: "add user, a managed one",
    make: ({ org, operation }) => org.createUser({ first_name: "nightly", last_name: null }, operation),
    request: `POST ${ORG}/users`,
    body: '{"first_name":"nightly","last_name":null}',
    needs: ["id"],
  },
  {
    name: "list users",
    make: ({ org, operation }) => org.listUsers(operation),
    request: `GET ${ORG}/users?include_groups=false`,
    needs: ["items", "items.id", "items.role", "items.subscriptions"],
    costs: ["items.id", "items.role", "items.subscriptions"],
    reads: (users) => ({ users, odd: [] }),
  },
  {
    name: "remove user",
    make: ({ org, operation }) => org.removeUser(ID, operation),
    request: `DELETE ${ORG}/users/${ID}`,
    reads: deleted,
  },
  {
    name: "assign seat",
    make: ({ org, operation }) => org.assignSeat(ID, operation),
    request: `POST ${ORG}/users/${ID}/seats?send_seat_assigned_email=false`,
  },
  {
    name: "assign seat, with an email",
    make: ({ org, operation }) => org.assignSeat(ID, operation, { sendEmail: true }),
    request: `POST ${ORG}/users/${ID}/seats?send_seat_assigned_email=true`,
  },
  {
    name: "remove seat",
    make: ({ org, operation }) => org.removeSeat(ID, operation),
    request: `DELETE ${ORG}/users/${ID}/seats`,
    reads: deleted,
  },
  {
    name: "issue token",
    make: ({ org, operation }) => org.issueToken(ID, END, operation),
    request: `POST ${ORG}/users/${ID}/token`,
    body: `{"expires_at":"${END}","send_token_email":false}`,
    response: { token: "the token", expires_at: END },
    needs: ["token"],
  },
  {
    name: "issue token, with an email and a tolerance",
    make: ({ org, operation }) => org.issueToken(ID, END, operation, { sendEmail: true, toleranceMonths: 2 }),
    request: `POST ${ORG}/users/${ID}/token`,
    body: `{"expires_at":"${END}","expiration_tolerance_months":2,"send_token_email":true}`,
    response: { token: "the token", expires_at: null },
    needs: ["token"],
  },
  {
    name: "renew token, to the end of the subscription",
    make: ({ org, operation }) => org.renewToken(ID, operation),
    request: `PATCH ${ORG}/users/${ID}/token`,
    body: '{"is_renewal":true}',
    reads: () => ({}),
  },
  {
    name: "renew token, to a date with a tolerance",
    make: ({ org, operation }) => org.renewToken(ID, operation, { expiresAt: END, toleranceMonths: 1 }),
    request: `PATCH ${ORG}/users/${ID}/token`,
    body: `{"is_renewal":false,"expires_at":"${END}","expiration_tolerance_months":1}`,
    reads: () => ({}),
  },
  {
    name: "list tokens",
    make: ({ org, operation }) => org.listTokens(ID, operation),
    request: `GET ${ORG}/users/${ID}/tokens`,
    response: { items: [{ id: ID, expires_at: END, metadata: { a: 1 }, revoked: null }] },
    leastResponse: { items: [{ id: ID, expires_at: END, metadata: {} }] },
    needs: ["items", "items.id"],
  },
  {
    name: "revoke token",
    make: ({ org, operation }) => org.revokeToken(ID, operation, "the-token"),
    request: `DELETE ${ORG}/users/${ID}/tokens/the-token`,
    reads: deleted,
  },
];

export const wireCalls = [...organizationCalls, ...modelCalls];
