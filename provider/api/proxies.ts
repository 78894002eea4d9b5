/** The proxies that requests go through, as the environment names them for every tool: HTTPS_PROXY, HTTP_PROXY, NO_PROXY. */

type Environment = Readonly<Record<string, string | undefined>>;

/** The host of an address that is on this machine. */
export const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** A proxy, and the hosts that are reached without it. */
export interface ProxyServer {
  /** The variable that names it. */
  readonly variable: string;
  /** With user name and password, where it has them. */
  readonly url: URL;
  /** The value of NO_PROXY. */
  readonly except: string;
}

/**
 * The proxy of an address; undefined where it is reached directly, as everything on this machine is.
 * @returns `problem` where the variable names no proxy that can be used
 */
export function proxyOf(
  address: URL,
  environment: Environment,
): ProxyServer | { readonly problem: string } | undefined {
  if (LOOPBACK.test(address.hostname)) return undefined;
  const names = address.protocol === "https:" ? ["https_proxy", "http_proxy"] : ["http_proxy"];
  // In small letters first, as curl and others read them.
  const variable = names.flatMap((name) => [name, name.toUpperCase()]).find((name) => environment[name]);
  if (variable === undefined) return undefined;
  const text = environment[variable] ?? "";
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    return { problem: `${variable} is not the http:// or https:// address of a proxy` };
  }
  return { variable, url, except: environment.no_proxy ?? environment.NO_PROXY ?? "" };
}

/** The variables of an environment that say which proxy to use. */
export function proxyVariables(environment: Environment): Environment {
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => /^(https?|no)_proxy$/i.test(name)),
  );
}

/** The secret of a proxy's address, as it is sent; undefined where it has none. */
export function secretOf({ url: { password } }: ProxyServer): string | undefined {
  return password === "" ? undefined : decodeURIComponent(password);
}
