/** The OpenAPI document of the sandbox: valid, whole, and true to the contract table. */
import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { calls } from "../../../provider/api/calls/calls.ts";
import { type CallTable, platforms } from "../../../provider/api/calls/platform.ts";
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

const operations = Object.entries(documentSchema.parse(openApiDocument(platforms.basic)).paths).flatMap(
  ([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
);

describe("the OpenAPI document", () => {
  it("validates as version 3.1", async () => {
    const validator = new Validator();
    const answer = await validator.validate(structuredClone(openApiDocument(platforms.basic)));
    expect(answer).toEqual({ valid: true });
    expect(validator.version).toBe("3.1");
  });

  it("answers without any credential", async () => {
    const { service } = await startSandbox();
    const answer = await exchange(new URL("/openapi.json", service.orgUrl).href);
    expect([answer.status, answer.body]).toEqual([200, openApiDocument(platforms.basic)]);
  });

  it("lists the sixteen calls and the token endpoint", () => {
    expect(operations.map(({ operationId }) => operationId).sort()).toEqual(
      ["grantAccess", ...callNames].sort(),
    );
  });

  it.each(callNames)("describes %s as the table does, with its refusals and the common ones", (name) => {
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

  it("describes the five filters of call 12 as what they are", () => {
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

describe("the OpenAPI document of the platform anaconda", () => {
  const document = openApiDocument(platforms.anaconda);
  const parameterSchema = z.object({
    name: z.string(),
    in: z.enum(["path", "query", "header"]),
    required: z.boolean(),
    schema: z.unknown(),
  });
  const listedSchema = z.object({
    paths: z.record(
      z.string(),
      z.record(z.string(), operationSchema.extend({ parameters: z.array(parameterSchema).default([]) })),
    ),
  });
  const listed = Object.values(listedSchema.parse(document).paths).flatMap((methods) =>
    Object.values(methods),
  );
  const named = (name: string) => listed.find(({ operationId }) => operationId === name);
  const names = Object.keys(platforms.anaconda.calls);
  const calls: CallTable = platforms.anaconda.calls;
  const organizationNames = names.filter((name) => named(name)?.security[0]?.apiKey === undefined);

  it("validates as version 3.1, and answers", async () => {
    const validator = new Validator();
    expect(await validator.validate(structuredClone(document))).toEqual({ valid: true });
    const { service } = await startSandbox({ platform: "anaconda" });
    const answer = await exchange(new URL("/openapi.json", service.orgUrl).href);
    expect(answer.body).toEqual(document);
  });

  it("lists each call and the token endpoint", () => {
    expect(listed.map(({ operationId }) => operationId).sort()).toEqual(["grantAccess", ...names].sort());
  });

  it.each(organizationNames)(
    "describes %s with its statuses and the common ones, and both headers",
    (name) => {
      const operation = named(name);
      const call = Object.entries(calls).find(([one]) => one === name)?.[1];
      const statuses = [call?.success, ...Object.keys(call?.refusals ?? {}).map(Number), 401, 403, 413, 422];
      expect(Object.keys(operation?.responses ?? {}).map(Number)).toEqual(statuses.toSorted());
      const headers = operation?.parameters.filter((parameter) => parameter.in === "header");
      expect(headers).toEqual([
        { name: "x-org-name", in: "header", required: false, schema: { type: "string" } },
        { name: "x-api-version", in: "header", required: false, schema: { type: "string" } },
      ]);
    },
  );

  it.each([
    ["listUsers", "include_groups"],
    ["assignSeat", "send_seat_assigned_email"],
  ])("describes the parameter of %s as what it is", (name, parameter) => {
    expect(named(name)?.parameters).toContainEqual({
      ...{ name: parameter, in: "query", required: false, schema: { type: "boolean" } },
    });
  });

  it("names the fields that every listed user and token has, with their formats", () => {
    const users = JSON.stringify(named("listUsers")?.responses[200]);
    expect(users).toContain('"required":["id","email","role","subscriptions"]');
    expect(users).toContain('"enum":["member","admin","billing_manager"]');
    expect(users).toContain('"format":"uuid"');
    expect(users).toContain('"format":"email"');
    const tokens = JSON.stringify(named("listTokens")?.responses[200]);
    expect(tokens).toContain('"required":["id","expires_at","metadata"]');
    expect(tokens).toContain('"format":"date-time"');
    const onboarding = JSON.stringify(named("onboardUsers")?.responses[200]);
    expect(onboarding).toContain('"total_organization_seats":{"type":"string"}');
    expect(JSON.stringify(named("issueToken")?.requestBody)).toContain('"required":["expires_at"]');
  });
});
