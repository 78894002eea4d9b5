/** The client of both areas. It knows HTTP and the contract, and no resources. */

import { type Clock, systemClock, type TimeLimit } from "../util/instants.ts";
import { modelApi, organizationApi } from "./areas.ts";
import { skewIn } from "./calls/clock-skew.ts";
import type { ModelApi } from "./calls/models.ts";
import type { OrganizationApi } from "./calls/organization.ts";
import type { Platform } from "./calls/platform.ts";
import type { Credentials } from "./client/credentials.ts";
import { type EndpointSettings, openEndpoint, TOKEN_URL } from "./client/endpoint.ts";
import type { Observer } from "./client/observer.ts";
import type { Origin } from "./client/origin.ts";
import { Redactor } from "./client/redact.ts";
import { Sender } from "./client/sender.ts";
import { accessTokens, apiKeys } from "./client/token-sources.ts";
import type { HttpHeaders } from "./client/transport.ts";
import { Denials } from "./denials.ts";

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
  readonly platform: Platform;
  /** The timeout of one request, from connecting to the last byte of its response, in milliseconds. Default: 30,000. */
  readonly timeoutMs?: number | undefined;
  /** The maximum number of parallel requests per origin; the others wait. Default: 16. */
  readonly concurrency?: number | undefined;
  /** Observes the calls other than GET: may block each, and gets its outcome. */
  readonly observer?: Observer | undefined;
  /** Gets what a response has and nothing can read, once each. */
  readonly warn?: ((text: string) => void) | undefined;
  /** Reads what earlier runs have removed, as `remove user <user id>`: "no such user" is true of it. */
  readonly removedEarlier?: (() => ReadonlySet<string>) | undefined;
  /** For tests. Default: the system clock. */
  readonly clock?: Clock | undefined;
  /** The source of HTTPS_PROXY, HTTP_PROXY, and NO_PROXY. Default: the environment of this process. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
}

/** Connections and access tokens of one service, with limits and retries. One per process is enough. */
export interface Client {
  /**
   * One organization, with these credentials. Equal credentials share their access tokens.
   * @param secrets removed from error texts, besides the secrets that are sent and received
   * @throws TypeError if the client has no address of the organization area
   */
  organization(
    organizationId: string,
    credentials: Credentials,
    secrets?: readonly string[],
  ): OrganizationApi;
  /**
   * The model area, with these credentials.
   * @param secrets removed from error texts, besides the secrets that are sent and received
   * @throws TypeError if the client has no address of it
   */
  models(credentials: Credentials, secrets?: readonly string[]): ModelApi;
  /**
   * Gets an access token of the service account, or of the administrator if there is none, by the operation's deadline,
   * without a call. An administrator's token needs no request.
   * @throws ApiError if none is available
   * @throws TypeError if the client has no address of the organization area
   */
  authenticate(credentials: Credentials, operation: TimeLimit): Promise<void>;
  /**
   * How far this machine's clock is ahead of the service's, in milliseconds, by the first response with a readable `Date`;
   * undefined until then.
   */
  clockSkewMs(): number | undefined;
  /** Closes the connections once the running requests have ended; no call is possible afterwards. */
  close(): Promise<void>;
}

/**
 * @throws TypeError if the address of the service or a proxy is not an http(s) address, or contains a username or
 * password
 */
export function createClient(settings: ClientSettings): Client {
  const { timeoutMs = 30_000, concurrency = 16, clock = systemClock, environment = process.env } = settings;
  const redactor = new Redactor();
  const origins = new Map<string, Origin>();
  const denials = new Map<string, Denials>();
  const { platform, observer, removedEarlier } = settings;
  const warn = settings.warn && onceEach(settings.warn);
  let skewMs: number | undefined;
  const onResponse = (headers: HttpHeaders): void => {
    skewMs ??= skewIn(headers, clock.now());
  };
  const parts = {
    onResponse,
    clock,
    timeoutMs,
    concurrency,
    environment,
    redactor,
    platform,
    observer,
    warn,
  };
  const organization = organizationSender(settings, parts, origins);
  const models = modelSender(settings, parts, origins);
  return {
    organization: (organizationId, credentials, secrets = []) => {
      if (!organization) throw new TypeError(NO_ORGANIZATION);
      for (const secret of secrets) redactor.add(secret);
      const denied = denials.get(organizationId) ?? new Denials(clock, removedEarlier);
      denials.set(organizationId, denied);
      return organizationApi(organization, platform, organizationId, credentials, denied);
    },
    models: (credentials, secrets = []) => {
      if (!models) throw new TypeError("the model area needs orgseat:modelUrl");
      for (const secret of secrets) redactor.add(secret);
      return modelApi(models, platform, credentials);
    },
    authenticate: async (credentials, operation) => {
      if (!organization) throw new TypeError(NO_ORGANIZATION);
      const kind = credentials.serviceAccount === undefined && credentials.user ? "user" : "serviceAccount";
      await organization.authenticate(kind, credentials, operation);
    },
    clockSkewMs: () => skewMs,
    close: async () => {
      await Promise.all([...origins.values()].map((origin) => origin.close()));
    },
  };
}

const NO_ORGANIZATION = "the organization area needs orgseat:orgUrl and orgseat:tokenUrl";

type Parts = EndpointSettings & Pick<ClientSettings, "platform" | "observer" | "warn">;

function organizationSender(
  { orgUrl, tokenUrl }: ClientSettings,
  parts: Parts,
  origins: Map<string, Origin>,
): Sender | undefined {
  if (orgUrl === undefined || tokenUrl === undefined) return undefined;
  const endpoint = openEndpoint("orgseat:orgUrl", orgUrl, parts, origins);
  const tokenEndpoint = openEndpoint(TOKEN_URL, tokenUrl, parts, origins);
  return new Sender({ ...parts, endpoint, tokenSource: accessTokens({ ...parts, endpoint: tokenEndpoint }) });
}

function modelSender(
  { modelUrl }: ClientSettings,
  parts: Parts,
  origins: Map<string, Origin>,
): Sender | undefined {
  if (modelUrl === undefined) return undefined;
  const endpoint = openEndpoint("orgseat:modelUrl", modelUrl, parts, origins);
  return new Sender({ ...parts, endpoint, tokenSource: apiKeys(parts.redactor) });
}

function onceEach(warn: (text: string) => void): (text: string) => void {
  const said = new Set<string>();
  return (text) => {
    if (said.has(text)) return;
    said.add(text);
    warn(text);
  };
}
