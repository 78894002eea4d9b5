/** The configuration in the schema: the keys as docs/configuration.md describes them, and the arguments of an explicit Provider. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  environmentName,
  type Key,
  parseValues,
  platformNames,
  secretKeys,
  settingKeys,
} from "../provider/config/setting-values.ts";
import { packageRoot } from "./declarations.ts";
import { type EnumSpec, type PropertySpec, type TypeSpec, tokenOf } from "./schema-types.ts";

/** The keys of the configuration, each with its environment variable and its default. */
export function configVariables(): Record<string, PropertySpec> {
  const properties = settingKeys.map((key) => {
    const { unset, ...spec } = settingOf(key);
    const value = constantOf(unset);
    const byDefault =
      value === undefined ? {} : { default: spec.type === "string" ? value : JSON.parse(value) };
    return [
      key,
      {
        ...(value === undefined ? withDefaultInWords(spec, unset) : spec),
        ...byDefault,
        defaultInfo: { environment: [environmentName(key)] },
      },
    ] as const;
  });
  return Object.fromEntries(properties);
}

/**
 * The arguments of an explicit Provider. An SDK would fill their defaults in, and record them in the state as if the program
 * had set them: a credential of the environment would then go to an address of the program.
 */
export function providerArguments(): Record<string, PropertySpec> {
  const properties = settingKeys.map((key) => {
    const { unset, ...setting } = settingOf(key);
    const { type: _, ...untyped } = setting;
    // Not as a key of the configuration: the Node SDK would parse its value as JSON.
    const spec = key === "platform" ? { $ref: `#/types/${tokenOf("Platform")}`, ...untyped } : setting;
    return [key, withDefaultInWords(spec, unset)] as const;
  });
  return Object.fromEntries(properties);
}

function withDefaultInWords(spec: PropertySpec, unset: string): PropertySpec {
  return unset === "none" ? spec : { ...spec, description: `${spec.description} Default: ${unset}.` };
}

/** `16` of a default that has nothing else. */
function constantOf(cell: string): string | undefined {
  return /^`([^`]+)`$/.exec(cell)?.[1];
}

const configurationPage = readFileSync(join(packageRoot, "docs/configuration.md"), "utf8").split("\n");

/** A key as docs/configuration.md describes it, and its default there. */
function settingOf(key: Key): PropertySpec & { readonly unset: string } {
  const item = configurationPage.find((line) =>
    line.startsWith(`- \`${key}\`, \`${environmentName(key)}\` (`),
  );
  const [, unset = "none", text = ""] = /\(\w+(?:; default: (.*?))?\): (.*)$/.exec(item ?? "") ?? [];
  const plain = text.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, "$1");
  const description = `${plain.charAt(0).toUpperCase()}${plain.slice(1)}.`;
  const isSecret = secretKeys.some((secret) => secret === key);
  return { ...typeOfSetting(key), description, ...(isSecret && { secret: true }), unset };
}

function typeOfSetting(key: Key): TypeSpec {
  const accepts = (value: string) => parseValues(new Map([[key, { value, name: key }]]), [])[key];
  if (typeof accepts("1") === "number") return { type: "integer" };
  return { type: typeof accepts("true") === "boolean" ? "boolean" : "string" };
}

export const platformSpec: EnumSpec = {
  description: "The platform of the service.",
  type: "string",
  enum: platformNames.map((value) => ({ value })),
};
