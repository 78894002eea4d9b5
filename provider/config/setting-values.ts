/**
 * The configuration keys of the namespace `orgseat`: their values and sources. For the addresses and credentials of an
 * area (setting-groups.ts) the environment wins over the stack's configuration, because plain destroy and refresh get the
 * configuration from the state, which may be outdated.
 */

import { z } from "zod";
import type { Area } from "../api/calls/call.ts";
import { platformNames } from "../api/calls/platform.ts";
import { LOOPBACK } from "../api/client/proxies.ts";
import { apiKeySchema } from "../api/schemas/model-schemas.ts";
import { bearerSchema, instantSchema, organizationIdSchema } from "../api/schemas/schemas.ts";
import { durationSchema, parseDuration } from "../util/duration.ts";
import {
  areaOfKey,
  areas,
  credentialsOf,
  environmentName,
  groupOf,
  keysOf,
  lacking,
  sourceOf,
} from "./setting-groups.ts";

export { type PlatformName, platformNames } from "../api/calls/platform.ts";
export { environmentName } from "./setting-groups.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

export const addressSchema = z.string().refine((text) => {
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

const requireSealedTokensSchema = z.literal("true", "not true or false").transform(() => true);

/** The schemas of the keys. */
const keys = {
  organizationId: organizationIdSchema,
  orgUrl: addressSchema,
  tokenUrl: addressSchema,
  modelUrl: addressSchema,
  platform: z.enum(platformNames, `not one of ${platformNames.join(", ")}`),
  username: z.string().min(1),
  password: z.string().min(1),
  adminToken: bearerSchema,
  clientId: z.string().min(1),
  clientSecret: z.string().min(1),
  apiKey: apiKeySchema,
  subscriptionExpiresAt: instantSchema,
  product: z.string().min(1),
  seats: countSchema,
  requireSealedTokens: requireSealedTokensSchema,
  maxRemovals: countSchema,
  timeout: spanSchema,
  operationTimeout: spanSchema,
  concurrency: positiveInteger,
} as const satisfies Record<string, z.ZodType>;

export type Key = keyof typeof keys;
export type Values = { readonly [key in Key]?: z.output<(typeof keys)[key]> | undefined };

/** The keys whose values are secrets. */
export const secretKeys = [
  "password",
  "adminToken",
  "clientSecret",
  "apiKey",
] as const satisfies readonly Key[];
export const settingKeys = Object.keys(keys) as readonly Key[];

interface Raw {
  readonly value: string;
  /** Its configuration key or variable, for messages. */
  readonly name: string;
}

/** Which of two sources is preferred. */
export interface Precedence {
  /** Whether the configuration consists of the arguments of an explicit Provider, which a program has. */
  readonly isProvider?: boolean;
}

interface RawValues {
  readonly values: ReadonlyMap<Key, Raw>;
  /** One sentence for each area whose group has two sources: none of its values counts. */
  readonly issues: readonly string[];
}

/** The effective raw values with their sources. @param config a value of the stack's configuration by its full key */
export function rawValues(
  config: (key: string) => string | undefined,
  environment: Environment,
  { isProvider = false }: Precedence = {},
): RawValues {
  const configured = new Map<Key, Raw>();
  const ofEnvironment = new Map<Key, Raw>();
  for (const key of settingKeys) {
    const value = config(`orgseat:${key}`);
    if (isGiven(key, value)) configured.set(key, { value, name: `orgseat:${key}` });
    const name = environmentName(key);
    const variable = environment[name];
    if (isGiven(key, variable)) ofEnvironment.set(key, { value: variable, name });
  }
  const [preferred, other] = isProvider ? [configured, ofEnvironment] : [ofEnvironment, configured];
  const choose = (area: Area) => sourceOf(groupOf(area), preferred, other);
  const chosen = (key: Key): Raw | undefined => {
    const area = areaOfKey(key);
    if (area === undefined) return configured.get(key) ?? ofEnvironment.get(key);
    return { preferred, other, mixed: undefined }[choose(area)]?.get(key);
  };
  const values = new Map<Key, Raw>();
  for (const key of settingKeys) {
    const value = chosen(key);
    if (value !== undefined) values.set(key, value);
  }
  const mixed = areas.filter((area) => choose(area) === "mixed");
  return { values, issues: mixed.map((area) => describeMixed(area, preferred, other, isProvider)) };
}

/** `requireSealedTokens: false` requires nothing, so it must not undo what the other source requires. */
function isGiven(key: Key, value: string | undefined): value is string {
  return value !== undefined && value !== "" && !(key === "requireSealedTokens" && value === "false");
}

type Source = ReadonlyMap<string, Raw>;

/** Says what the preferred source lacks. Values can be secrets, so it names only keys. */
function describeMixed(area: Area, preferred: Source, other: Source, isProvider: boolean): string {
  const listed = (source: Source) =>
    keysOf(area)
      .flatMap((key) => source.get(key)?.name ?? [])
      .join(", ");
  const [place, otherPlace] = isProvider
    ? ["the arguments of the Provider", "the environment"]
    : ["the environment", "the configuration"];
  const missing = lacking(groupOf(area), preferred)
    .map((key) => (isProvider ? `orgseat:${key}` : environmentName(key)))
    .join(", ");
  return `the addresses and credentials of the ${area} area come from two sources, so orgseat uses neither: ${listed(preferred)} from ${place}, ${listed(other)} from ${otherPlace}. Complete ${place} with ${missing}, or remove ${listed(preferred)} from it`;
}

/** Parses the values; adds a message to `issues` for each invalid one. */
export function parseValues(raw: ReadonlyMap<Key, Raw>, issues: string[]): Values {
  const values: Record<string, unknown> = {};
  for (const [key, { value, name }] of raw) {
    const parsed = keys[key].safeParse(value);
    if (parsed.success) values[key] = parsed.data;
    else issues.push(`${name} is ${parsed.error.issues[0]?.message ?? "invalid"}`);
  }
  for (const pair of areas.flatMap(credentialsOf)) issues.push(...incompletePair(pair, raw));
  const both = (["adminToken", "password"] as const).flatMap((key) => raw.get(key)?.name ?? []);
  if (both.length > 1)
    issues.push(`${both.join(" and ")} are both set, but orgseat acts as one administrator. Remove one`);
  return values as Values;
}

function incompletePair(pair: readonly string[], raw: Source): string[] {
  const has = pair.find((key) => raw.has(key));
  const name = has === undefined ? undefined : raw.get(has)?.name;
  if (name === undefined) return [];
  return pair
    .filter((key) => !raw.has(key))
    .map(
      (key) => `${name} is set without ${key} (orgseat:${key} or ${environmentName(key)}, in the same place)`,
    );
}
