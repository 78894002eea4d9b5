/** Single requests without retries, for `orgseat doctor`. */

import { areaOf, type Call, type PathVariables } from "../api/calls/call.ts";
import { type ApiErrorFields, TOKEN_ENDPOINT } from "../api/calls/errors.ts";
import type { TimeLimit } from "../api/calls/organization.ts";
import type { Platform } from "../api/calls/platform.ts";
import type { Credential } from "../api/client/credentials.ts";
import { type Endpoint, openEndpoint, openTokenEndpoint } from "../api/client/endpoint.ts";
import { attemptOf, type Sent } from "../api/client/outcomes.ts";
import { proxyOf } from "../api/client/proxies.ts";
import type { Redactor } from "../api/client/redact.ts";
import { COMMON_HEADERS, readOnce } from "../api/client/sender.ts";
import { requestToken } from "../api/client/token-sources.ts";
import type { HttpResponse } from "../api/client/transport.ts";
import type { Settings } from "../config/settings.ts";
import type { Clock } from "../util/instants.ts";

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
export function firstHalf(parts: ProbeParts): ProbeParts {
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

/** Whether an error is not a refusal of the contract: the address is wrong, or the service is down. */
export function isForeign({ code }: ApiErrorFields, response: HttpResponse | undefined): boolean {
  const isPage = response?.text.trimStart().startsWith("<") === true;
  return isPage || !(code === "refused" || code === "unauthorized");
}

/** Requests an access token. */
export async function probeToken(
  tokenUrl: string,
  credential: Credential,
  parts: ProbeParts,
): Promise<ProbeResult<string>> {
  const { value, ...result } = await probe("orgseat:tokenUrl", tokenUrl, parts, (endpoint, operation) =>
    requestToken(credential, operation, { ...parts, endpoint }),
  );
  return value === undefined ? result : { ...result, value: value.access_token };
}

/** Sends GET without a credential to the token endpoint. Any response is a success. */
export function probeTokenEndpoint(tokenUrl: string, parts: ProbeParts): Promise<ProbeResult<number>> {
  return probe("orgseat:tokenUrl", tokenUrl, parts, async ({ origin, path }, operation) => {
    const outcome = await origin.send({ method: "GET", path, headers: COMMON_HEADERS }, operation);
    const label = { call: TOKEN_ENDPOINT, method: "GET", path: parts.redactor.redact(path) };
    const context = { ...parts, label, area: "organization", origin, operation } as const;
    return { outcome, attempt: attemptOf(outcome, ({ status }) => ({ value: status, unread: [] }), context) };
  });
}

/** Makes a read call, with or without a bearer token. */
export function probeCall<Path extends string, Answer>(
  call: Call<Path, unknown, Answer>,
  variables: PathVariables<Path>,
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
  const open = key === "orgseat:tokenUrl" ? openTokenEndpoint : openEndpoint;
  const endpoint = open(key, url.href, settings);
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
