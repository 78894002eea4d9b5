/** The client of both areas. It knows HTTP and the contract, and no resources. */

import { type Clock, systemClock } from "../util/clock.ts";
import { anacondaCalls } from "./calls/anaconda-calls.ts";
import type { Call } from "./calls/call.ts";
import type { CallTable, Dialect } from "./calls/dialect.ts";
import { ApiError } from "./calls/errors.ts";
import type { FilePath, ModelApi } from "./calls/models.ts";
import type { Deleted, OrganizationApi, TimeLimit } from "./calls/organization.ts";
import type { Credentials } from "./client/credentials.ts";
import { type EndpointSettings, openEndpoint, openTokenEndpoint } from "./client/endpoint.ts";
import type { Observer } from "./client/observer.ts";
import type { Origin } from "./client/origin.ts";
import { Redactor } from "./client/redact.ts";
import { type Message, Sender } from "./client/sender.ts";
import { accessTokens, apiKeys } from "./client/token-sources.ts";

export interface ClientSettings {
  /**
   * The address of the organization area (D1), such as `https://host/api/v1`, with or without a slash at its end.
   * Required, with `tokenUrl`, for the organization area.
   */
  readonly orgUrl?: string | undefined;
  /** The address of the token endpoint (D3). */
  readonly tokenUrl?: string | undefined;
  /** The address of the model area (D2). Required for the model area. */
  readonly modelUrl?: string | undefined;
  readonly dialect: Dialect;
  /** The timeout of one request, from connecting to the last byte of its response, in milliseconds. Default: 30,000. */
  readonly timeoutMs?: number | undefined;
  /** The maximum number of parallel requests per origin; the others wait. Default: 16. */
  readonly concurrency?: number | undefined;
  /** Observes the calls other than GET: may block each, and gets its outcome. */
  readonly observer?: Observer | undefined;
  /** For tests. Default: the system clock. */
  readonly clock?: Clock | undefined;
  /** The source of HTTPS_PROXY, HTTP_PROXY and NO_PROXY. Default: the environment of this process. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
}

/** Connections and access tokens of one service, with limits and retries. One per process is enough. */
export interface Client {
  /**
   * One organization, with these credentials. Equal credentials share their access tokens.
   * @param secrets removed from error texts, besides the secrets that are sent and received
   * @throws TypeError where the client has no address of the organization area
   */
  organization(
    organizationId: string,
    credentials: Credentials,
    secrets?: readonly string[],
  ): OrganizationApi;
  /**
   * The model area, with these credentials.
   * @param secrets removed from error texts, besides the secrets that are sent and received
   * @throws TypeError where the client has no address of it
   */
  models(credentials: Credentials, secrets?: readonly string[]): ModelApi;
  /**
   * Gets an access token of the service account by the operation's deadline, without a call.
   * @throws ApiError where none is available
   * @throws TypeError where the client has no address of the organization area
   */
  authenticate(credentials: Credentials, operation: TimeLimit): Promise<void>;
  /** Closes the connections once the running requests have ended; no call is possible afterwards. */
  close(): Promise<void>;
}

/**
 * @throws TypeError where the address of the service or a proxy is not an http(s) address, or contains a user name or
 * password
 */
export function createClient(settings: ClientSettings): Client {
  const { timeoutMs = 30_000, concurrency = 16, clock = systemClock, environment = process.env } = settings;
  const redactor = new Redactor();
  const origins = new Map<string, Origin>();
  const parts = { clock, timeoutMs, concurrency, environment, redactor };
  const { dialect } = settings;
  const organization = organizationSender(settings, parts, origins);
  const models = modelSender(settings, parts, origins);
  return {
    organization: (organizationId, credentials, secrets = []) => {
      if (!organization) throw new TypeError(NO_ORGANIZATION);
      for (const secret of secrets) redactor.add(secret);
      return organizationApi(organization, dialect, organizationId, credentials);
    },
    models: (credentials, secrets = []) => {
      if (!models) throw new TypeError("the model area needs orgseat:modelUrl");
      for (const secret of secrets) redactor.add(secret);
      return modelApi(models, dialect, credentials);
    },
    authenticate: async (credentials, operation) => {
      if (!organization) throw new TypeError(NO_ORGANIZATION);
      await organization.authenticate("serviceAccount", credentials, operation);
    },
    close: async () => {
      await Promise.all([...origins.values()].map((origin) => origin.close()));
    },
  };
}

const NO_ORGANIZATION = "the organization area needs orgseat:orgUrl and orgseat:tokenUrl";

function organizationSender(
  { orgUrl, tokenUrl, dialect, observer }: ClientSettings,
  parts: EndpointSettings,
  origins: Map<string, Origin>,
): Sender | undefined {
  if (orgUrl === undefined || tokenUrl === undefined) return undefined;
  const endpoint = openEndpoint("orgseat:orgUrl", orgUrl, parts, origins);
  const tokenSource = accessTokens({
    ...parts,
    endpoint: openTokenEndpoint("orgseat:tokenUrl", tokenUrl, parts, origins),
  });
  return new Sender({ ...parts, endpoint, dialect, tokenSource, observer });
}

function modelSender(
  { modelUrl, dialect, observer }: ClientSettings,
  parts: EndpointSettings,
  origins: Map<string, Origin>,
): Sender | undefined {
  if (modelUrl === undefined) return undefined;
  const endpoint = openEndpoint("orgseat:modelUrl", modelUrl, parts, origins);
  return new Sender({
    ...parts,
    endpoint,
    dialect,
    tokenSource: apiKeys(parts.redactor),
    observer,
  });
}

/** Sends the calls of one area with one set of credentials. */
function callsOf(sender: Sender, credentials: Credentials) {
  return {
    async ask<Path extends string, Request, Answer>(
      call: Call<Path, Request, Answer>,
      message: Message<Path, Request>,
      operation: TimeLimit,
    ): Promise<Answer> {
      const reply = await sender.send(call, message, credentials, operation);
      if (reply.gone) throw new Error("only a delete finds something gone");
      return reply.answer;
    },
    async remove<Path extends string>(
      call: Call<Path, unknown, unknown>,
      variables: Message<Path, unknown>["variables"],
      operation: TimeLimit,
    ): Promise<Deleted> {
      const reply = await sender.send(call, { variables }, credentials, operation);
      return reply.gone && !reply.mayBeOurs ? "gone" : "deleted";
    },
  };
}

/** A call of the dialect. @throws ApiError where it has none */
function supported<Name extends keyof CallTable>(
  { name, calls }: Dialect,
  key: Name,
): NonNullable<CallTable[Name]> {
  const call = calls[key];
  if (call) return call;
  const { name: operation, method, path } = anacondaCalls[key];
  const reason = `not sent: the dialect ${name} has no such request`;
  throw new ApiError({ code: "unsupported", call: operation, method, path, reason });
}

/**
 * Every message has the fields of all dialects: paths and schemas use those that theirs has.
 */
function organizationApi(
  sender: Sender,
  dialect: Dialect,
  organizationId: string,
  credentials: Credentials,
): OrganizationApi {
  const org = { org_id: organizationId };
  const { calls } = dialect;
  const { ask, remove } = callsOf(sender, credentials);
  return {
    createServiceAccount: (name, operation) =>
      ask(calls.createServiceAccount, { variables: org, body: { name } }, operation),
    listServiceAccounts: (operation) => ask(calls.listServiceAccounts, { variables: org }, operation),
    deleteServiceAccount: (clientId, operation) =>
      remove(calls.deleteServiceAccount, { ...org, client_id: clientId }, operation),
    onboardUsers: (emails, operation) =>
      ask(calls.onboardUsers, { variables: org, body: { user_emails: [...emails] } }, operation),
    createUser: (user, operation) => ask(calls.createUser, { variables: org, body: user }, operation),
    listUsers: async (operation) => {
      const query = { include_groups: false };
      return (await ask(supported(dialect, "listUsers"), { variables: org, query }, operation)).items;
    },
    assignSeat: async (userId, operation, { sendEmail = false } = {}) => {
      const query = { send_seat_assigned_email: sendEmail };
      await ask(calls.assignSeat, { variables: { ...org, user_id: userId }, query }, operation);
    },
    issueToken: (userId, expiresAt, operation, { sendEmail = false, toleranceMonths } = {}) => {
      const body = {
        expires_at: expiresAt,
        expiration_tolerance_months: toleranceMonths,
        send_token_email: sendEmail,
      };
      return ask(calls.issueToken, { variables: { ...org, user_id: userId }, body }, operation);
    },
    renewToken: (userId, operation, { expiresAt, toleranceMonths } = {}) => {
      const body = {
        is_renewal: expiresAt === undefined,
        expires_at: expiresAt,
        expiration_tolerance_months: toleranceMonths,
      };
      return ask(calls.renewToken, { variables: { ...org, user_id: userId }, body }, operation);
    },
    listTokens: async (userId, operation) => {
      const variables = { ...org, user_id: userId };
      return (await ask(supported(dialect, "listTokens"), { variables }, operation)).items;
    },
    revokeToken: (userId, operation, tokenId) =>
      remove(calls.revokeToken, { ...org, user_id: userId, token_id: tokenId }, operation),
    removeSeat: (userId, operation) => remove(calls.removeSeat, { ...org, user_id: userId }, operation),
    removeUser: (userId, operation) => remove(calls.removeUser, { ...org, user_id: userId }, operation),
  };
}

function modelApi(sender: Sender, dialect: Dialect, credentials: Credentials): ModelApi {
  const { calls } = dialect;
  const { ask, remove } = callsOf(sender, credentials);
  const none = {};
  const fileOf = ({ modelId, fileId }: FilePath) => ({ model_id: modelId, file_id: fileId });
  return {
    listModels: async (downloaded, operation) => {
      const message = { variables: none, query: { downloaded } };
      return (await ask(supported(dialect, "listModels"), message, operation)).data;
    },
    getModel: async (modelId, operation) => {
      const message = { variables: { model_id: modelId } };
      return { ...(await ask(supported(dialect, "getModel"), message, operation)).data, id: modelId };
    },
    listModelFiles: async (modelId, operation, downloaded) => {
      const message = { variables: { model_id: modelId }, query: { downloaded } };
      return (await ask(calls.listModelFiles, message, operation)).data;
    },
    getModelFile: async (file, operation) => {
      const message = { variables: fileOf(file) };
      return { ...(await ask(supported(dialect, "getModelFile"), message, operation)).data, id: file.fileId };
    },
    changeModelFile: async (file, action, operation) => {
      const message = { variables: fileOf(file), body: { action } };
      return (await ask(supported(dialect, "changeModelFile"), message, operation)).data;
    },
    deleteModelFile: (file, operation) =>
      remove(supported(dialect, "deleteModelFile"), fileOf(file), operation),
    listServers: async (filter, operation) =>
      (await ask(calls.listServers, { variables: none, query: filter }, operation)).data,
    createServer: async (server, operation) => {
      await ask(supported(dialect, "createServer"), { variables: none, body: server }, operation);
    },
    getServer: async (serverId, operation) => {
      const message = { variables: { server_id: serverId } };
      return { ...(await ask(supported(dialect, "getServer"), message, operation)).data, id: serverId };
    },
    moveServer: async (serverId, action, operation) => {
      const message = { variables: { server_id: serverId }, body: { action } };
      await ask(supported(dialect, "moveServer"), message, operation);
    },
    deleteServer: (serverId, operation) => remove(calls.deleteServer, { server_id: serverId }, operation),
    listTables: (operation) => ask(calls.listTables, { variables: none }, operation),
    createTable: async (table, operation) =>
      (await ask(calls.createTable, { variables: none, body: table }, operation)).data ?? {},
    deleteTable: async (name, operation) => remove(supported(dialect, "deleteTable"), { name }, operation),
    createVectorDatabase: async (operation) =>
      (await ask(supported(dialect, "createVectorDatabase"), { variables: none }, operation)).data,
    moveVectorDatabase: async (running, operation) => {
      const message = { variables: none, body: { running } };
      return (await ask(supported(dialect, "moveVectorDatabase"), message, operation)).data;
    },
  };
}
