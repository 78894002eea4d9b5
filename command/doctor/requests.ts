/** The requests of `orgseat doctor`: single ones, without retries. */

import { areaOf, type Call, type OrganizationCredential } from "../../provider/api/calls/call.ts";
import { calls } from "../../provider/api/calls/calls.ts";
import { type ApiErrorFields, TOKEN_ENDPOINT } from "../../provider/api/calls/errors.ts";
import type { Platform } from "../../provider/api/calls/platform.ts";
import { type Credential, credentialOf } from "../../provider/api/client/credentials.ts";
import { type Endpoint, openEndpoint, TOKEN_URL } from "../../provider/api/client/endpoint.ts";
import { labelOf, type Sent, sendOnce } from "../../provider/api/client/outcomes.ts";
import { proxyOf } from "../../provider/api/client/proxies.ts";
import type { Redactor } from "../../provider/api/client/redact.ts";
import { readOnce, type Variables } from "../../provider/api/client/sender.ts";
import { requestToken } from "../../provider/api/client/token-sources.ts";
import type { HttpResponse } from "../../provider/api/client/transport.ts";
import type { ListedUser } from "../../provider/api/schemas/anaconda-schemas.ts";
import type { Settings } from "../../provider/config/settings.ts";
import type { Clock, TimeLimit } from "../../provider/util/instants.ts";

export interface ProbeParts {
  readonly clock: Clock;
  /** The configured time for one request, in milliseconds. */
  readonly timeoutMs: number;
  /** The end of all probes, on the scale of `clock.monotonic()`. */
  readonly until: number;
  readonly redactor: Redactor;
  readonly proxies: Settings["proxies"];
  readonly platform: Platform;
}

/** For the first of two dependent probes: limits it to half of the remaining time. */
function firstHalf(parts: ProbeParts): ProbeParts {
  const now = parts.clock.monotonic();
  return { ...parts, until: now + (parts.until - now) / 2 };
}

/** The minimum time of a probe that starts late, in milliseconds. */
const SHORTEST_MS = 200;
/** The timeout of the connection must end before the deadline of the operation, for a precise error. */
const DEADLINE_MARGIN_MS = 1000;

export interface ProbeResult<T> {
  /** The value of a success. */
  readonly value?: T;
  readonly error?: ApiErrorFields;
  /** The HTTP response; undefined if none arrived. */
  readonly response?: HttpResponse;
}

/** The error if it is not a refusal of the contract: the address is wrong, or the service is down. */
export function foreignError<T>({ error, response }: ProbeResult<T>): ApiErrorFields | undefined {
  const isPage = response?.text.trimStart().startsWith("<") === true;
  const isRefusal = error?.code === "refused" || error?.code === "unauthorized";
  return isPage || !isRefusal ? error : undefined;
}

/** The answers to the requests; undefined where none was sent. */
export interface ServiceAnswers {
  /** The tokens of the administrator and the service account. */
  readonly admin?: ProbeResult<string> | undefined;
  readonly account?: ProbeResult<string> | undefined;
  /** The first answer of the token endpoint. */
  readonly endpoint?: ProbeResult<unknown> | undefined;
  readonly accounts?: ProbeResult<{ readonly accounts: readonly unknown[] }> | undefined;
  readonly canListUsers?: boolean | undefined;
  readonly users?: ProbeResult<{ readonly items: readonly ListedUser[] }> | undefined;
  readonly servers?: ProbeResult<{ readonly data: readonly unknown[] }> | undefined;
  readonly tables?: ProbeResult<unknown> | undefined;
  /** By the part of the model area. */
  readonly health?: Readonly<Record<string, ProbeResult<unknown>>> | undefined;
}

export async function askOrganization(
  { tokenUrl, organizationId, orgUrl, ...settings }: Settings,
  parts: ProbeParts,
): Promise<ServiceAnswers> {
  const half = firstHalf(parts);
  const ask = (kind: OrganizationCredential) => {
    const credential = credentialOf({ user: settings.admin, serviceAccount: settings.account }, kind);
    return tokenUrl === undefined || credential === undefined
      ? undefined
      : probeToken(tokenUrl, credential, half);
  };
  const [admin, account] = await Promise.all([ask("user"), ask("serviceAccount")]);
  const first = admin ?? account;
  const endpoint = first ?? (tokenUrl === undefined ? undefined : await probeTokenEndpoint(tokenUrl, half));
  const { listUsers } = parts.platform.calls;
  const found = { admin, account, endpoint, canListUsers: listUsers !== undefined };
  if (organizationId === undefined || orgUrl === undefined) return found;
  const place = { org_id: organizationId };
  const token = admin?.value ?? account?.value;
  const [accounts, users] = await Promise.all([
    probeCall(calls.listServiceAccounts, place, orgUrl, token, parts),
    listUsers && account?.value && probeCall(listUsers, place, orgUrl, account.value, parts),
  ]);
  return { ...found, accounts, ...(users && { users }) };
}

export async function askModelArea(
  { modelUrl, apiKey }: Settings,
  parts: ProbeParts,
): Promise<ServiceAnswers> {
  if (modelUrl === undefined) return {};
  const { listServers, listTables, ...others } = parts.platform.calls;
  const servers = await probeCall(listServers, {}, modelUrl, apiKey, firstHalf(parts));
  if (apiKey === undefined || servers.value === undefined) return { servers };
  const healthCalls = {
    "the API": others.checkModelArea,
    models: others.checkModels,
    servers: others.checkServers,
    "vector tables": others.checkVectorDatabase,
  };
  const health: Record<string, ProbeResult<unknown>> = {};
  const asked = Object.entries(healthCalls).flatMap(([part, call]) => (call ? [{ part, call }] : []));
  const [tables, ...results] = await Promise.all([
    probeCall(listTables, {}, modelUrl, apiKey, parts),
    ...asked.map(({ call }) => probeCall(call, {}, modelUrl, apiKey, parts)),
  ]);
  for (const [index, { part }] of asked.entries()) health[part] = results[index] ?? {};
  return { servers, tables, health };
}

/** Requests an access token. */
async function probeToken(
  tokenUrl: string,
  credential: Credential,
  parts: ProbeParts,
): Promise<ProbeResult<string>> {
  const { value, ...result } = await probe(TOKEN_URL, tokenUrl, parts, (endpoint, operation) =>
    requestToken(credential, operation, { ...parts, endpoint }),
  );
  return value === undefined ? result : { ...result, value: value.access_token };
}

/** Sends GET without a credential to the token endpoint. Any response is a success. */
function probeTokenEndpoint(tokenUrl: string, parts: ProbeParts): Promise<ProbeResult<number>> {
  return probe(TOKEN_URL, tokenUrl, parts, (endpoint, operation) => {
    const { path } = endpoint;
    const label = labelOf(TOKEN_ENDPOINT, "GET", path, parts.redactor);
    const request = { method: "GET" as const, path, headers: [] };
    const parse = ({ status }: HttpResponse) => ({ value: status, unread: [], odd: [] });
    return sendOnce(label, request, parse, operation, { ...parts, endpoint });
  });
}

/** Makes a read call, with or without a bearer token. */
function probeCall<Answer>(
  call: Call<string, unknown, Answer>,
  variables: Variables,
  address: string,
  token: string | undefined,
  parts: ProbeParts,
): Promise<ProbeResult<Answer>> {
  const key = areaOf(call) === "model" ? "orgseat:modelUrl" : "orgseat:orgUrl";
  return probe(key, address, parts, (endpoint, operation) =>
    readOnce(call, variables, token, operation, { ...parts, endpoint }),
  );
}

async function probe<T>(
  key: string,
  address: string,
  { clock, redactor, proxies, timeoutMs: configuredMs, until }: ProbeParts,
  send: (endpoint: Endpoint, operation: TimeLimit) => Promise<Sent<T>>,
): Promise<ProbeResult<T>> {
  const url = new URL(address);
  // Not sent: the configuration checks report them.
  url.username = "";
  url.password = "";
  const proxy = proxyOf(url, proxies);
  if (proxy && "error" in proxy) {
    const label = { call: key, method: "GET", path: url.pathname };
    return { error: { ...label, code: "unreachable", reason: proxy.error } };
  }
  const timeoutMs = Math.min(configuredMs, Math.max(SHORTEST_MS, until - clock.monotonic()));
  const settings = { clock, redactor, timeoutMs, concurrency: 1, environment: proxies };
  const endpoint = openEndpoint(key, url.href, settings);
  const operation = { deadline: clock.monotonic() + timeoutMs + DEADLINE_MARGIN_MS };
  try {
    const { outcome, attempt } = await send(endpoint, operation);
    const response = "status" in outcome ? { response: outcome } : {};
    if ("error" in attempt) return { error: attempt.error, ...response };
    return attempt.value.gone ? response : { value: attempt.value.answer, ...response };
  } finally {
    await endpoint.origin.close();
  }
}
