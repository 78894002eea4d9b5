/**
 * The interface of the service, typed from its document by hand: sixteen calls and every rule, each with an id that tests
 * and mutants name. It imports nothing, so client and sandbox, which take their shapes from one table, cannot be wrong
 * alike without this list noticing. `not shown` is what the document leaves open; docs/internal/contract.md decides it.
 */

/** What a value is. `object` is one whose inner fields are not shown. */
export type Kind =
  | "string"
  | "GUID"
  | "email"
  | "instant"
  | "integer"
  | "number"
  | "count"
  | "boolean"
  | "object";
/** A value, `or null`; an object with these fields; or a list of the one that stands in it. */
export type Shape = Kind | `${Kind} or null` | Fields | readonly [Shape];
export interface Fields {
  readonly [name: string]: Shape;
}

export interface InterfaceCall {
  readonly number: number;
  readonly area: "organization" | "model";
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** Relative to the address of the area. */
  readonly path: string;
  /** What the caller shows. Of calls 2 and 3 the document does not say it (D5). */
  readonly credential: "User_Token" | "ServiceAccount_Token" | "API key";
  /** All optional. The names are not shown (D21). */
  readonly query?: Fields;
  readonly body?: { readonly required: Fields; readonly optional: Fields };
  readonly answer: {
    readonly status: number | "not shown";
    readonly body: Shape | "none" | "not shown";
    /** Paths into the body whose absence hides nothing that a caller decides by. */
    readonly mayMiss?: readonly string[];
  };
}

/** Section 2: the fields of each resource. */
export const serviceAccount = { name: "string", client_id: "GUID", org_id: "GUID" } as const;
export const createdServiceAccount = { ...serviceAccount, client_secret: "string" } as const;
export const user = {
  id: "GUID",
  email: "email or null",
  first_name: "string or null",
  last_name: "string or null",
} as const;
export const token = { token: "string", expires_at: "instant or null" } as const;
export const onboardingResult = {
  users_in_onboarding_process: ["email"],
  users_unavailable_for_onboarding: ["email"],
  total_organization_seats: "count",
  available_organization_seats: "count",
} as const;
export const server = {
  id: "string",
  tag: "string",
  serverProcessId: "integer",
  modelFile: {
    id: "string",
    name: "string",
    localPath: "string",
    isDownloaded: "boolean",
    quantization: "string",
  },
  serverConfig: {
    modelFileName: "string",
    apiParams: "object",
    loadParams: "object",
    inferParams: "object",
    logsDir: "string",
  },
  server: { host: "string", port: "integer" },
} as const;
export const modelFile = {
  id: "string",
  name: "string",
  downloadUrl: "string",
  sizeBytes: "integer",
  sha256checksum: "string",
  quantization: "string",
  format: "string",
  maxRamUsage: "integer",
  isDownloaded: "boolean",
  downloadStatus: {
    progress: {
      fileId: "string",
      modelId: "string",
      filename: "string",
      downloadedRatio: "number",
      transferredBytes: "number",
      totalBytes: "number",
      paused: "boolean",
      downloadTimeTaken: "number",
      averageMbps: "number",
    },
    localPath: "string",
  },
} as const;
export const deletedServer = { id: "string", status: "string", deletedAt: "instant" } as const;
export const tableSchema = {
  columns: [{ name: "string", type: "string", constraints: ["string"] }],
} as const;
export const table = { name: "string", schema: tableSchema, numRows: "integer" } as const;

/** Section 3: the statuses of a server, given as values of a filter. */
export const serverStatuses = [
  "running",
  "stopped",
  "starting",
  "stopping",
  "errored",
  "unavailable",
] as const;

const accounts = "/organizations/{org_id}/service-accounts";
const users = "/organizations/{org_id}/users";
const organization = { area: "organization", credential: "ServiceAccount_Token" } as const;
const model = { area: "model", credential: "API key" } as const;
const noBody = { status: "not shown", body: "not shown" } as const;

/** Section 4: the sixteen calls. */
export const calls: readonly InterfaceCall[] = [
  {
    ...organization,
    number: 1,
    method: "POST",
    path: accounts,
    credential: "User_Token",
    body: { required: { name: "string" }, optional: {} },
    answer: { status: "not shown", body: createdServiceAccount, mayMiss: ["name", "org_id"] },
  },
  {
    ...organization,
    number: 2,
    method: "GET",
    path: accounts,
    credential: "User_Token",
    answer: { status: "not shown", body: serviceAccount },
  },
  {
    ...organization,
    number: 3,
    method: "DELETE",
    path: `${accounts}/{client_id}`,
    credential: "User_Token",
    answer: { status: 204, body: "none" },
  },
  {
    ...organization,
    number: 4,
    method: "POST",
    path: `${users}_auto_registration`,
    body: { required: { user_emails: ["email"] }, optional: {} },
    answer: {
      status: "not shown",
      body: onboardingResult,
      mayMiss: ["total_organization_seats", "available_organization_seats"],
    },
  },
  {
    ...organization,
    number: 5,
    method: "POST",
    path: users,
    body: { required: {}, optional: { email: "email", first_name: "string", last_name: "string" } },
    answer: { status: "not shown", body: user, mayMiss: ["email", "first_name", "last_name"] },
  },
  {
    ...organization,
    number: 6,
    method: "POST",
    path: `${users}/{user_id}/seats`,
    answer: { status: 201, body: "none" },
  },
  {
    ...organization,
    number: 7,
    method: "POST",
    path: `${users}/{user_id}/token`,
    // Whether it is required is not shown; it is always sent (D11).
    body: { required: { expires_at: "instant" }, optional: {} },
    answer: { status: "not shown", body: token, mayMiss: ["expires_at"] },
  },
  { ...organization, number: 8, method: "PATCH", path: `${users}/{user_id}/token`, answer: noBody },
  { ...organization, number: 9, method: "DELETE", path: `${users}/{user_id}/token`, answer: noBody },
  { ...organization, number: 10, method: "DELETE", path: `${users}/{user_id}/seats`, answer: noBody },
  { ...organization, number: 11, method: "DELETE", path: `${users}/{user_id}`, answer: noBody },
  {
    ...model,
    number: 12,
    method: "GET",
    path: "/api/servers",
    query: { fileId: "string", tag: "string", port: "integer", host: "string", status: "string" },
    answer: {
      status: 200,
      body: { data: [server] },
      mayMiss: [
        "data.tag",
        "data.serverProcessId",
        "data.modelFile",
        "data.modelFile.localPath",
        "data.modelFile.quantization",
        "data.serverConfig",
        "data.serverConfig.apiParams",
        "data.serverConfig.loadParams",
        "data.serverConfig.inferParams",
        "data.serverConfig.logsDir",
        "data.server",
      ],
    },
  },
  {
    ...model,
    number: 13,
    method: "GET",
    path: "/models/{model_id}/files",
    answer: {
      status: 200,
      body: { data: [modelFile] },
      mayMiss: [
        "data.downloadUrl",
        "data.sha256checksum",
        "data.quantization",
        "data.format",
        "data.maxRamUsage",
        "data.downloadStatus",
        "data.downloadStatus.progress",
        "data.downloadStatus.localPath",
      ],
    },
  },
  {
    ...model,
    number: 14,
    method: "DELETE",
    path: "/api/servers/{server_id}",
    answer: { status: "not shown", body: { data: deletedServer }, mayMiss: ["data"] },
  },
  {
    ...model,
    number: 15,
    method: "GET",
    path: "/api/vector-db/tables",
    // The shape of an item is not shown (D25).
    answer: { status: 200, body: [table], mayMiss: ["schema", "schema.columns.constraints", "numRows"] },
  },
  {
    ...model,
    number: 16,
    method: "POST",
    path: "/api/vector-db/tables",
    body: { required: { name: "string" }, optional: { schema: tableSchema, data: ["object"] } },
    answer: {
      status: "not shown",
      body: { data: table },
      mayMiss: ["data.schema", "data.schema.columns.constraints", "data.numRows"],
    },
  },
];

export function listedCall(number: number): InterfaceCall {
  const call = calls.find((one) => one.number === number);
  if (!call) throw new Error(`the interface has no call ${number}`);
  return call;
}

/** Section 7: the codes of errors. */
export const errorCodes = [
  "INVALID_REQUEST",
  "DATABASE_NOT_RUNNING",
  "INTERNAL_SERVER_ERROR",
  "INVALID_SERVER_ID",
  "SERVER_NOT_RUNNING",
  "SERVER_RUNNING",
] as const;
