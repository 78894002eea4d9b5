/** The settings of a process, from the configuration keys (setting-values.ts) and the run's variables (run-settings.ts). */

import type { Area } from "../api/calls/call.ts";
import { type Capabilities, type PlatformName, platformNames, platforms } from "../api/calls/platform.ts";
import { LOOPBACK, proxyOf, proxyVariables } from "../api/client/proxies.ts";
import { emailSchema } from "../api/schemas/schemas.ts";
import type { AdminCredentials, ClientCredentials } from "../resources/contexts.ts";
import { type RunSettings, readRunSettings } from "./run-settings.ts";
import {
  type Environment,
  environmentName,
  type Key,
  type Precedence,
  parseValues,
  rawValues,
  type Values,
} from "./setting-values.ts";

/** The keys that settings have in another form. */
type Converted =
  | ("username" | "password" | "adminToken" | "clientId" | "clientSecret")
  | ("requireSealedTokens" | "timeout" | "operationTimeout" | "concurrency");

/** Configuration, read and checked. */
export interface Settings extends RunSettings, Omit<Values, Converted> {
  readonly admin: AdminCredentials | undefined;
  readonly account: ClientCredentials | undefined;
  /** Whether each token needs a recipient. */
  readonly requireSealedTokens: boolean;
  /** HTTPS_PROXY, HTTP_PROXY, and NO_PROXY. */
  readonly proxies: Environment;
  readonly timeoutMs: number;
  readonly operationTimeoutMs: number;
  readonly concurrency: number;
  /** Invalid values, one sentence each. */
  readonly issues: readonly string[];
}

const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_OPERATION_TIMEOUT_MS = 60_000;
const DEFAULT_CONCURRENCY = 16;

/** Reads all keys. @param config a value of the stack's configuration by its full key, `orgseat:orgUrl` */
export function readSettings(
  config: (key: string) => string | undefined,
  environment: Environment,
  precedence: Precedence = {},
): Settings {
  const issues: string[] = [];
  const raw = rawValues(config, environment, precedence);
  issues.push(...raw.issues);
  const all = parseValues(raw.values, issues);
  const { username, password, adminToken, clientId, clientSecret, timeout, operationTimeout, ...values } =
    all;
  const addresses = [values.orgUrl, values.modelUrl].filter((address) => address !== undefined);
  const platform = values.platform ?? platformOf(addresses, issues);
  issues.push(...proxyIssues([...addresses, values.tokenUrl], environment));
  return {
    ...values,
    platform,
    admin: adminIn(all),
    account: clientId === undefined || clientSecret === undefined ? undefined : { clientId, clientSecret },
    requireSealedTokens: values.requireSealedTokens ?? false,
    ...readRunSettings(environment, issues),
    proxies: proxyVariables(environment),
    timeoutMs: timeout ?? DEFAULT_TIMEOUT_MS,
    operationTimeoutMs: operationTimeout ?? DEFAULT_OPERATION_TIMEOUT_MS,
    concurrency: values.concurrency ?? DEFAULT_CONCURRENCY,
    issues,
  };
}

/** Undefined without a complete one, and with two: `issues` says so. */
function adminIn({ username, password, adminToken }: Values): AdminCredentials | undefined {
  if (adminToken !== undefined) return password === undefined ? { adminToken } : undefined;
  return username === undefined || password === undefined ? undefined : { username, password };
}

/** The platform if none is configured: only a service on this machine has a default. */
function platformOf(addresses: readonly string[], issues: string[]): PlatformName | undefined {
  if (addresses.length === 0) return undefined;
  if (addresses.every(isLoopback)) return "basic";
  issues.push(
    `orgseat:platform is required for a service that is not on this machine. Set it, or ORGSEAT_PLATFORM in the environment, to ${platformNames.join(" or ")}`,
  );
  return undefined;
}

/** The email of the administrator in the configuration; undefined without one, for a username of another form, and for a token. */
export function administratorIn({ admin }: Pick<Settings, "admin">): string | undefined {
  return emailSchema.safeParse(admin?.username).data;
}

/** What the calls of the configured platform make possible. */
export function capabilitiesOf({ platform = "basic" }: Pick<Settings, "platform">): Capabilities {
  return platforms[platform];
}

/** The issues of the proxies for these addresses. */
function proxyIssues(addresses: readonly (string | undefined)[], environment: Environment): Set<string> {
  const proxies = addresses.flatMap((address) => {
    const url = address === undefined ? null : URL.parse(address);
    return url === null ? [] : [proxyOf(url, environment)];
  });
  return new Set(proxies.flatMap((proxy) => (proxy && "error" in proxy ? [proxy.error] : [])));
}

/** The keys that every call of an area needs. */
export const NEEDED = {
  organization: ["organizationId", "orgUrl", "tokenUrl"],
  model: ["modelUrl"],
} as const satisfies Record<Area, readonly Key[]>;

/** The missing keys of an area with their variables; empty if none is missing. */
export function missingKeys(settings: Settings, area: Area): string[] {
  const missing = NEEDED[area].filter((key) => settings[key] === undefined);
  return missing.map((key) => `orgseat:${key} (or ${environmentName(key)})`);
}

function isLoopback(address: string): boolean {
  return LOOPBACK.test(URL.parse(address)?.hostname ?? "");
}
