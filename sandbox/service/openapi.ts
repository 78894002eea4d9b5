/**
 * The sandbox's operations as an OpenAPI 3.1 document of a platform, generated from its calls and their schemas. Injected
 * faults can respond differently.
 */
import { z } from "zod";
import { areaOf } from "../../provider/api/calls/call.ts";
import type { Platform } from "../../provider/api/calls/platform.ts";
import {
  accessTokenSchema,
  oauthErrorSchema,
  plainDetailSchema,
  renewedTokenSchema,
  serviceAccountSchema,
  tokenRequestSchema,
} from "../../provider/api/schemas/schemas.ts";
import { modelErrorCodes } from "./base/refusals.ts";
import { answerJson, dateTimeJson, type JsonSchema, wireJson } from "./json-schemas.ts";
import { BODY_LIMIT_BYTES } from "./request.ts";
import { MODEL_BASE, ORGANIZATION_BASE, type ServedCall, servedCalls, TOKEN_PATH } from "./routes.ts";

type Json = Record<string, unknown>;

const modelErrorSchema = z.strictObject({
  error: z
    .strictObject({ code: z.enum(modelErrorCodes), message: z.string() })
    .partial()
    .optional(),
});
const codedErrorSchema = z.object({ error: z.object({ code: z.string(), message: z.string() }) });
const errorSchema = z.object({ error: z.object({ code: z.string().optional(), message: z.string() }) });
const invalidSchema = (part: z.ZodType) =>
  z.object({
    detail: z.array(z.object({ loc: z.array(part), msg: z.string(), type: z.string() })).min(1),
  });

export function openApiDocument(platform: Platform): Json {
  const paths: Record<string, Json> = { [TOKEN_PATH]: { post: tokenOperation() } };
  for (const [name, call] of servedCalls(platform)) {
    const path = (areaOf(call) === "model" ? MODEL_BASE : ORGANIZATION_BASE) + call.path;
    paths[path] = { ...paths[path], [call.method.toLowerCase()]: operationOf(name, call, platform) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "orgseat sandbox",
      version: "1.0.0",
      description:
        "The organization service and its model area as the sandbox of orgseat serves them. Ids such as D16 are decisions of docs/internal/contract.md.",
    },
    servers: [{ url: "/" }],
    tags: [{ name: "organization" }, { name: "model" }],
    paths,
    components: { securitySchemes, schemas: namedSchemas(platform) },
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

function namedSchemas({ listsStatuses }: Platform): Json {
  const always = { OAuthError: answerJson(oauthErrorSchema) };
  if (listsStatuses) {
    return {
      Error: wireJson(codedErrorSchema),
      ModelError: wireJson(modelErrorSchema),
      Invalid: wireJson(invalidSchema(z.string())),
      ...always,
    };
  }
  return {
    Error: wireJson(errorSchema),
    Invalid: wireJson(invalidSchema(z.union([z.string(), z.int()]))),
    UnknownRoute: wireJson(plainDetailSchema),
    ...always,
  };
}

function operationOf(name: string, call: ServedCall, platform: Platform): Json {
  const area = areaOf(call);
  return {
    operationId: name,
    summary: `Call ${call.number}: ${call.name}`,
    tags: [area],
    security: [{ [call.credential]: [] }],
    parameters: [
      ...pathParameters(call.path),
      ...queryParameters(call),
      ...(area === "organization" ? headerParameters(platform) : []),
    ],
    ...(call.request
      ? { requestBody: jsonBody((platform.listsStatuses ? dateTimeJson : wireJson)(call.request)) }
      : {}),
    responses: {
      [call.success]: success(name, call, platform),
      ...(call.accepted === undefined ? {} : { 202: success(name, call, platform, call.accepted) }),
      ...refusalsOf(call, platform),
    },
  };
}

function success(name: string, call: ServedCall, { listsStatuses }: Platform, description = "Done"): Json {
  // Its description leaves the response open, and this service answers nothing.
  const isOpen = listsStatuses && name === "renewToken";
  if (isOpen || call.body === "none" || call.success === 204) return { description: "Done; no body" };
  return { description, content: jsonContent(listsStatuses ? wireJson(call.answer) : answer(name, call)) };
}

/** What this service always answers, where the client also reads other forms. */
const ownAnswers: Readonly<Record<string, z.ZodType>> = {
  listServiceAccounts: z.object({ items: z.array(serviceAccountSchema) }),
  renewToken: renewedTokenSchema.omit({ token: true }),
};

function answer(name: string, call: ServedCall): JsonSchema {
  return answerJson(ownAnswers[name] ?? call.answer);
}

/** The error responses of every operation of an area. */
function refusalsOf(call: ServedCall, { listsStatuses }: Platform): Json {
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
  if (!listsStatuses) add(415, "there is a body, and it is not application/json");
  if (!inModelArea) add(422, "the body or the query breaks its schema (D43)");
  return Object.fromEntries(
    [...texts].map(([status, all]) => [
      status,
      {
        description: all.join("; "),
        content: jsonContent(refusalSchema(status, inModelArea, listsStatuses)),
      },
    ]),
  );
}

function refusalSchema(status: string, inModelArea: boolean, listsStatuses: boolean): Json {
  if (status === "422") return reference("Invalid");
  const error = reference(inModelArea ? "ModelError" : "Error");
  return status === "404" && !listsStatuses ? { anyOf: [error, reference("UnknownRoute")] } : error;
}

/** Ids of organizations, models, and their files, and the name of a table. */
const TEXTS = ["org_id", "model_id", "file_id", "name"];

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

/** The description does not have them. */
function headerParameters({ headers }: Platform): Json[] {
  return headers.map(([name]) => ({ name, in: "header", required: false, schema: { type: "string" } }));
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
