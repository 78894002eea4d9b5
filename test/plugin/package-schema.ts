/**
 * The parts of Pulumi's package schema that the plugin uses, by https://www.pulumi.com/docs/iac/guides/building-extending/packages/schema:
 * strict, so that a misspelled key, which Pulumi ignores, is an issue.
 */
import { z } from "zod";

const token = z.string().regex(/^orgseat:index:[A-Za-z]+$/);
const names = z.array(z.string()).min(1);
const primitive = z.enum(["boolean", "integer", "number", "string"]);
const plain = z.boolean().optional();

export interface TypeSpec {
  readonly type?: string | undefined;
  readonly items?: TypeSpec | undefined;
  readonly additionalProperties?: TypeSpec | undefined;
  readonly oneOf?: readonly TypeSpec[] | undefined;
  readonly $ref?: string | undefined;
}

/** Each kind of a type with more keys: a property has a description too. */
function typeWith<Shape extends z.core.$ZodShape>(more: Shape) {
  const inner: z.ZodType<TypeSpec> = z.lazy(() => typeWith({ plain }));
  return z.union([
    z.strictObject({ type: primitive, ...more }),
    z.strictObject({ type: z.literal("array"), items: inner, ...more }),
    z.strictObject({ type: z.literal("object"), additionalProperties: inner, ...more }),
    z.strictObject({ $ref: z.string(), ...more }),
    z.strictObject({ oneOf: z.array(inner).min(2), ...more }),
  ]);
}

const propertySchema = typeWith({
  default: z.union([z.string(), z.number(), z.boolean()]).optional(),
  defaultInfo: z.strictObject({ environment: names }).optional(),
  plain,
  description: z.string().min(1).optional(),
  secret: z.literal(true).optional(),
  willReplaceOnChanges: z.literal(true).optional(),
});
export type Property = z.output<typeof propertySchema>;

const propertiesSchema = z.record(z.string(), propertySchema);
const object = {
  description: z.string().min(1).optional(),
  properties: propertiesSchema,
  required: names.optional(),
};
const objectSchema = z.strictObject({ ...object, type: z.literal("object") });
const enumSchema = z.strictObject({
  description: z.string().min(1),
  type: z.literal("string"),
  enum: z.array(z.strictObject({ value: z.string(), description: z.string().optional() })).min(2),
});
const typeSchema = z.union([objectSchema, enumSchema]);
export type NamedType = z.output<typeof typeSchema>;
const resourceSchema = z.strictObject({
  ...object,
  inputProperties: propertiesSchema,
  requiredInputs: names.optional(),
  stateInputs: z.strictObject({ properties: propertiesSchema }).optional(),
  listInputs: z.strictObject({ properties: propertiesSchema }).optional(),
  aliases: z.array(z.strictObject({ type: z.string() })).optional(),
  isComponent: z.literal(true).optional(),
});
export type Resource = z.output<typeof resourceSchema>;

const functionSchema = z.strictObject({
  description: z.string().min(1),
  inputs: z.strictObject(object),
  outputs: z.strictObject({ ...object, type: z.literal("object").optional() }),
});

export const packageSchema = z.strictObject({
  ...{ name: z.literal("orgseat"), version: z.string(), description: z.string(), license: z.string() },
  ...{ displayName: z.string(), publisher: z.string(), keywords: names },
  ...{ homepage: z.url(), repository: z.url(), logoUrl: z.url(), configurationDocsUrl: z.url() },
  pluginDownloadURL: z.string().regex(/^github:\/\/api\.github\.com\/[^/]+\/[^/]+$/),
  meta: z.strictObject({ supportPack: z.literal(true) }),
  language: z.record(z.enum(["nodejs", "python", "go", "csharp", "java"]), z.looseObject({})),
  config: z.strictObject({ variables: propertiesSchema }),
  provider: z.strictObject({ description: z.string(), inputProperties: propertiesSchema }),
  types: z.record(token, typeSchema),
  resources: z.record(token, resourceSchema),
  functions: z.record(token, functionSchema),
});
