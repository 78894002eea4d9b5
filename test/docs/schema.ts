/**
 * Makes provider/plugin/schema.json, the schema of the packaged plugin: names, secrets, and replacing inputs from the
 * definitions, types and descriptions from sdk/, settings from docs/configuration.md.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { parseValues, secretKeys, settingKeys } from "../../provider/config/setting-values.ts";
import { definitions } from "../../provider/definitions.ts";
import { type ResourceType, resourceTypes } from "../../provider/resources/resource-types.ts";
import { packageRoot } from "../../sandbox/pulumi/package-root.ts";
import {
  type Declared,
  descriptionOf,
  functionNamed,
  lookups,
  parametersOf,
  propertiesOf,
  typeNamed,
} from "./declarations.ts";
import { codeIn, settingRows } from "./pages.ts";
import {
  isAlwaysSet,
  type ObjectSpec,
  objectOf,
  type PropertySpec,
  specOf,
  tokenOf,
  typeSpec,
} from "./schema-types.ts";

const manifest = z
  .object({
    ...{ name: z.string(), version: z.string(), description: z.string(), license: z.string() },
    keywords: z.array(z.string()),
    repository: z.object({ url: z.string() }),
  })
  .parse(JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8")));

interface ResourceSpec extends ObjectSpec {
  readonly inputProperties: Readonly<Record<string, PropertySpec>>;
  readonly requiredInputs?: readonly string[];
  readonly aliases?: readonly { readonly type: string }[];
  readonly isComponent?: boolean;
}

/** The text of the file. */
export function schemaFile(): string {
  return `${JSON.stringify(pluginSchema(), null, 1)}\n`;
}

function pluginSchema() {
  const { name, version, description, license, keywords } = manifest;
  const settings = settingProperties();
  const resources = Object.fromEntries([
    ...resourceTypes.map((type) => [tokenOf(type), resourceSpec(type)] as const),
    [tokenOf("OrgMember"), memberSpec()],
  ]);
  const functions = Object.fromEntries(lookups.map((lookup) => [tokenOf(lookup), functionSpec(lookup)]));
  return {
    ...{ name, version, description, keywords, license },
    repository: manifest.repository.url.replace(/^git\+|\.git$/g, ""),
    // SDKs have the version of this schema, and the Go SDK has a go.mod.
    meta: { supportPack: true },
    language: {
      nodejs: { packageName: "@orgseat/plugin", typescriptVersion: "^5.0.0" },
      python: { pyproject: { enabled: true } },
      go: { importBasePath: "github.com/orgseat/orgseat/sdk/go/orgseat", generateExtraInputTypes: true },
    },
    config: { variables: settings },
    types: typesOf({ resources, functions }),
    provider: {
      description: "The configuration of an organization, in place of the stack's configuration.",
      inputProperties: settings,
    },
    resources,
    functions,
  };
}

/** The keys of the configuration, and the arguments of an explicit Provider. */
function settingProperties(): Record<string, PropertySpec> {
  const rows = new Map(settingRows().map((cells) => [codeIn(cells[0] ?? "")[0], cells]));
  const properties = settingKeys.map((key) => {
    const [, , , unset = "", text = ""] = rows.get(key) ?? [];
    const plain = text.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, "$1");
    const byDefault = unset === "none" ? "" : ` Default: ${unset}.`;
    const description = `${plain.charAt(0).toUpperCase()}${plain.slice(1)}.${byDefault}`;
    const isNumber = typeof parseValues(new Map([[key, { value: "1", name: key }]]), [])[key] === "number";
    const type = isNumber ? "integer" : "string";
    return [
      key,
      { type, description, ...(secretKeys.some((secret) => secret === key) && { secret: true }) },
    ] as const;
  });
  return Object.fromEntries(properties);
}

function resourceSpec(type: ResourceType): ResourceSpec {
  const { secretOutputs, identity, inputs }: Definition = definitions[type];
  const declared = new Map(propertiesOf(`${type}Args`).map((property) => [property.name, property]));
  const inputProperties = declaredInputs(inputs).map((key) => {
    const spec = inputOf(`${type}.${key}`, declared.get(key));
    return [key, { ...spec, ...(identity.includes(key) && { willReplaceOnChanges: true }) }] as const;
  });
  const outputs = objectOf(propertiesOf(type));
  const properties = Object.entries(outputs.properties).map(
    ([key, spec]) => [key, { ...spec, ...(secretOutputs.includes(key) && { secret: true }) }] as const,
  );
  // Check takes the organization from the configuration.
  const isRequired = (key: string, schema: z.ZodType) =>
    key !== "organizationId" && !schema.safeParse(undefined).success;
  const required = Object.entries(inputs).filter(([key, schema]) => isRequired(key, schema));
  return {
    description: descriptionNamed(type),
    ...outputs,
    properties: Object.fromEntries(properties),
    inputProperties: Object.fromEntries(inputProperties),
    ...(required.length > 0 && { requiredInputs: required.map(([key]) => key) }),
    aliases: [{ type: `pulumi-nodejs:orgseat:${type}` }],
  };
}

/** Without what the class and the plugin add themselves. */
export function declaredInputs(inputs: object): string[] {
  return Object.keys(inputs).filter((key) => key !== "stack" && key !== "accessEnd");
}

interface Definition {
  readonly inputs: Readonly<Record<string, z.ZodType>>;
  readonly secretOutputs: readonly string[];
  readonly identity: readonly string[];
}

function inputOf(name: string, declared: Declared | undefined): PropertySpec {
  if (declared === undefined) throw new Error(`sdk/ declares no input ${name}`);
  return { ...specOf(declared), ...(declared.name === "credentials" && { secret: true }) };
}

/** The component decides by plain inputs what it declares. */
function memberSpec(): ResourceSpec {
  const declared = propertiesOf("OrgMemberArgs");
  const inputs = declared.map((one) => {
    const isPlain = one.types.every((type) => !type.getText().startsWith("pulumi.Input"));
    const spec = inputOf("OrgMember", one);
    return [one.name, isPlain ? plain(spec) : spec] as const;
  });
  return {
    description: descriptionNamed("OrgMember"),
    isComponent: true,
    ...objectOf(propertiesOf("OrgMember")),
    inputProperties: Object.fromEntries(inputs),
    requiredInputs: declared.filter(isAlwaysSet).map(({ name }) => name),
  };
}

function plain(spec: PropertySpec): PropertySpec {
  const { oneOf } = spec;
  return { ...spec, ...(oneOf && { oneOf: oneOf.map(plain) }), plain: true };
}

/** A list has the name of the lookup: `users` of getUsers. */
function functionSpec(name: string) {
  const lookup = functionNamed(name);
  const result: Declared = {
    name: `${name.charAt(3).toLowerCase()}${name.slice(4)}`,
    description: undefined,
    types: lookup.type ? [lookup.type] : [],
    isRequired: true,
  };
  const spec = specOf(result);
  const outputs = spec.items ? objectOf([result]) : typeSpec(spec.$ref?.split(":").at(-1) ?? "");
  return { description: descriptionOf(lookup), inputs: objectOf(parametersOf(lookup)), outputs };
}

function descriptionNamed(name: string): string {
  const type = typeNamed(name);
  return (type && descriptionOf(type)) ?? "";
}

/** The types that a part of the schema refers to, and those that these refer to. */
function typesOf(part: object): Record<string, ObjectSpec> {
  const types = new Map<string, ObjectSpec>();
  const visit = (value: object) => {
    for (const [, name = ""] of JSON.stringify(value).matchAll(/"#\/types\/orgseat:index:(\w+)"/g)) {
      if (types.has(name)) continue;
      const spec = typeSpec(name);
      types.set(name, spec);
      visit(spec);
    }
  };
  visit(part);
  return Object.fromEntries([...types].map(([name, spec]) => [tokenOf(name), spec]));
}
