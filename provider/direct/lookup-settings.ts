/** Where a lookup has its settings from: from its options as a whole if they have an address, otherwise from the configuration. */
import { z } from "zod";
import type { Area } from "../api/calls/call.ts";
import { organizationIdSchema } from "../api/schemas/schemas.ts";
import { inlineMixture, inlineRemedy } from "../config/inline-program.ts";
import { keysOf } from "../config/setting-groups.ts";
import {
  addressSchema,
  environmentName,
  type Key,
  platformNames,
  settingKeys,
} from "../config/setting-values.ts";
import { NEEDED, readSettings, type Settings } from "../config/settings.ts";
import { configurationErrorOf } from "../service/connection.ts";
import { CodedError } from "../util/error-codes.ts";

/** A lookup as messages name it, the configuration, read at its first use, and where its warnings go. */
export interface Lookup {
  readonly name: string;
  /** @param needed the keys whose values the lookup needs @throws Error if they can be those of another organization */
  readonly settings: (needed: readonly Key[]) => Settings;
  readonly warn: (text: string) => Promise<void> | void;
  readonly isInline?: boolean;
}

/**
 * @param config a value of the stack's configuration by its full key
 * @param stacks those that have looked up something in this process, if the lookup is in an inline program
 */
export function settingsOf(
  config: (key: string) => string | undefined,
  needed: readonly Key[],
  stacks: readonly string[] | undefined,
): Settings {
  const mixture = stacks && inlineMixture(config, process.env, needed, stacks);
  if (mixture !== undefined) throw new CodedError("invalid-configuration", mixture);
  return readSettings(config, process.env);
}

const platformSchema = z.enum(platformNames, `not one of ${platformNames.join(", ")}`);
/** The options of each lookup of an area that are settings, besides its credentials. */
export const settingOptions = {
  organization: {
    organizationId: organizationIdSchema.optional(),
    orgUrl: addressSchema.optional(),
    tokenUrl: addressSchema.optional(),
    platform: platformSchema.optional(),
  },
  model: { modelUrl: addressSchema.optional(), platform: platformSchema.optional() },
} as const satisfies Record<Area, object>;

/** The options that settings come from. */
export interface SettingOptions {
  readonly organizationId?: string | undefined;
  readonly orgUrl?: string | undefined;
  readonly tokenUrl?: string | undefined;
  readonly modelUrl?: string | undefined;
  readonly platform?: string | undefined;
  readonly product?: string | undefined;
  readonly credentials?: object | undefined;
}

/**
 * The settings of a lookup.
 * @param names of its options
 * @throws CodedError if they are incomplete, or can be those of another organization: nothing was sent
 */
export function requireSettings(
  lookup: Lookup,
  area: Area,
  options: SettingOptions,
  names: Iterable<string>,
): Settings {
  const absent = new Set(names);
  for (const [name, value] of Object.entries(options)) if (value !== undefined) absent.delete(name);
  const needed = settingKeys.filter((key) => keysOf(area).includes(key) || absent.has(key));
  const { organizationId, product, ...settings } =
    ownSettings(lookup, area, options) ?? lookup.settings(needed);
  const whole = {
    ...settings,
    organizationId: options.organizationId ?? organizationId,
    product: options.product ?? product,
  };
  const error = configurationErrorOf(whole, area, remedyOf(lookup));
  if (error !== undefined) throw new CodedError("invalid-configuration", error);
  return whole;
}

/** What to do about missing settings; undefined if the lookup reads its environment as resources do. */
export function remedyOf({ isInline }: Lookup): string | undefined {
  return isInline ? inlineRemedy("them") : undefined;
}

/** The settings in the options; undefined if the options have no address. */
function ownSettings(lookup: Lookup, area: Area, options: SettingOptions): Settings | undefined {
  const keys = [...NEEDED[area], "platform"] as const;
  const given = keys.filter((key) => options[key] !== undefined && key !== "organizationId");
  if (given.length === 0) return undefined;
  const absent = [...keys, "credentials" as const].filter((key) => options[key] === undefined).join(", ");
  if (absent !== "")
    throw new CodedError(
      "invalid-input",
      `${given.join(", ")} without ${absent}: an address and all that belongs to it come from one place. Add ${absent} to the options, or remove ${given.join(", ")}. Nothing was sent.`,
    );
  const values = new Map(keys.map((key) => [`orgseat:${key}`, options[key]]));
  const variables = new Set(settingKeys.map(environmentName));
  const environment = Object.entries(process.env).filter(([name]) => !variables.has(name));
  const { timeoutMs, operationTimeoutMs, concurrency } = lookup.settings([]);
  return {
    ...readSettings((key) => values.get(key), Object.fromEntries(environment)),
    ...{ timeoutMs, operationTimeoutMs, concurrency },
  };
}
