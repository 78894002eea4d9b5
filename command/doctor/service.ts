/** What `orgseat doctor` asks the service: single requests, without retries. */
import { areaOf, type Call, type OrganizationCredential } from "../../provider/api/calls/call.ts";
import { type ApiErrorFields, TOKEN_ENDPOINT } from "../../provider/api/calls/errors.ts";
import { type CallTable, type Platform, platforms } from "../../provider/api/calls/platform.ts";
import { adminTokenOf, credentialOf } from "../../provider/api/client/credentials.ts";
import { type Endpoint, openEndpoint } from "../../provider/api/client/endpoint.ts";
import { labelOf, type Sent, sendOnce } from "../../provider/api/client/outcomes.ts";
import { proxyOf } from "../../provider/api/client/proxies.ts";
import type { Redactor } from "../../provider/api/client/redact.ts";
import { readOnce, type Variables } from "../../provider/api/client/sender.ts";
import { requestToken } from "../../provider/api/client/token-sources.ts";
import type { HttpResponse } from "../../provider/api/client/transport.ts";
import type { Settings } from "../../provider/config/settings.ts";
import { InternalError } from "../../provider/util/error-codes.ts";
import type { Clock, TimeLimit } from "../../provider/util/instants.ts";
import { REACH } from "./report.ts";

/** The minimum time of a request that starts late, in milliseconds. */
const SHORTEST_MS = 200;
/** The timeout of the connection must end before the deadline of the operation, for a precise error. */
const DEADLINE_MARGIN_MS = 1000;

interface Parts {
  readonly clock: Clock;
  readonly redactor: Redactor;
  /** The end of all requests, on the scale of `clock.monotonic()`. */
  readonly until: number;
}

/** The answer to a request. `isForeign`: not in the form of the contract, so the address is wrong, or the service is down. */
export type Answer<T> =
  | { readonly value: T; readonly error?: undefined; readonly response?: HttpResponse | undefined }
  | {
      readonly value?: undefined;
      readonly error: ApiErrorFields;
      readonly isForeign: boolean;
      readonly response?: HttpResponse | undefined;
    };

/**
 * The answers to the requests; undefined where the settings lack what a request needs, or the platform lacks the request.
 * @param isVerbose whether to ask what no check needs
 */
export async function askService(settings: Settings, parts: Parts, isVerbose = false) {
  const prober = new Prober(settings, parts);
  const [organization, models] = await Promise.all([askOrganization(prober), askModelArea(prober)]);
  const tokens = isVerbose ? await askTokens(prober, organization) : undefined;
  return { ...organization, ...models, tokens };
}

/** The tokens of the first listed user. */
function askTokens(prober: Prober, { account, users }: Awaited<ReturnType<typeof askOrganization>>) {
  const user_id = users?.value?.items[0]?.id;
  if (user_id === undefined) return undefined;
  return prober.read(prober.calls.listTokens, account?.value?.access_token, undefined, { user_id });
}

async function askOrganization(prober: Prober) {
  const { listServiceAccounts, listUsers } = prober.calls;
  const [user, account] = await Promise.all([prober.token("user"), prober.token("serviceAccount")]);
  const endpoint = user ?? account ?? (await prober.reach());
  const token = account?.value?.access_token;
  const adminToken = adminTokenOf({ user: prober.settings.admin }, "user");
  const [accounts, users] = await Promise.all([
    prober.read(listServiceAccounts, adminToken ?? user?.value?.access_token ?? token),
    token === undefined ? undefined : prober.read(listUsers, token),
  ]);
  // The token endpoint knows nothing of a token that it did not issue: the list shows whether it is accepted.
  const admin = adminToken === undefined ? user : accounts;
  return { admin, account, endpoint, accounts, users };
}

async function askModelArea(prober: Prober) {
  const { calls, settings } = prober;
  const servers = await prober.read(calls.listServers, settings.apiKey, prober.half);
  const isAccepted = settings.apiKey !== undefined && servers?.value !== undefined;
  const read = <T>(call: Call<string, unknown, T> | undefined) =>
    isAccepted ? prober.read(call, settings.apiKey) : undefined;
  const parts = Object.entries({
    "the API": calls.checkModelArea,
    models: calls.checkModels,
    servers: calls.checkServers,
    "vector tables": calls.checkVectorDatabase,
  });
  const [tables, ...health] = await Promise.all([
    read(calls.listTables),
    ...parts.map(async ([part, call]) => ({ part, call, answer: await read<unknown>(call) })),
  ]);
  return { servers, tables, health };
}

/** Sends single requests. */
class Prober {
  readonly settings: Settings;
  readonly calls: CallTable;
  /** The end of the first of two dependent requests. */
  readonly half: number;
  readonly #parts: Parts & { readonly platform: Platform };

  constructor(settings: Settings, parts: Parts) {
    const platform = platforms[settings.platform ?? "basic"];
    const now = parts.clock.monotonic();
    this.settings = settings;
    this.calls = platform.calls;
    this.half = now + (parts.until - now) / 2;
    this.#parts = { ...parts, platform };
  }

  /** Requests an access token. */
  async token(kind: OrganizationCredential) {
    const { admin: user, account: serviceAccount } = this.settings;
    const credential = credentialOf({ user, serviceAccount }, kind);
    if (credential === undefined) return undefined;
    return this.#send("tokenUrl", this.half, (endpoint, operation) =>
      requestToken(credential, operation, { ...this.#parts, endpoint }),
    );
  }

  /** Sends GET without a credential to the token endpoint. Any response is a success. */
  reach(): Promise<Answer<number> | undefined> {
    return this.#send("tokenUrl", this.half, (endpoint, operation) => {
      const { path } = endpoint;
      const label = labelOf(TOKEN_ENDPOINT, "GET", path, this.#parts.redactor);
      const request = { method: "GET" as const, path, headers: [] };
      const parse = ({ status }: HttpResponse) => ({ value: status, unread: [], odd: [] });
      return sendOnce(label, request, parse, operation, { ...this.#parts, endpoint });
    });
  }

  /** Makes a read call, with or without a bearer token. */
  async read<T>(
    call: Call<string, unknown, T> | undefined,
    token: string | undefined,
    until = this.#parts.until,
    variables: Variables = {},
  ) {
    if (call === undefined) return undefined;
    const { organizationId: org_id } = this.settings;
    const key = areaOf(call) === "model" ? "modelUrl" : "orgUrl";
    if (key === "orgUrl" && org_id === undefined) return undefined;
    return this.#send(key, until, (endpoint, operation) =>
      readOnce(call, { org_id, ...variables }, token, operation, { ...this.#parts, endpoint }),
    );
  }

  async #send<T>(
    key: "orgUrl" | "tokenUrl" | "modelUrl",
    until: number,
    send: (endpoint: Endpoint, operation: TimeLimit) => Promise<Sent<T>>,
  ): Promise<Answer<T> | undefined> {
    const { [key]: address, proxies, timeoutMs: configuredMs } = this.settings;
    if (address === undefined) return undefined;
    const { clock, redactor } = this.#parts;
    const url = new URL(address);
    // Not sent: the configuration checks report them.
    url.username = "";
    url.password = "";
    const name = `orgseat:${key}`;
    const proxy = proxyOf(url, proxies);
    if (proxy && "error" in proxy) {
      const label = { call: REACH, method: "GET", path: url.pathname };
      return { error: { ...label, code: "unreachable", reason: proxy.error }, isForeign: true };
    }
    const timeoutMs = Math.min(configuredMs, Math.max(SHORTEST_MS, until - clock.monotonic()));
    const settings = { clock, redactor, timeoutMs, concurrency: 1, environment: proxies };
    const endpoint = openEndpoint(name, url.href, settings);
    try {
      return answerOf(await send(endpoint, { deadline: clock.monotonic() + timeoutMs + DEADLINE_MARGIN_MS }));
    } finally {
      await endpoint.origin.close();
    }
  }
}

function answerOf<T>({ outcome, attempt }: Sent<T>): Answer<T> {
  const response = "status" in outcome ? outcome : undefined;
  if ("error" in attempt) {
    const { error } = attempt;
    const isPage = response?.text.trimStart().startsWith("<") === true;
    const isRefusal = error.code === "refused" || error.code === "unauthorized";
    return { error, isForeign: isPage || !isRefusal, response };
  }
  if (attempt.value.gone) throw new InternalError("a read deletes nothing");
  return { value: attempt.value.answer, response };
}
