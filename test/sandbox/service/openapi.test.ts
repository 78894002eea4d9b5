/** The OpenAPI document of the sandbox. That the answers are those of the document, members.test.ts and schemathesis prove. */
import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { platformNames, platforms } from "../../../provider/api/calls/platform.ts";
import { openApiDocument } from "../../../sandbox/service/openapi.ts";
import { exchange, startSandbox } from "./harness.ts";

const documentSchema = z.object({
  paths: z.record(z.string(), z.record(z.string(), z.object({ operationId: z.string() }))),
});

describe.each(platformNames)("the OpenAPI document of the platform %s", (platform) => {
  const document = openApiDocument(platforms[platform]);

  it("validates as version 3.1, and answers without any credential", async () => {
    const validator = new Validator();
    expect(await validator.validate(structuredClone(document))).toEqual({ valid: true });
    expect(validator.version).toBe("3.1");
    const { service } = await startSandbox({ platform });
    const answer = await exchange(new URL("/openapi.json", service.orgUrl).href);
    expect([answer.status, answer.body]).toEqual([200, document]);
  });

  it("lists each call and the token endpoint", () => {
    const operations = Object.values(documentSchema.parse(document).paths).flatMap(Object.values);
    expect(operations.map(({ operationId }) => operationId).sort()).toEqual(
      ["grantAccess", ...Object.keys(platforms[platform].calls)].sort(),
    );
  });
});
