/** Proxies from the standard environment variables HTTPS_PROXY, HTTP_PROXY, and NO_PROXY. */

import { BlockList, isIP } from "node:net";

type Environment = Readonly<Record<string, string | undefined>>;

/** Hosts on this machine. */
export const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** A proxy, and the hosts that do not use it. */
export interface ProxyServer {
  /** The variable that it comes from. */
  readonly variable: string;
  /** With username and password, if any. */
  readonly url: URL;
  /** The value of NO_PROXY. */
  readonly except: string;
}

/**
 * The proxy of an address; undefined without one, and for addresses on this machine.
 * @returns `error` where the variable is invalid
 */
export function proxyOf(
  address: URL,
  environment: Environment,
): ProxyServer | { readonly error: string } | undefined {
  const except = environment.no_proxy ?? environment.NO_PROXY ?? "";
  if (LOOPBACK.test(address.hostname) || isInRange(address.hostname, except)) return undefined;
  const names = address.protocol === "https:" ? ["https_proxy", "http_proxy"] : ["http_proxy"];
  // Like curl, reads the lower-case variable first.
  const variable = names.flatMap((name) => [name, name.toUpperCase()]).find((name) => environment[name]);
  if (variable === undefined) return undefined;
  const text = environment[variable] ?? "";
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    return {
      error: `${variable} is not the http:// or https:// address of a proxy, such as http://proxy.example:3128`,
    };
  }
  // A lone % stands for itself, as in curl.
  url.username = url.username.replace(LONE_PERCENT, "%25");
  url.password = url.password.replace(LONE_PERCENT, "%25");
  if (decoded(url.username) === undefined || decoded(url.password) === undefined)
    return {
      error: `${variable} contains a username or password with percent-escapes that are not valid UTF-8`,
    };
  return { variable, url, except };
}

/** Whether the host is an address in a range of NO_PROXY, such as `10.0.0.0/8`. undici knows names and single addresses. */
function isInRange(host: string, except: string): boolean {
  const address = host.replace(/^\[|\]$/g, "");
  if (isIP(address) === 0) return false;
  const ranges = new BlockList();
  for (const entry of except.split(/[\s,]+/)) {
    const [, first = "", bits] = /^\[?([^\]]+)\]?\/(\d{1,3})$/.exec(entry) ?? [];
    const most = { 4: 32, 6: 128 }[isIP(first)] ?? -1;
    if (Number(bits) <= most) ranges.addSubnet(first, Number(bits), familyOf(first));
  }
  return ranges.check(address, familyOf(address));
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 4 ? "ipv4" : "ipv6";
}

/** The proxy variables of an environment. */
export function proxyVariables(environment: Environment): Environment {
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => /^(https?|no)_proxy$/i.test(name)),
  );
}

/** The decoded password in a proxy's address; undefined without one. */
export function secretOf({ url: { password } }: ProxyServer): string | undefined {
  return decoded(password) || undefined;
}

const LONE_PERCENT = /%(?![0-9A-Fa-f]{2})/g;

/** Undefined if its escapes are not UTF-8. */
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
