/**
 * Single looks at a service: a token request, call 2 without rights to it, calls 12 and 15. Each is sent once, because
 * whoever asks a doctor wants to know how it is now.
 */
import type { z } from "zod";
import { type Area, areaOf, type Call, type PathVariables } from "../api/call.ts";
import { calls } from "../api/calls.ts";
import type { Clock } from "../api/clock.ts";
import { type Credential, describeCredential } from "../api/credentials.ts";
import { type ApiErrorFields, TOKEN_ENDPOINT } from "../api/errors.ts";
import { Origin } from "../api/origin.ts";
import { attemptOf, type CallLabel } from "../api/outcomes.ts";
import { proxyOf, secretOf } from "../api/proxies.ts";
import type { Redactor } from "../api/redact.ts";
import { parseResponse, parseTokenResponse } from "../api/responses.ts";
import { COMMON_HEADERS } from "../api/sender.ts";
import type { HttpRequest, HttpResponse } from "../api/transport.ts";
import type { Settings } from "../settings.ts";

export interface ProbeParts {
  readonly clock: Clock;
  /** For one look at most, as configured. */
  readonly timeoutMs: number;
  /** When looks have to be over, on the scale of `clock.monotonic()`. */
  readonly until: number;
  readonly redactor: Redactor;
  readonly proxies: Settings["proxies"];
}

/** For the first of two looks of which one needs the other: it leaves half of the time that is left. */
export function firstHalf(parts: ProbeParts): ProbeParts {
  const now = parts.clock.monotonic();
  return { ...parts, until: now + (parts.until - now) / 2 };
}

/** How long a look may take, in milliseconds: even one that begins late has some time. */
export function timeFor({ clock, timeoutMs, until }: ProbeParts): number {
  return Math.min(timeoutMs, Math.max(SHORTEST_MS, until - clock.monotonic()));
}
const SHORTEST_MS = 200;

export interface ProbeResult<T> {
  /** The value of a success. */
  readonly value?: T;
  readonly error?: ApiErrorFields;
  /** The answer as it came; undefined where none came. */
  readonly answer?: HttpResponse;
}

/** An address as messages show it: without a user name, a password or a query. */
export function shownAddress(address: string): string {
  const { origin, pathname } = new URL(address);
  return origin + pathname;
}

/** A failure in one sentence. */
export function sentence({ call, method, path, status, reason }: ApiErrorFields): string {
  return `${call}, ${method} ${path}${status === undefined ? "" : ` answered ${status}`}: ${reason}`;
}

/** Asks for an access token. */
export function probeToken(
  tokenUrl: string,
  credential: Credential,
  parts: ProbeParts,
): Promise<ProbeResult<string>> {
  const { pathname, search } = new URL(tokenUrl);
  const { redactor } = parts;
  const title = describeCredential(credential.kind);
  const request: HttpRequest = {
    method: "POST",
    path: pathname + search,
    headers: [...COMMON_HEADERS, "content-type", "application/x-www-form-urlencoded"],
    body: new URLSearchParams(credential.request).toString(),
  };
  const label: CallLabel = { call: TOKEN_ENDPOINT, method: "POST", path: redactor.redact(pathname) };
  const advice = `check orgseat:tokenUrl (${shownAddress(tokenUrl)})`;
  return look(tokenUrl, request, label, parts, (answer) => {
    const judgement = parseTokenResponse(answer, title, advice, redactor);
    return "value" in judgement ? { value: judgement.value.access_token } : judgement;
  });
}

/** Whether anything answers GET at an address, whatever it answers. */
export function probeAddress(address: string, parts: ProbeParts): Promise<ProbeResult<number>> {
  const { pathname, search } = new URL(address);
  const label: CallLabel = { call: TOKEN_ENDPOINT, method: "GET", path: parts.redactor.redact(pathname) };
  const request: HttpRequest = { method: "GET", path: pathname + search, headers: COMMON_HEADERS };
  return look(address, request, label, parts, ({ status }) => ({ value: status }));
}

/** Call 2 with an access token that has no right to it, or with none: only the form of the answer counts. */
export function probeRights(
  orgUrl: string,
  organizationId: string,
  token: string | undefined,
  parts: ProbeParts,
): Promise<ProbeResult<unknown>> {
  const advice = `check orgseat:orgUrl (${shownAddress(orgUrl)}, its path too) and orgseat:dialect`;
  return askCall(calls.listServiceAccounts, orgUrl, { org_id: organizationId }, token, advice, parts);
}

/** Call 12 with a key, or with none. */
export function probeServers(
  modelUrl: string,
  apiKey: string | undefined,
  parts: ProbeParts,
): Promise<ProbeResult<ServerList>> {
  const advice = `check orgseat:modelUrl (${shownAddress(modelUrl)}, its path too) and orgseat:dialect`;
  return askCall(calls.listServers, modelUrl, {}, apiKey, advice, parts);
}
type ServerList = z.output<typeof calls.listServers.answer>;

/** Call 15 with a key. */
export function probeTables(
  modelUrl: string,
  apiKey: string,
  parts: ProbeParts,
): Promise<ProbeResult<TableList>> {
  const advice = `check orgseat:modelUrl (${shownAddress(modelUrl)}, its path too) and orgseat:dialect`;
  return askCall(calls.listTables, modelUrl, {}, apiKey, advice, parts);
}
type TableList = z.output<typeof calls.listTables.answer>;

function askCall<Path extends string, Answer>(
  call: Call<Path, unknown, Answer>,
  address: string,
  variables: PathVariables<Path>,
  bearer: string | undefined,
  advice: string,
  parts: ProbeParts,
): Promise<ProbeResult<Answer>> {
  const base = new URL(address).pathname.replace(/\/+$/, "");
  const path = Object.entries(variables ?? {}).reduce(
    (text, [name, value]) => text.replace(`{${name}}`, encodeURIComponent(String(value))),
    base + call.path,
  );
  const request: HttpRequest = {
    method: call.method,
    path,
    headers: bearer === undefined ? COMMON_HEADERS : ["authorization", `Bearer ${bearer}`, ...COMMON_HEADERS],
  };
  const label: CallLabel = {
    call: `call ${call.number} (${call.name})`,
    method: call.method,
    path: parts.redactor.redact(path),
  };
  const judge = (answer: HttpResponse) => parseResponse(call, answer, advice, parts.redactor);
  return look(address, request, label, parts, judge, areaOf(call));
}

async function look<T>(
  address: string,
  request: HttpRequest,
  label: CallLabel,
  parts: ProbeParts,
  judge: Parameters<typeof attemptOf<T>>[1],
  area: Area = "organization",
): Promise<ProbeResult<T>> {
  const { clock, redactor, proxies } = parts;
  const timeoutMs = timeFor(parts);
  const url = new URL(address);
  const proxy = proxyOf(url, proxies);
  if (proxy && "problem" in proxy) return { error: { ...label, code: "unreachable", reason: proxy.problem } };
  redactor.add(proxy && secretOf(proxy));
  const origin = new Origin(url.origin, { clock, timeoutMs, concurrency: 1, proxy });
  const operation = { deadline: clock.monotonic() + timeoutMs + 1000 };
  try {
    const outcome = await origin.send(request, operation);
    const answer = "status" in outcome ? { answer: outcome } : {};
    const attempt = attemptOf(outcome, judge, { label, area, origin, redactor, clock, operation });
    if ("error" in attempt) return { error: attempt.error, ...answer };
    return attempt.value.gone ? answer : { value: attempt.value.answer, ...answer };
  } finally {
    await origin.close();
  }
}
