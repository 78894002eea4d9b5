/** An address that requests go to: read from configuration, with the proxy in front of it. */
import { Origin, type OriginSettings } from "./origin.ts";
import { type ProxyServer, proxyOf, secretOf } from "./proxies.ts";
import type { Redactor } from "./redact.ts";

/** Where requests go. */
export interface Endpoint {
  /** The configuration key of the address, such as `orgseat:orgUrl`. */
  readonly key: string;
  readonly origin: Origin;
  /** The path before the call's own, without a slash at its end; of the token endpoint path and query as configured. */
  readonly path: string;
  /** The address without a query, for messages. */
  readonly shown: string;
}

export interface EndpointSettings extends Omit<OriginSettings, "proxy"> {
  readonly redactor: Redactor;
  /** Holds HTTPS_PROXY, HTTP_PROXY and NO_PROXY. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * Opens an address; connects with the first request.
 * @param origins the origins that are open already: addresses of one origin share its connections
 * @throws TypeError where it or its proxy is not an http(s) address, or it holds a user name or password
 */
export function openEndpoint(
  key: string,
  address: string,
  { redactor, environment, ...settings }: EndpointSettings,
  origins = new Map<string, Origin>(),
): Endpoint {
  const url = readAddress(key, address);
  const proxy = readProxy(url, environment);
  redactor.add(proxy && secretOf(proxy));
  const origin = origins.get(url.origin) ?? new Origin(url.origin, { ...settings, proxy });
  origins.set(url.origin, origin);
  return { key, origin, path: url.pathname.replace(/\/+$/, ""), shown: shownAddress(address) };
}

/** The same for the token endpoint, whose address is used as it is. */
export function openTokenEndpoint(
  key: string,
  address: string,
  settings: EndpointSettings,
  origins?: Map<string, Origin>,
): Endpoint {
  const endpoint = openEndpoint(key, address, settings, origins);
  const { pathname, search } = new URL(address);
  return { ...endpoint, path: pathname + search };
}

/** An address for messages: without user name, password and query. */
export function shownAddress(address: string): string {
  const { origin, pathname } = new URL(address);
  return origin + pathname;
}

function readAddress(key: string, address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) throw new TypeError(`${key} is not an http or https address`);
  if (url.username || url.password) throw new TypeError(`${key} must not contain a user name or password`);
  return url;
}

function readProxy(address: URL, environment: EndpointSettings["environment"]): ProxyServer | undefined {
  const proxy = proxyOf(address, environment);
  if (proxy && "problem" in proxy) throw new TypeError(proxy.problem);
  return proxy;
}
