/** The operations of the document typed by hand, and values by its schemas. */
import { z } from "zod";
import { MODEL_BASE } from "../client-harness.ts";
import type { WireCall } from "./calls.ts";
import { handTypedDocument } from "./document.ts";

const schemaOf = z.custom<z.core.JSONSchema.JSONSchema>((value) => typeof value === "object");
const contentSchema = z.object({ "application/json": z.object({ schema: schemaOf }).optional() }).optional();
const operationSchema = z.object({
  security: z.array(z.record(z.string(), z.unknown())).default([]),
  parameters: z.array(z.object({ in: z.string(), name: z.string(), schema: schemaOf })).default([]),
  requestBody: z.object({ content: contentSchema }).optional(),
  responses: z.record(z.string(), z.object({ content: contentSchema })),
});
const documentSchema = z.object({ paths: z.record(z.string(), z.record(z.string(), operationSchema)) });

/** By path and method. @param document another one than that typed by hand */
export function documentedPaths(modelBase: string, document: unknown = handTypedDocument(modelBase)) {
  return documentSchema.parse(document).paths;
}

const documented = documentedPaths(MODEL_BASE);

/** The documented operation of a request. */
export function operationOf(request: string) {
  const [method = "", address = ""] = request.split(" ");
  const [path = ""] = address.split("?");
  const fits = (template: string) => new RegExp(`^${template.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(path);
  const found = Object.entries(documented).find(([template]) => fits(template))?.[1][method.toLowerCase()];
  if (!found) throw new Error(`the document has no ${request}`);
  return found;
}

/** The status and the schema of the documented success of a call, and a response with all of its fields. */
export function successOf({ request, status, response }: WireCall) {
  const { responses } = operationOf(request);
  const success = status ?? Number(Object.keys(responses).find((one) => one.startsWith("2")));
  const schema = jsonSchema(responses[success]);
  return { status: success, schema, response: response ?? (schema && exampleOf(schema, "all")) };
}

/** The schema of a body or a response; undefined: it has none. */
export function jsonSchema({ content }: { content?: z.output<typeof contentSchema> } = {}) {
  return content?.["application/json"]?.schema;
}

const nodeSchema = z.object({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  enum: z.array(z.string()).optional(),
  const: z.string().optional(),
  format: z.string().optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  required: z.array(z.string()).default([]),
  items: z.unknown().optional(),
});
const texts: Readonly<Record<string, string>> = {
  email: "ada@acme.example",
  uuid: "5f0c7d2e-1b3a-4c5d-8e9f-0a1b2c3d4e5f",
  "date-time": "2027-06-30T23:59:59Z",
};
const simple: Readonly<Record<string, unknown>> = { integer: 4711, number: 0.5, boolean: true };

/** A value by a schema, with all fields or only those that the schema requires. A list has one element. */
export function exampleOf(schema: unknown, which: "all" | "required"): unknown {
  const node = nodeSchema.parse(schema);
  const [type = ""] = [node.type ?? []].flat();
  if (node.const !== undefined || node.enum) return node.const ?? node.enum?.[0];
  if (type === "array") return node.items === undefined ? [] : [exampleOf(node.items, which)];
  if (type === "string") return texts[node.format ?? ""] ?? "some-text";
  if (type !== "object") return simple[type];
  if (!node.properties) return { any: "thing" };
  const names = Object.keys(node.properties).filter(
    (name) => which === "all" || node.required.includes(name),
  );
  return Object.fromEntries(names.map((name) => [name, exampleOf(node.properties?.[name], which)]));
}
