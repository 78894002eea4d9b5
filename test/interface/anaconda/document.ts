/**
 * The dialect `anaconda` as an OpenAPI document, typed by hand from the descriptions of the live platform and stricter
 * than they are: requests and responses have no other fields, both headers are required, and a call has the statuses
 * that are listed for it, besides those of any such service. It imports nothing.
 */

type Schema = Readonly<Record<string, unknown>>;
type Fields = Readonly<Record<string, Schema>>;

const text: Schema = { type: "string" };
const filled: Schema = { type: "string", minLength: 1 };
const textOrNull: Schema = { type: ["string", "null"] };
const flag: Schema = { type: "boolean" };
const whole: Schema = { type: "integer" };
const free: Schema = { type: "object" };
const email: Schema = { type: "string", format: "email" };
const uuid: Schema = { type: "string", format: "uuid" };
const instant: Schema = { type: "string", format: "date-time" };
const list = (items: Schema): Schema => ({ type: "array", items });
const oneOf = (...values: readonly string[]): Schema => ({ enum: values });
/** An object with these fields and no others. */
const fields = (required: Fields, optional: Fields = {}): Schema => ({
  type: "object",
  required: Object.keys(required),
  additionalProperties: false,
  properties: { ...required, ...optional },
});
const data = (schema: Schema): Schema => fields({ data: schema });
const items = (schema: Schema): Schema => fields({ items: list(schema) });

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

const serverStatus = oneOf("STARTING", "RUNNING", "STOPPING", "STOPPED", "ERROR");
const serverConfig = fields(
  { modelFileName: text },
  { apiParams: free, loadParams: free, inferParams: free, logsDir: text },
);
const server = fields({
  ...{ id: text, status: serverStatus, tag: text, modelFile: free, serverConfig },
  ...{ server: fields({ host: text, port: whole }), serverProcessId: { type: ["integer", "null"] } },
});
const movedServer = fields({ id: text, status: serverStatus }, { startedAt: instant, stoppedAt: instant });
const database = fields({
  ...{ running: flag, host: text, port: whole, database: text, user: text, password: text },
});
const tableSchema = fields({
  columns: list(fields({ name: text, type: text }, { constraints: list(text) })),
});

const invalid = fields({ detail: list(fields({ loc: list(text), msg: text, type: text })) });
const organizationError = fields({ error: fields({ message: text, code: text }, { data: {} }) });
const modelError = fields({
  error: fields(
    { message: text },
    {
      code: oneOf(
        ...["INVALID_REQUEST", "DATABASE_NOT_RUNNING", "INTERNAL_SERVER_ERROR"],
        ...["INVALID_SERVER_ID", "SERVER_NOT_RUNNING", "SERVER_RUNNING"],
      ),
    },
  ),
});
/** Of any service, listed or not. */
const common = [401, 403, 405, 413, 415, 429, 500, 503];

interface Operation {
  readonly credential?: "admin" | "serviceAccount" | "apiKey";
  readonly query?: Fields;
  readonly body?: Schema;
  /** By status; undefined: no body, or one that is not described. */
  readonly success: Readonly<Record<number, Schema | undefined>>;
  readonly errors?: readonly number[];
}

const json = (schema: Schema | undefined) =>
  schema === undefined ? {} : { content: { "application/json": { schema } } };
const parameter = (place: "path" | "query" | "header", name: string, schema: Schema) => ({
  ...{ name, in: place, schema, required: place !== "query" },
});

/** An operation of the organization area; of the model area with the credential `apiKey`. */
function operation(path: string, { credential = "serviceAccount", query = {}, body, ...rest }: Operation) {
  const { success, errors = [] } = rest;
  const isModelArea = credential === "apiKey";
  const headers = isModelArea ? {} : { "X-Org-Name": filled, "X-API-Version": { const: "v1" } };
  const variables = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  const refusals = [...new Set([...common, ...errors])].map((status) => [
    status,
    { description: "refused", ...json(isModelArea ? modelError : organizationError) },
  ]);
  return {
    security: [{ [credential]: [] }],
    parameters: [
      ...variables.map((name) => parameter("path", name, /^(user|client)_id$/.test(name) ? uuid : filled)),
      ...Object.entries(headers).map(([name, schema]) => parameter("header", name, schema)),
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

type Operations = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

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

const downloaded = { downloaded: flag };
const model = { type: "object", required: ["id"] };
const modelFile = { type: "object", required: ["id", "name", "sizeBytes", "isDownloaded"] };

const modelArea: Operations = {
  "/api/models": { get: { query: downloaded, success: { 200: data(list(model)) }, errors: [404] } },
  "/api/models/{model_id}": { get: { success: { 200: data(model) }, errors: [404] } },
  "/models/{model_id}/files": {
    get: { query: downloaded, success: { 200: data(list(modelFile)) }, errors: [404] },
  },
  "/api/models/{model_id}/files/{file_id}": {
    patch: {
      body: fields({ action: oneOf("start", "pause", "resume", "cancel") }),
      success: { 200: undefined },
      errors: [400, 404],
    },
  },
  "/api/servers": {
    get: {
      query: { fileId: text, tag: text, port: whole, host: text, status: serverStatus },
      success: { 200: data(list(server)) },
    },
    post: {
      body: fields({ serverConfig }, { startServerOnCreate: flag }),
      success: { 200: data(server) },
      errors: [400, 404],
    },
  },
  "/api/servers/{server_id}": {
    get: { success: { 200: data(server) }, errors: [400, 404] },
    patch: {
      body: fields({ action: oneOf("start", "stop") }),
      success: { 200: data(movedServer), 202: data(movedServer) },
      errors: [400, 404],
    },
    delete: {
      success: { 200: data(fields({ id: text, status: { const: "deleted" }, deletedAt: instant })) },
      errors: [400, 404, 409],
    },
  },
  "/api/vector-db": {
    post: { success: { 201: data(database) } },
    patch: { body: fields({ running: flag }), success: { 200: data(database) }, errors: [400] },
  },
  "/api/vector-db/tables": {
    get: {
      success: { 200: list({ anyOf: [text, { type: "object", required: ["name"] }] }) },
      errors: [404],
    },
    post: {
      body: fields({ name: text }, { schema: tableSchema, data: list(free) }),
      success: { 200: data(fields({ name: text, numRows: whole }, { schema: tableSchema })) },
      errors: [400, 409],
    },
  },
  "/api/vector-db/tables/{name}": {
    delete: { success: { 200: data(fields({ message: text })) }, errors: [404] },
  },
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
      ...json(fields({ access_token: filled, expires_in: { const: 900 } }, { token_type: text })),
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
