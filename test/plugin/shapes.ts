/** One form for a type of zod and a type of Pulumi, to compare them. */
import { z } from "zod";
import type { NamedType, TypeSpec } from "./package-schema.ts";

/** A JSON Schema as zod makes it, as far as the definitions need it. */
interface JsonSchema {
  readonly type?: string | readonly string[] | undefined;
  readonly enum?: readonly string[] | undefined;
  readonly items?: JsonSchema | undefined;
  readonly properties?: Readonly<Record<string, JsonSchema>> | undefined;
  readonly required?: readonly string[] | undefined;
  readonly additionalProperties?: JsonSchema | boolean | undefined;
  readonly anyOf?: readonly JsonSchema[] | undefined;
}
const jsonSchema: z.ZodType<JsonSchema> = z.lazy(() =>
  z.object({
    type: z.union([z.string(), z.array(z.string())]).optional(),
    enum: z.array(z.string()).optional(),
    items: jsonSchema.optional(),
    properties: z.record(z.string(), jsonSchema).optional(),
    required: z.array(z.string()).optional(),
    additionalProperties: z.union([z.boolean(), jsonSchema]).optional(),
    anyOf: z.array(jsonSchema).optional(),
  }),
);

/** What the schema accepts. */
export function jsonSchemaOf(schema: z.ZodType): JsonSchema {
  return jsonSchema.parse(z.toJSONSchema(schema, { io: "input" }));
}

export function shapeOfJson(json: JsonSchema): unknown {
  const { type = "anything", items, properties, required = [], additionalProperties, anyOf } = json;
  if (json.enum) return { values: json.enum };
  if (anyOf) return unionOf(anyOf.map(shapeOfJson));
  if (items) return { list: shapeOfJson(items) };
  if (properties) return objectShape(properties, required, shapeOfJson);
  if (typeof additionalProperties === "object") return { map: shapeOfJson(additionalProperties) };
  return typeof type === "string" ? type : unionOf(type);
}

/** @param types the named types, by their tokens */
export function shapeOf(spec: TypeSpec, types: Readonly<Record<string, NamedType>>): unknown {
  const inner = (one: TypeSpec) => shapeOf(one, types);
  const { type = "anything", items, additionalProperties, oneOf, $ref = "" } = spec;
  // Known values of a set that a service may extend.
  if (oneOf?.some((one) => one.type === "string" && oneOf.some(({ $ref }) => $ref))) return "string";
  if (oneOf) return unionOf(oneOf.map(inner));
  if (items) return { list: inner(items) };
  if (additionalProperties) return { map: inner(additionalProperties) };
  const named = types[$ref.replace("#/types/", "")];
  if (named === undefined) return type;
  if ("enum" in named) return { values: named.enum.map(({ value }) => value) };
  return objectShape(named.properties, named.required ?? [], inner);
}

function unionOf(all: readonly unknown[]): unknown {
  // A text that may be written as a number is a text for the languages.
  const isText = all.includes("string");
  const shapes = all.filter((shape) => shape !== "null" && !(isText && shape === "number"));
  return shapes.length === 1 ? shapes[0] : { one: shapes };
}

function objectShape<Spec>(
  properties: Readonly<Record<string, Spec>>,
  required: readonly string[],
  shape: (spec: Spec) => unknown,
): unknown {
  const keys = Object.entries(properties).map(([key, spec]) => [
    `${key}${required.includes(key) ? "" : "?"}`,
    shape(spec),
  ]);
  return { object: Object.fromEntries(keys) };
}
