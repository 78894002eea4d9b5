/**
 * The configuration keys of the namespace `orgseat`: their values and sources. For credentials and addresses the
 * environment wins over the stack's configuration, because plain destroy and refresh get the configuration from the
 * state, which may be outdated.
 */
import { z } from "zod";
import { dialectNames } from "./api/dialect.ts";
import { apiKeySchema } from "./api/model-schemas.ts";
import { LOOPBACK } from "./api/proxies.ts";
import { idSchema, instantSchema } from "./api/schemas.ts";
import { durationSchema, parseDuration } from "./util/duration.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

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

const sealTokensSchema = z.literal("required", 'not "required"').transform(() => true);

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
  product: { schema: z.string().min(1), environmentWins: false },
  seats: { schema: countSchema, environmentWins: false },
  sealTokens: { schema: sealTokensSchema, environmentWins: false },
  maxRemovals: { schema: countSchema, environmentWins: false },
  timeout: { schema: spanSchema, environmentWins: false },
  operationTimeout: { schema: spanSchema, environmentWins: false },
  concurrency: { schema: positiveInteger, environmentWins: false },
} as const satisfies Record<string, { schema: z.ZodType; environmentWins: boolean }>;

export type Key = keyof typeof keys;
type Values = { readonly [key in Key]?: z.output<(typeof keys)[key]["schema"]> };

/** The keys whose values are secrets. */
export const secretKeys = ["password", "clientSecret", "apiKey"] as const satisfies readonly Key[];
export const settingKeys = Object.keys(keys) as readonly Key[];
const PAIRS: readonly (readonly [Key, Key])[] = [
  ["username", "password"],
  ["clientId", "clientSecret"],
];

/** The environment variable of a key: `ORGSEAT_ORG_URL` of `orgUrl`. */
export function environmentName(key: string): string {
  return `ORGSEAT_${key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

interface Raw {
  readonly value: string;
  /** Its configuration key or variable, for messages. */
  readonly name: string;
}

/** Which of two values counts. */
export interface Precedence {
  /** Whether the configuration wins for every key: an explicit Provider has it from a program. */
  readonly configWins?: boolean;
}

/** The effective raw values with their sources. @param config a value of the stack's configuration by its full key */
export function rawValues(
  config: (key: string) => string | undefined,
  environment: Environment,
  { configWins = false }: Precedence = {},
): Map<Key, Raw> {
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
  const [winner, loser] = configWins ? [configured, fromEnvironment] : [fromEnvironment, configured];
  for (const pair of PAIRS) {
    if (pair.some((key) => winner.has(key))) for (const key of pair) loser.delete(key);
  }
  const raw = new Map<Key, Raw>();
  for (const key of settingKeys) {
    const [first, second] =
      keys[key].environmentWins && !configWins
        ? [fromEnvironment, configured]
        : [configured, fromEnvironment];
    const value = first.get(key) ?? second.get(key);
    if (value !== undefined) raw.set(key, value);
  }
  return raw;
}

/** Parses the values; adds a message to `issues` for each invalid one. */
export function parseValues(raw: Map<Key, Raw>, issues: string[]): Values {
  const values: Record<string, unknown> = {};
  for (const [key, { value, name }] of raw) {
    const parsed = keys[key].schema.safeParse(value);
    if (parsed.success) values[key] = parsed.data;
    else issues.push(`${name} is ${parsed.error.issues[0]?.message ?? "invalid"}`);
  }
  for (const [first, second] of PAIRS) {
    for (const [has, lacks] of [
      [first, second],
      [second, first],
    ] as const) {
      if (!raw.has(has) || raw.has(lacks)) continue;
      issues.push(
        `${raw.get(has)?.name} is set without ${lacks} (orgseat:${lacks} or ${environmentName(lacks)}, in the same place)`,
      );
    }
  }
  return values as Values;
}
