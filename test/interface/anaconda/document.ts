/**
 * The platform `anaconda` as an OpenAPI document, typed by hand from the descriptions of the live platform. It requires what
 * they require. It is stricter in what they leave open: requests and responses have no other fields, and a call has the
 * statuses that are listed for it, besides those of any such service. It imports nothing of the project.
 */
import { modelArea, modelError } from "./model-document.ts";
import {
  email,
  fields,
  filled,
  flag,
  free,
  instant,
  items,
  list,
  type Operation,
  type Operations,
  oneOf,
  type Schema,
  text,
  textOrNull,
  uuid,
  whole,
} from "./schemas.ts";

const account = { name: text, client_id: text, org_id: text };
const names = { first_name: textOrNull, last_name: textOrNull };
const listedUser = fields(
  { id: uuid, email, role: oneOf("member", "admin", "billing_manager"), subscriptions: list(text) },
  { ...names, groups: { type: ["array", "null"] } },
);
const listedToken = fields(
  { id: text, expires_at: text, metadata: free },
  { revoked: { type: ["boolean", "null"] } },
);
const tolerance = { expiration_tolerance_months: whole };

const invalid = fields({ detail: list(fields({ loc: list(text), msg: text, type: text })) });
const organizationError = fields({ error: fields({ message: text, code: text }, { data: {} }) });
/** Of any service, listed or not. */
const common = [401, 403, 405, 413, 415, 429, 500, 503];

const json = (schema: Schema | undefined) =>
  schema === undefined ? {} : { content: { "application/json": { schema } } };
const parameter = (place: "path" | "query", name: string, schema: Schema) => ({
  ...{ name, in: place, schema, required: place !== "query" },
});

/** An operation of the organization area; of the model area with the credential `apiKey`. */
function operation(path: string, { credential = "serviceAccount", query = {}, body, ...rest }: Operation) {
  const { success, errors = [] } = rest;
  const isModelArea = credential === "apiKey";
  const variables = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  const refusals = [...new Set([...common, ...errors])].map((status) => [
    status,
    { description: "refused", ...json(isModelArea ? modelError : organizationError) },
  ]);
  return {
    security: [{ [credential]: [] }],
    parameters: [
      ...variables.map((name) => parameter("path", name, /^(user|client)_id$/.test(name) ? uuid : filled)),
      ...Object.entries(query).map(([name, schema]) => parameter("query", name, schema)),
    ],
    ...(body && { requestBody: { required: true, ...json(body) } }),
    responses: {
      ...Object.fromEntries(refusals),
      ...(isModelArea ? {} : { 422: { description: "invalid", ...json(invalid) } }),
      ...Object.fromEntries(
        Object.entries(success).map(([status, schema]) => [status, { description: "done", ...json(schema) }]),
      ),
    },
  };
}

const organizationArea: Operations = {
  "/service-accounts": {
    post: {
      credential: "admin",
      body: fields({ name: { type: "string", pattern: "^[a-z0-9_-]{1,64}$" } }),
      success: { 200: fields({ ...account, client_secret: filled }) },
    },
    get: { credential: "admin", success: { 200: items(fields(account)) } },
  },
  "/service-accounts/{client_id}": {
    delete: { credential: "admin", success: { 204: undefined }, errors: [404] },
  },
  "/users_auto_registration": {
    post: {
      body: fields({ user_emails: list(email) }),
      success: {
        200: fields(
          {},
          {
            ...{ users_in_onboarding_process: list(text), users_unavailable_for_onboarding: list(text) },
            ...{ total_organization_seats: text, available_organization_seats: text },
          },
        ),
      },
    },
  },
  "/users": {
    post: {
      body: fields({}, { email: { ...email, type: ["string", "null"] }, ...names }),
      success: { 200: fields({ id: text }, { email: textOrNull, ...names }) },
    },
    get: { query: { include_groups: flag }, success: { 200: items(listedUser) } },
  },
  "/users/{user_id}": { delete: { success: { 204: undefined }, errors: [404, 409] } },
  "/users/{user_id}/seats": {
    post: {
      query: { send_seat_assigned_email: flag },
      success: { 201: undefined },
      errors: [402, 404, 409],
    },
    delete: { success: { 204: undefined }, errors: [404] },
  },
  "/users/{user_id}/token": {
    post: {
      body: fields({ expires_at: instant }, { ...tolerance, send_token_email: flag }),
      success: { 200: fields({ token: filled }, { expires_at: textOrNull }) },
    },
    patch: {
      body: fields(
        {},
        { ...tolerance, is_renewal: flag, expires_at: { ...instant, type: ["string", "null"] } },
      ),
      success: { 200: undefined },
    },
  },
  "/users/{user_id}/tokens": { get: { success: { 200: items(listedToken) } } },
  "/users/{user_id}/tokens/{token_id}": { delete: { success: { 204: undefined }, errors: [404, 409] } },
};

const oauthError = { description: "refused", ...json({ type: "object", required: ["error"] }) };
const tokenForm = fields(
  { grant_type: oneOf("password", "client_credentials") },
  { username: text, password: text, client_id: text, client_secret: text },
);
const token = {
  requestBody: { required: true, content: { "application/x-www-form-urlencoded": { schema: tokenForm } } },
  responses: {
    200: {
      description: "done",
      ...json(fields({ access_token: filled, expires_in: whole }, { token_type: text })),
    },
    ...Object.fromEntries([400, 401, 429].map((status) => [status, oauthError])),
  },
};

function pathsOf(base: string, area: Operations, own: Partial<Operation>) {
  return Object.entries(area).map(([path, operations]) => [
    base + path,
    Object.fromEntries(
      Object.entries(operations).map(([method, one]) => [method, operation(base + path, { ...own, ...one })]),
    ),
  ]);
}

const bearer = { type: "http", scheme: "bearer" };

/** @param modelBase where the model area begins */
export function handTypedDocument(modelBase: string) {
  return {
    openapi: "3.1.0",
    info: { title: "the live platform, as described", version: "1.0.0" },
    servers: [{ url: "/" }],
    paths: Object.fromEntries([
      ["/api/iam/token", { post: token }],
      ...pathsOf("/api/v1/organizations/{org_id}", organizationArea, {}),
      ...pathsOf(modelBase, modelArea, { credential: "apiKey" }),
    ]),
    components: { securitySchemes: { admin: bearer, serviceAccount: bearer, apiKey: bearer } },
  };
}
