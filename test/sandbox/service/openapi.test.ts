/** The OpenAPI document of the sandbox: valid, whole, and true to the contract table. */
import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { calls } from "../../../provider/api/calls.ts";
import { dialects } from "../../../provider/api/dialect.ts";
import { openApiDocument } from "../../../sandbox/service/openapi.ts";
import { callNames, exchange, startSandbox } from "./harness.ts";

const operationSchema = z.object({
  operationId: z.string(),
  security: z.array(z.record(z.string(), z.array(z.string()))),
  parameters: z
    .array(z.object({ name: z.string(), in: z.enum(["path", "query"]), schema: z.unknown() }))
    .default([]),
  requestBody: z.object({ content: z.record(z.string(), z.unknown()) }).optional(),
  responses: z.record(z.string(), z.object({ description: z.string(), content: z.unknown().optional() })),
});
const documentSchema = z.object({ paths: z.record(z.string(), z.record(z.string(), operationSchema)) });

const operations = Object.entries(documentSchema.parse(openApiDocument(dialects.documented)).paths).flatMap(
  ([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
);

describe("the OpenAPI document", () => {
  it("is a valid one of version 3.1", async () => {
    const validator = new Validator();
    const answer = await validator.validate(structuredClone(openApiDocument(dialects.documented)));
    expect(answer).toEqual({ valid: true });
    expect(validator.version).toBe("3.1");
  });

  it("is served, without any credential", async () => {
    const { service } = await startSandbox();
    const answer = await exchange(new URL("/openapi.json", service.orgUrl).href);
    expect([answer.status, answer.body]).toEqual([200, openApiDocument(dialects.documented)]);
  });

  it("has the sixteen calls and the token endpoint", () => {
    expect(operations.map(({ operationId }) => operationId).sort()).toEqual(
      ["grantAccess", ...callNames].sort(),
    );
  });

  it.each(callNames)("has %s as the table has it, with its refusals and the common ones", (name) => {
    const call = calls[name];
    const operation = operations.find(({ operationId }) => operationId === name);
    expect(operation?.method).toBe(call.method.toLowerCase());
    const area = call.credential === "apiKey" ? "/serving" : "/api/v1";
    expect(operation?.path).toBe(area + call.path);
    expect(operation?.security).toEqual([{ [call.credential]: [] }]);
    expect(operation?.requestBody === undefined).toBe(call.request === undefined);
    const organization = call.credential === "apiKey" ? [] : [403];
    const common = [401, ...organization, ...(call.path.includes("{") ? [404] : []), 413, 415, 422];
    const statuses = [call.success, ...Object.keys(call.refusals).map(Number), ...common];
    expect(
      Object.keys(operation?.responses ?? {})
        .map(Number)
        .sort(),
    ).toEqual([...new Set(statuses)].sort());
  });

  it("has the five filters of call 12 as what they are", () => {
    const listServers = operations.find(({ operationId }) => operationId === "listServers");
    expect(listServers?.parameters.map((parameter) => parameter.name)).toEqual([
      "fileId",
      "tag",
      "port",
      "host",
      "status",
    ]);
    expect(JSON.stringify(listServers)).toContain('"maximum":65535');
  });

  it("says of an answer that every field is there, and null only where the sandbox answers it", () => {
    const text = JSON.stringify(
      operations.find(({ operationId }) => operationId === "listServers")?.responses[200],
    );
    expect(text).toContain('"required":["id","tag","serverProcessId","modelFile","serverConfig","server"]');
    expect(text).not.toContain("null");
    const user = JSON.stringify(
      operations.find(({ operationId }) => operationId === "createUser")?.responses[200],
    );
    expect(user).toContain('"email":{"type":["string","null"]}');
  });
});
