/**
 * Makes provider/plugin/schema.json, the schema of the packaged plugin: names, secrets, and replacing inputs from the
 * definitions, types and descriptions from sdk/, settings from docs/configuration.md.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { definitions } from "../provider/definitions.ts";
import { type ResourceType, resourceTypes, secretOutputs } from "../provider/resources/resource-types.ts";
import {
  type Declared,
  descriptionOf,
  functionNamed,
  lookups,
  packageRoot,
  parametersOf,
  propertiesOf,
  typeNamed,
} from "./declarations.ts";
import type { Types } from "./example-forms.ts";
import { withExample } from "./examples.ts";
import {
  type EnumSpec,
  isAlwaysSet,
  type ObjectSpec,
  objectOf,
  objectSpec,
  type PropertySpec,
  specOf,
  tokenOf,
  typeSpec,
} from "./schema-types.ts";
import { configVariables, platformSpec, providerArguments } from "./settings.ts";

const manifest = z
  .object({
    ...{ name: z.string(), version: z.string(), description: z.string(), license: z.string() },
    ...{ author: z.string(), homepage: z.string() },
    keywords: z.array(z.string()),
    repository: z.object({ url: z.string() }),
  })
  .parse(JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8")));

interface ResourceSpec extends ObjectSpec {
  readonly inputProperties: Readonly<Record<string, PropertySpec>>;
  readonly requiredInputs?: readonly string[];
  readonly stateInputs?: ObjectSpec;
  readonly listInputs?: ObjectSpec;
  readonly aliases?: readonly { readonly type: string }[];
}

/** The text of the file. */
export function schemaFile(): string {
  return `${JSON.stringify(pluginSchema(), null, 1)}\n`;
}

function pluginSchema() {
  const { name, version, description, license, author, homepage } = manifest;
  const repository = manifest.repository.url.replace(/^git\+|\.git$/g, "");
  const pageUrl = (path: string) => `${repository}/blob/main/${path}`;
  const resources = Object.fromEntries([
    ...resourceTypes.map((type) => [tokenOf(type), resourceSpec(type)] as const),
  ]);
  const functions = Object.fromEntries(lookups.map((lookup) => [tokenOf(lookup), functionSpec(lookup)]));
  const types = typesOf({ resources, functions });
  const example: Types = {
    argumentsOf: (type) =>
      resources[tokenOf(type)]?.inputProperties ?? functions[tokenOf(type)]?.inputs.properties ?? {},
    named: (reference) => types[reference.replace("#/types/", "")],
  };
  return {
    ...{ name, displayName: name, version, description, publisher: author, license, homepage, repository },
    // The Registry's own words: where it lists the package, and that it is no bridge to a provider of Terraform.
    keywords: [...manifest.keywords, "category/utility", "kind/native"],
    logoUrl: `${repository.replace("github.com", "raw.githubusercontent.com")}/main/docs/pictures/logo.svg`,
    configurationDocsUrl: pageUrl("docs/installation-configuration.md"),
    // The releases, which have an archive for each system.
    pluginDownloadURL: `github://api.${repository.replace("https://", "")}`,
    // SDKs have the version of this schema, and the Go SDK has a go.mod.
    meta: { supportPack: true },
    language: {
      nodejs: { packageName: "@orgseat/plugin", typescriptVersion: "^5.0.0" },
      python: { pyproject: { enabled: true } },
      go: { importBasePath: "github.com/orgseat/orgseat/sdk/go/orgseat", generateExtraInputTypes: true },
      // `Orgseat.Plugin` and `io.github.orgseat.plugin`.
      csharp: {
        rootNamespace: "Orgseat",
        namespaces: { orgseat: "Plugin" },
        packageReferences: { Pulumi: "3.*" },
      },
      java: { basePackage: "io.github.orgseat", packages: { orgseat: "plugin" } },
    },
    config: { variables: configVariables() },
    types,
    provider: {
      description: "The configuration of an organization, in place of the stack's configuration.",
      inputProperties: providerArguments(),
    },
    resources: withExamples(resources, example),
    functions: withExamples(functions, example),
  };
}

/** Each with an example behind its description. */
function withExamples<Spec extends { readonly description?: string | undefined }>(
  specs: Readonly<Record<string, Spec>>,
  example: Types,
): Record<string, Spec> {
  return Object.fromEntries(
    Object.entries(specs).map(([token, spec]) => {
      const name = token.split(":").at(-1) ?? "";
      return [token, { ...spec, description: withExample(name, spec.description ?? "", example) }];
    }),
  );
}

function resourceSpec(type: ResourceType): ResourceSpec {
  const { identity, inputs }: Definition = definitions[type];
  const declared = new Map(propertiesOf(`${type}Args`).map((property) => [property.name, property]));
  const inputKeys = declaredInputs(inputs);
  const inputProperties = inputKeys.map((key) => {
    const spec = inputOf(`${type}.${key}`, declared.get(key));
    return [key, { ...spec, ...(identity.includes(key) && { willReplaceOnChanges: true }) }] as const;
  });
  // What a read needs besides the id, and a list alone, if it is not that of the configuration.
  const access = ["organizationId", "credentials"].flatMap((key) => {
    const property = declared.get(key);
    return property === undefined ? [] : [[key, inputOf(`${type}.${key}`, property)] as const];
  });
  const outputs = objectOf(propertiesOf(type));
  const properties = Object.entries(outputs.properties).map(
    ([key, spec]) => [key, { ...spec, ...(secretOutputs[type].includes(key) && { secret: true }) }] as const,
  );
  const required = inputKeys.filter((key) => isRequired(inputs[key], declared.get(key)));
  return {
    description: descriptionNamed(type),
    ...outputs,
    properties: Object.fromEntries(properties),
    inputProperties: Object.fromEntries(inputProperties),
    ...(required.length > 0 && { requiredInputs: required }),
    stateInputs: { properties: Object.fromEntries(access) },
    ...(type !== "Onboarding" && { listInputs: { properties: Object.fromEntries(access) } }),
    aliases: [{ type: `pulumi-nodejs:orgseat:${type}` }],
  };
}

/** By the class, or by the definition, where the class has another input for it, or rosters omit it. */
function isRequired(input: z.ZodType | undefined, declared: Declared | undefined): boolean {
  if (declared === undefined || input === undefined || declared.name === "organizationId") return false;
  return isAlwaysSet(declared) || !input.safeParse(undefined).success;
}

const INTERNAL = ["stack", "ref", "key", "team", "leaving", "directory"];

/** Without what the class, the plugin, and rosters add themselves. */
export function declaredInputs(inputs: object): string[] {
  return Object.keys(inputs).filter((key) => !INTERNAL.includes(key));
}

interface Definition {
  readonly inputs: Readonly<Record<string, z.ZodType>>;
  readonly identity: readonly string[];
}

function inputOf(name: string, declared: Declared | undefined): PropertySpec {
  if (declared === undefined) throw new Error(`sdk/ declares no input ${name}`);
  return specOf(declared);
}

/** A list has the name of the lookup: `users` of getUsers. */
function functionSpec(name: string) {
  const lookup = functionNamed(name);
  const result: Declared = {
    name: `${name.charAt(3).toLowerCase()}${name.slice(4)}`,
    description: firstSentence(descriptionOf(lookup)),
    types: lookup.type ? [lookup.type] : [],
    isRequired: true,
  };
  const spec = specOf(result);
  const outputs = spec.items ? objectOf([result]) : objectSpec(spec.$ref?.split(":").at(-1) ?? "");
  return {
    description: descriptionOf(lookup),
    inputs: objectOf(parametersOf(lookup)),
    outputs: withoutUnions(outputs),
  };
}

/** Pulumi's generator for Python takes every union among the outputs of a function for a dict. */
function withoutUnions(object: ObjectSpec): ObjectSpec {
  const entries = Object.entries(object.properties).map(([name, { oneOf, ...spec }]) => [
    name,
    oneOf === undefined ? spec : { ...spec, type: "string" as const },
  ]);
  return { ...object, properties: Object.fromEntries(entries) };
}

/** Of a lookup: what it returns. */
function firstSentence(text = ""): string {
  return /^.*?\.(?= |$)/.exec(text)?.[0] ?? text;
}

function descriptionNamed(name: string): string {
  const type = typeNamed(name);
  return (type && descriptionOf(type)) ?? "";
}

/** The types that a part of the schema refers to, and those that these refer to. */
function typesOf(part: object): Record<string, ObjectSpec | EnumSpec> {
  const types = new Map<string, ObjectSpec | EnumSpec>([["Platform", platformSpec]]);
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
