/**
 * Configuration: the keys of the namespace `orgseat`, their values and sources. For credentials and addresses the
 * environment wins over the stack's configuration, because plain destroy and refresh get the configuration from the
 * state, which may be outdated.
 */
import { join, resolve } from "node:path";
import { z } from "zod";
import type { Area } from "./api/call.ts";
import { type DialectName, dialectNames } from "./api/dialect.ts";
import { apiKeySchema } from "./api/model-schemas.ts";
import { LOOPBACK, proxyOf, proxyVariables } from "./api/proxies.ts";
import { idSchema, instantSchema } from "./api/schemas.ts";
import type { ClientCredentials, PasswordCredentials } from "./resources/resource.ts";
import { durationSchema, parseDuration } from "./util/duration.ts";

const addressSchema = z.string().refine((text) => {
  const url = URL.parse(text);
  return (
    url !== null && (url.protocol === "https:" || (url.protocol === "http:" && LOOPBACK.test(url.hostname)))
  );
}, "not an https:// address (http:// is for the loopback address only)");
const positiveInteger = z
  .string()
  .regex(/^[1-9]\d{0,5}$/, "not a whole number of at least 1")
  .transform(Number);
const countSchema = z
  .string()
  .regex(/^\d{1,6}$/, "not a whole number")
  .transform(Number);
const spanSchema = durationSchema.transform((text) => parseDuration(text) ?? 0);

/** The keys: their schema, and whether the environment wins. */
const keys = {
  organizationId: { schema: idSchema, environmentWins: false },
  orgUrl: { schema: addressSchema, environmentWins: true },
  tokenUrl: { schema: addressSchema, environmentWins: true },
  modelUrl: { schema: addressSchema, environmentWins: true },
  dialect: { schema: z.enum(dialectNames, `not one of ${dialectNames.join(", ")}`), environmentWins: false },
  username: { schema: z.string().min(1), environmentWins: true },
  password: { schema: z.string().min(1), environmentWins: true },
  clientId: { schema: z.string().min(1), environmentWins: true },
  clientSecret: { schema: z.string().min(1), environmentWins: true },
  apiKey: { schema: apiKeySchema, environmentWins: true },
  subscriptionExpiresAt: { schema: instantSchema, environmentWins: false },
  seats: { schema: countSchema, environmentWins: false },
  maxRemovals: { schema: countSchema, environmentWins: false },
  timeout: { schema: spanSchema, environmentWins: false },
  operationTimeout: { schema: spanSchema, environmentWins: false },
  concurrency: { schema: positiveInteger, environmentWins: false },
} as const satisfies Record<string, { schema: z.ZodType; environmentWins: boolean }>;

type Key = keyof typeof keys;
type Values = { readonly [key in Key]?: z.output<(typeof keys)[key]["schema"]> };

export const settingKeys = Object.keys(keys) as readonly Key[];
const PAIRS: readonly (readonly [Key, Key])[] = [
  ["username", "password"],
  ["clientId", "clientSecret"],
];

/** Configuration, read and checked. */
export interface Settings {
  readonly organizationId: string | undefined;
  readonly orgUrl: string | undefined;
  readonly tokenUrl: string | undefined;
  readonly modelUrl: string | undefined;
  readonly dialect: DialectName | undefined;
  readonly admin: PasswordCredentials | undefined;
  readonly account: ClientCredentials | undefined;
  /** The key of the model area. */
  readonly apiKey: string | undefined;
  readonly subscriptionExpiresAt: string | undefined;
  /** Bought seats. */
  readonly seats: number | undefined;
  /** How many people may lose access in one run. */
  readonly maxRemovals: number;
  /** The override of `maxRemovals` for one organization, `ORGSEAT_ALLOW_REMOVALS`. */
  readonly allowedRemovals: { readonly organizationId: string; readonly people: number } | undefined;
  /** The approved changes of this run, a file (`ORGSEAT_APPROVED_CHANGES`); undefined: `maxRemovals` applies. */
  readonly approvedChangesFile: string | undefined;
  /** The audit log (`ORGSEAT_AUDIT`), and what every line contains: run, commit, Pulumi's stack. */
  readonly audit: AuditSettings | undefined;
  /** The file of the run report, for the command `orgseat` (`ORGSEAT_RUN_REPORT`). */
  readonly reportFile: string | undefined;
  /** The folder of creation records (`ORGSEAT_CREATIONS`), and what every record contains. */
  readonly creations: {
    readonly folder: string;
    readonly run: string | undefined;
    readonly stack: string | undefined;
  };
  /** Whether this run only adopts existing resources and writes nothing (`ORGSEAT_ADOPT_ONLY`). */
  readonly adoptOnly: boolean;
  /** HTTPS_PROXY, HTTP_PROXY and NO_PROXY. */
  readonly proxies: Environment;
  readonly timeoutMs: number;
  readonly operationTimeoutMs: number;
  readonly concurrency: number;
  /** Invalid values, one sentence each. */
  readonly issues: readonly string[];
}

interface AuditSettings {
  readonly file: string;
  readonly run?: string | undefined;
  readonly commit?: string | undefined;
  readonly stack?: string | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** In the folder of the program, which is the working directory of its provider process. */
const CREATIONS = join(".orgseat", "creations");
const DEFAULT_MAX_REMOVALS = 25;
const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_OPERATION_TIMEOUT_MS = 60_000;
const DEFAULT_CONCURRENCY = 16;

/** The environment variable of a key: `ORGSEAT_ORG_URL` of `orgUrl`. */
export function environmentName(key: string): string {
  return `ORGSEAT_${key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

/** Reads all keys. @param config a value of the stack's configuration by its full key, `orgseat:orgUrl` */
export function readSettings(
  config: (key: string) => string | undefined,
  environment: Environment,
): Settings {
  const problems: string[] = [];
  const values = parseValues(rawValues(config, environment), problems);
  const addresses = [values.orgUrl, values.modelUrl].filter((address) => address !== undefined);
  const local = addresses.length > 0 && addresses.every(isLoopback);
  if (addresses.length > 0 && !local && values.dialect === undefined) {
    problems.push(
      `orgseat:dialect is required for a service that is not on this machine. Run: pulumi config set orgseat:dialect ${dialectNames.join("|")}`,
    );
  }
  problems.push(...proxyProblems([...addresses, values.tokenUrl], environment));
  return {
    organizationId: values.organizationId,
    orgUrl: values.orgUrl,
    tokenUrl: values.tokenUrl,
    modelUrl: values.modelUrl,
    dialect: values.dialect ?? (local ? "documented" : undefined),
    admin: pairOf(values.username, values.password, (username, password) => ({ username, password })),
    account: pairOf(values.clientId, values.clientSecret, (clientId, clientSecret) => ({
      clientId,
      clientSecret,
    })),
    apiKey: values.apiKey,
    subscriptionExpiresAt: values.subscriptionExpiresAt,
    seats: values.seats,
    maxRemovals: values.maxRemovals ?? DEFAULT_MAX_REMOVALS,
    allowedRemovals: parseOverride(environment.ORGSEAT_ALLOW_REMOVALS, problems),
    approvedChangesFile: environment.ORGSEAT_APPROVED_CHANGES || undefined,
    audit: readAudit(environment),
    creations: {
      folder: resolve(environment.ORGSEAT_CREATIONS || CREATIONS),
      run: environment.ORGSEAT_RUN || undefined,
      stack: environment.PULUMI_STACK || undefined,
    },
    reportFile: environment.ORGSEAT_RUN_REPORT || undefined,
    adoptOnly: readSwitch("ORGSEAT_ADOPT_ONLY", environment, problems),
    proxies: proxyVariables(environment),
    timeoutMs: values.timeout ?? DEFAULT_TIMEOUT_MS,
    operationTimeoutMs: values.operationTimeout ?? DEFAULT_OPERATION_TIMEOUT_MS,
    concurrency: values.concurrency ?? DEFAULT_CONCURRENCY,
    issues: problems,
  };
}

/** The issues of the proxies for these addresses. */
function proxyProblems(addresses: readonly (string | undefined)[], environment: Environment): Set<string> {
  const proxies = addresses.flatMap((address) => {
    const url = address === undefined ? null : URL.parse(address);
    return url === null ? [] : [proxyOf(url, environment)];
  });
  return new Set(proxies.flatMap((proxy) => (proxy && "error" in proxy ? [proxy.error] : [])));
}

/**
 * The effective values of a configuration as variables for another process.
 * @param isWanted selects full keys
 */
export function variablesOf(
  config: (key: string) => string | undefined,
  environment: Environment,
  isWanted: (key: string) => boolean,
): Record<string, string> {
  const found = [...rawValues(config, environment)].filter(
    ([key, { name }]) => name === `orgseat:${key}` && isWanted(name),
  );
  return Object.fromEntries(found.map(([key, { value }]) => [environmentName(key), value]));
}

/** The keys that every call of an area needs. */
const NEEDED = {
  organization: ["organizationId", "orgUrl", "tokenUrl"],
  model: ["modelUrl"],
} as const satisfies Record<Area, readonly Key[]>;

/** The missing keys of an area with their variables; empty where none is missing. */
export function missingKeys(settings: Settings, area: Area): string[] {
  const missing = NEEDED[area].filter((key) => settings[key] === undefined);
  return missing.map((key) => `orgseat:${key} (or ${environmentName(key)})`);
}

interface Raw {
  readonly value: string;
  /** Its configuration key or variable, for messages. */
  readonly name: string;
}

function rawValues(config: (key: string) => string | undefined, environment: Environment): Map<Key, Raw> {
  const configured = new Map<Key, Raw>();
  const fromEnvironment = new Map<Key, Raw>();
  for (const key of settingKeys) {
    const value = config(`orgseat:${key}`);
    if (value !== undefined && value !== "") configured.set(key, { value, name: `orgseat:${key}` });
    const variable = environmentName(key);
    const override = environment[variable];
    if (override !== undefined && override !== "")
      fromEnvironment.set(key, { value: override, name: variable });
  }
  // Never combine a user name of one source with a password of the other.
  for (const pair of PAIRS) {
    if (pair.some((key) => fromEnvironment.has(key))) for (const key of pair) configured.delete(key);
  }
  const raw = new Map<Key, Raw>();
  for (const key of settingKeys) {
    const [first, second] = keys[key].environmentWins
      ? [fromEnvironment, configured]
      : [configured, fromEnvironment];
    const value = first.get(key) ?? second.get(key);
    if (value !== undefined) raw.set(key, value);
  }
  return raw;
}

function parseValues(raw: Map<Key, Raw>, problems: string[]): Values {
  const values: Record<string, unknown> = {};
  for (const [key, { value, name }] of raw) {
    const parsed = keys[key].schema.safeParse(value);
    if (parsed.success) values[key] = parsed.data;
    else problems.push(`${name} is ${parsed.error.issues[0]?.message ?? "invalid"}`);
  }
  for (const [first, second] of PAIRS) {
    for (const [has, lacks] of [
      [first, second],
      [second, first],
    ] as const) {
      if (!raw.has(has) || raw.has(lacks)) continue;
      problems.push(
        `${raw.get(has)?.name} is set without ${lacks} (orgseat:${lacks} or ${environmentName(lacks)}, in the same place)`,
      );
    }
  }
  return values as Values;
}

function pairOf<T>(
  first: string | undefined,
  second: string | undefined,
  make: (first: string, second: string) => T,
): T | undefined {
  return first === undefined || second === undefined ? undefined : make(first, second);
}

function isLoopback(address: string): boolean {
  return LOOPBACK.test(URL.parse(address)?.hostname ?? "");
}

function readAudit(environment: Environment): AuditSettings | undefined {
  const { ORGSEAT_AUDIT, ORGSEAT_RUN, ORGSEAT_COMMIT, PULUMI_STACK } = environment;
  if (!ORGSEAT_AUDIT) return undefined;
  return {
    file: ORGSEAT_AUDIT,
    run: ORGSEAT_RUN || undefined,
    commit: ORGSEAT_COMMIT || undefined,
    stack: PULUMI_STACK || undefined,
  };
}

function readSwitch(name: string, environment: Environment, problems: string[]): boolean {
  const text = environment[name] ?? "";
  if (text !== "" && text !== "1") problems.push(`${name} is not 1`);
  return text === "1";
}

function parseOverride(text: string | undefined, problems: string[]): Settings["allowedRemovals"] {
  if (text === undefined || text === "") return undefined;
  const match = /^([^:]+):(\d{1,6})$/.exec(text);
  if (match?.[1] === undefined) {
    problems.push("ORGSEAT_ALLOW_REMOVALS is not <organization id>:<number of people>");
    return undefined;
  }
  return { organizationId: match[1], people: Number(match[2]) };
}
