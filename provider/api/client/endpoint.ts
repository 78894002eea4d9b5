/** Configured addresses of the service, each with its proxy. */
import { Origin, type OriginSettings } from "./origin.ts";
import { proxyOf, secretOf } from "./proxies.ts";
import type { Redactor } from "./redact.ts";

/** An address for requests. */
export interface Endpoint {
  /** The configuration key of the address, such as `orgseat:orgUrl`. */
  readonly key: string;
  readonly origin: Origin;
  /** The path before that of a call, without a slash at its end; for the token endpoint the configured path and query. */
  readonly path: string;
  /** The address for messages, without the query. */
  readonly shown: string;
}

export interface EndpointSettings extends Omit<OriginSettings, "proxy"> {
  readonly redactor: Redactor;
  /** The source of HTTPS_PROXY, HTTP_PROXY, and NO_PROXY. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** The token endpoint, whose path and query are used as configured. */
export const TOKEN_URL = "orgseat:tokenUrl";

/**
 * Prepares an address; the first request opens the connection.
 * @param origins the known origins: addresses of the same origin share connections
 * @throws TypeError if it or its proxy is not an http(s) address, or it contains a username or password
 */
export function openEndpoint(
  key: string,
  address: string,
  { redactor, environment, ...settings }: EndpointSettings,
  origins = new Map<string, Origin>(),
): Endpoint {
  const url = readAddress(key, address);
  const proxy = proxyOf(url, environment);
  if (proxy && "error" in proxy) throw new TypeError(proxy.error);
  redactor.add(proxy && secretOf(proxy));
  const origin = origins.get(url.origin) ?? new Origin(url.origin, { ...settings, proxy });
  origins.set(url.origin, origin);
  const path = key === TOKEN_URL ? url.pathname + url.search : url.pathname.replace(/\/+$/, "");
  return { key, origin, path, shown: shownAddress(address) };
}

/** The address for messages: without username, password and query. */
export function shownAddress(address: string): string {
  const { origin, pathname } = new URL(address);
  return origin + pathname;
}

function readAddress(key: string, address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) throw new TypeError(`${key} is not an http or https address`);
  if (url.username || url.password) throw new TypeError(`${key} must not contain a username or password`);
  return url;
}
