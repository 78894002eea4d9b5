/**
 * The sandbox's operations as an OpenAPI 3.1 document of a dialect, generated from its calls and their schemas. Injected
 * faults can respond differently.
 */
import { z } from "zod";
import { areaOf } from "../../provider/api/call.ts";
import type { Dialect } from "../../provider/api/dialect.ts";
import {
  accessTokenSchema,
  emailSchema,
  instantSchema,
  oauthErrorSchema,
  plainDetailSchema,
  serviceAccountSchema,
  tokenRequestSchema,
} from "../../provider/api/schemas.ts";
import { modelErrorCodes } from "./refusals.ts";
import { BODY_LIMIT_BYTES } from "./request.ts";
import { MODEL_BASE, ORGANIZATION_BASE, type ServedCall, TOKEN_PATH } from "./routes.ts";

type Json = Record<string, unknown>;
type JsonSchema = z.core.JSONSchema.JSONSchema;

const modelErrorSchema = z.object({
  error: z.object({ code: z.enum(modelErrorCodes), message: z.string() }),
});
const errorSchema = z.object({ error: z.object({ code: z.string().optional(), message: z.string() }) });
const invalidSchema = z.object({
  detail: z
    .array(z.object({ loc: z.array(z.union([z.string(), z.int()])), msg: z.string(), type: z.string() }))
    .min(1),
});

export function openApiDocument(dialect: Dialect): Json {
  const paths: Record<string, Json> = { [TOKEN_PATH]: { post: tokenOperation() } };
  for (const [name, call] of Object.entries(dialect.calls)) {
    if (!call) continue;
    const path = (areaOf(call) === "model" ? MODEL_BASE : ORGANIZATION_BASE) + call.path;
    paths[path] = { ...paths[path], [call.method.toLowerCase()]: operationOf(name, call, dialect) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "orgseat sandbox",
      version: "1.0.0",
      description:
        "The organization service and its model area as the sandbox of orgseat serves them. Ids such as D16 are decisions of docs/contract.md.",
    },
    servers: [{ url: "/" }],
    tags: [{ name: "organization" }, { name: "model" }],
    paths,
    components: { securitySchemes, schemas: namedSchemas(dialect) },
  };
}

const securitySchemes: Json = {
  user: {
    type: "oauth2",
    description: "The User_Token of an admin (D3, D4)",
    flows: { password: { tokenUrl: TOKEN_PATH, scopes: {} } },
  },
  serviceAccount: {
    type: "oauth2",
    description: "The ServiceAccount_Token (D3, D4)",
    flows: { clientCredentials: { tokenUrl: TOKEN_PATH, scopes: {} } },
  },
  apiKey: { type: "http", scheme: "bearer", bearerFormat: "UUID", description: "The key of the model area" },
};

function namedSchemas({ listsStatuses }: Dialect): Json {
  return {
    Error: wireJson(errorSchema),
    ...(listsStatuses ? { ModelError: wireJson(modelErrorSchema) } : {}),
    Invalid: wireJson(invalidSchema),
    UnknownRoute: wireJson(plainDetailSchema),
    OAuthError: answerJson(oauthErrorSchema),
  };
}

function operationOf(name: string, call: ServedCall, dialect: Dialect): Json {
  const area = areaOf(call);
  return {
    operationId: name,
    summary: `Call ${call.number}: ${call.name}`,
    tags: [area],
    security: [{ [call.credential]: [] }],
    parameters: [
      ...pathParameters(call.path),
      ...queryParameters(call),
      ...(area === "organization" ? headerParameters(dialect) : []),
    ],
    ...(call.request ? { requestBody: jsonBody(wireJson(call.request)) } : {}),
    responses: {
      [call.success]: success(name, call, dialect),
      ...(call.accepted === undefined ? {} : { 202: success(name, call, dialect, call.accepted) }),
      ...refusalsOf(call, dialect),
    },
  };
}

function success(name: string, call: ServedCall, { listsStatuses }: Dialect, description = "Done"): Json {
  if (call.body === "none" || call.success === 204) return { description: "Done; no body" };
  const items = z.object({ items: z.array(serviceAccountSchema) });
  const served = name === "listServiceAccounts" ? items : call.answer;
  if (areaOf(call) === "organization" && listsStatuses) {
    return { description, content: jsonContent(wireJson(served)) };
  }
  return {
    description,
    content: jsonContent(answerJson(served, listsStatuses ? listedExceptions : exceptions)),
  };
}

/** The error responses of every operation of an area. */
function refusalsOf(call: ServedCall, { listsStatuses }: Dialect): Json {
  const organization = areaOf(call) === "organization";
  const own = Object.entries(call.refusals);
  const texts = new Map<string, string[]>(own.map(([status, text]) => [status, [text]]));
  const add = (status: number, text: string) =>
    texts.set(String(status), [...(texts.get(String(status)) ?? []), text]);
  add(401, "the credential is missing, unknown or has ended");
  if (organization) add(403, "another kind of credential, another organization, or no admin (D5, D38)");
  if (organization && (!listsStatuses || 404 in call.refusals)) add(404, "no such organization");
  if (!listsStatuses && call.path.includes("{"))
    add(404, "a variable of the path is empty or changes the path: no call is known there (D15)");
  const inModelArea = !organization && listsStatuses;
  add(413, `the body has more than ${BODY_LIMIT_BYTES} bytes`);
  if (call.request || !inModelArea) add(415, "there is a body, and it is not application/json");
  if (!inModelArea) add(422, "the body or the query breaks its schema (D43)");
  return Object.fromEntries(
    [...texts].map(([status, all]) => [
      status,
      { description: all.join("; "), content: jsonContent(refusalSchema(Number(status), inModelArea)) },
    ]),
  );
}

function refusalSchema(status: number, inModelArea: boolean): Json {
  if (status === 422) return reference("Invalid");
  const error = reference(inModelArea ? "ModelError" : "Error");
  return status === 404 ? { anyOf: [error, reference("UnknownRoute")] } : error;
}

/** Ids of models and their files, and the name of a table. */
const TEXTS = ["model_id", "file_id", "name"];

function pathParameters(path: string): Json[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    // The other ids of this sandbox are UUIDs.
    schema: TEXTS.includes(name ?? "")
      ? { type: "string", minLength: 1 }
      : { type: "string", format: "uuid" },
  }));
}

function headerParameters({ headers }: Dialect): Json[] {
  return headers.map(([name, value]) => ({
    name,
    in: "header",
    required: true,
    schema: value.includes("{") ? { type: "string", format: "uuid" } : { type: "string", enum: [value] },
  }));
}

/** The schema of each filter by its parsed value. */
function queryParameters(call: ServedCall): Json[] {
  if (!call.query) return [];
  const { properties = {} } = z.toJSONSchema(call.query, { io: "output" });
  return Object.entries(properties).map(([name, schema]) => ({ name, in: "query", required: false, schema }));
}

function tokenOperation(): Json {
  const oauth = (description: string) => ({ description, content: jsonContent(reference("OAuthError")) });
  return {
    operationId: "grantAccess",
    summary: "The token endpoint (D3)",
    tags: ["organization"],
    security: [],
    requestBody: {
      required: true,
      content: { "application/x-www-form-urlencoded": { schema: wireJson(tokenRequestSchema) } },
    },
    responses: {
      200: { description: "An access token", content: jsonContent(answerJson(accessTokenSchema)) },
      400: oauth("the form is wrong, or the username or password"),
      401: oauth("the client_id is unknown or the client_secret wrong"),
      413: {
        description: `the body has more than ${BODY_LIMIT_BYTES} bytes`,
        content: jsonContent(reference("Error")),
      },
    },
  };
}

function reference(name: string): Json {
  return { $ref: `#/components/schemas/${name}` };
}

function jsonContent(schema: unknown): Json {
  return { "application/json": { schema } };
}

function jsonBody(schema: unknown): Json {
  return { required: true, content: jsonContent(schema) };
}

/** The JSON schema of the raw data. */
function wireJson(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any", override });
  return json;
}

function override({ zodSchema, jsonSchema }: { zodSchema: unknown; jsonSchema: JsonSchema }): void {
  if (zodSchema === instantSchema) {
    jsonSchema.anyOf = [{ format: "date-time" }, { format: "date" }];
    jsonSchema.description = "RFC 3339 with any offset, or a date, which is its end in UTC (D37)";
  }
  if (zodSchema === emailSchema) jsonSchema.description = "In any letter case (D18)";
}

/** The fields that the sandbox sometimes sets to null, and those that it sometimes omits (D22). */
interface Exceptions {
  readonly nullable: readonly string[];
  readonly optional: readonly string[];
}
const exceptions: Exceptions = {
  nullable: ["email", "first_name", "last_name", "expires_at"],
  optional: ["status", "code", "error_description"],
};
/** Those of the model area in a dialect that lists the statuses of each call. */
const listedExceptions: Exceptions = {
  nullable: ["serverProcessId"],
  optional: ["startedAt", "stoppedAt"],
};

/** The schema of the sandbox's responses: with all optional fields, and without null. */
function answerJson(schema: z.ZodType, except = exceptions): JsonSchema {
  return tightened(wireJson(schema), except);
}

function tightened(schema: JsonSchema, except: Exceptions, name = ""): JsonSchema {
  const { properties, items, anyOf, type } = schema;
  const isNullable = except.nullable.includes(name);
  const parts = anyOf?.filter((part) => part.type !== "null" || isNullable);
  const [only, ...more] = parts ?? [];
  if (only && more.length === 0) return tightened(only, except, name);
  const tight: JsonSchema = { ...schema };
  if (parts) tight.anyOf = parts.map((part) => tightened(part, except, name));
  const [kind] = Array.isArray(type) ? type.filter((one) => one !== "null") : [];
  if (kind && !isNullable) tight.type = kind;
  if (properties) {
    tight.properties = mapped(properties, (part, key) =>
      typeof part === "object" ? tightened(part, except, key) : part,
    );
    tight.required = Object.keys(properties).filter((key) => !except.optional.includes(key));
  }
  if (typeof items === "object" && !Array.isArray(items)) tight.items = tightened(items, except);
  return tight;
}

function mapped<Value>(
  record: Readonly<Record<string, Value>>,
  change: (value: Value, key: string) => Value,
): Record<string, Value> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]));
}
