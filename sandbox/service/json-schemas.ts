/** JSON schemas of requests and responses, for the OpenAPI document. */
import { z } from "zod";
import { emailSchema, instantSchema } from "../../provider/api/schemas/schemas.ts";

export type JsonSchema = z.core.JSONSchema.JSONSchema;

/** The JSON schema of the raw data. */
export function wireJson(schema: z.ZodType): JsonSchema {
  return jsonOf(schema, (instant) => {
    instant.anyOf = [{ format: "date-time" }, { format: "date" }];
    instant.description = "RFC 3339 with any offset, or a date, which is its end in UTC (D37)";
  });
}

/** The same for a service whose description has date-times only. */
export function dateTimeJson(schema: z.ZodType): JsonSchema {
  return jsonOf(schema, (instant) => {
    instant.format = "date-time";
  });
}

function jsonOf(schema: z.ZodType, describeInstant: (json: JsonSchema) => void): JsonSchema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema === instantSchema) describeInstant(jsonSchema);
      if (zodSchema === emailSchema) jsonSchema.description = "In any letter case (D18)";
    },
  });
  return json;
}

/** The fields that the sandbox sometimes sets to null, and those that it sometimes omits (D22). */
const exceptions: Readonly<Record<"nullable" | "optional", readonly string[]>> = {
  nullable: ["email", "first_name", "last_name", "expires_at"],
  optional: ["status", "code", "error_description"],
};
/** The schema of the sandbox's responses: with all optional fields, and without null. */
export function answerJson(schema: z.ZodType): JsonSchema {
  return tightened(wireJson(schema));
}

function tightened(schema: JsonSchema, name = ""): JsonSchema {
  const { properties, items, anyOf, type } = schema;
  const isNullable = exceptions.nullable.includes(name);
  const parts = anyOf?.filter((part) => part.type !== "null" || isNullable);
  const [only, ...more] = parts ?? [];
  if (only && more.length === 0) return tightened(only, name);
  const tight: JsonSchema = { ...schema };
  if (parts) tight.anyOf = parts.map((part) => tightened(part, name));
  const [kind] = Array.isArray(type) ? type.filter((one) => one !== "null") : [];
  if (kind && !isNullable) tight.type = kind;
  if (properties) {
    const tightParts = Object.entries(properties).map(([key, part]) => [
      key,
      typeof part === "object" ? tightened(part, key) : part,
    ]);
    tight.properties = Object.fromEntries(tightParts);
    tight.required = Object.keys(properties).filter((key) => !exceptions.optional.includes(key));
  }
  if (typeof items === "object" && !Array.isArray(items)) tight.items = tightened(items);
  return tight;
}
