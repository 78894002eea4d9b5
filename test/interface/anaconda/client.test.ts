/** The client in the platform `anaconda`: what each call sends, and what it makes of each documented response. */
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { ApiErrorCode } from "../../../provider/api/calls/errors.ts";
import { platforms } from "../../../provider/api/calls/platform.ts";
import type { Scripted } from "../../provider/api/service.ts";
import { API_KEY, answered, credentials, refused, serving } from "../client-harness.ts";
import { changed, pathsIn } from "../shapes.ts";
import { ORG, type WireCall, wireCalls } from "./calls.ts";
import { exampleOf, jsonSchema, operationOf, successOf } from "./operations.ts";

const { anaconda } = platforms;
const grants: Readonly<Record<string, string[]>> = {
  admin: ["password"],
  serviceAccount: ["client_credentials"],
  apiKey: [],
};
const organizationHeaders = { "x-org-name": "the-org", "x-api-version": "v1" };

const codes: Readonly<Record<number, ApiErrorCode>> = {
  401: "unauthorized",
  405: "unknown-route",
  429: "rate-limited",
  500: "service-failed",
  503: "service-failed",
};
const detail = { detail: [{ loc: ["body", "field"], msg: "it cannot be", type: "value_error" }] };
const errorBody = { error: { message: "it cannot be", code: "SOME_CODE" } };

/** What a response wraps. */
function contentOf(response: unknown): unknown {
  const wrapper =
    z.object({ data: z.unknown().optional(), items: z.unknown().optional() }).safeParse(response).data ?? {};
  return wrapper.data ?? wrapper.items ?? response;
}

describe.each(wireCalls.map((call) => [call.name, call] as const))("%s", (_, call: WireCall) => {
  const { make, needs = [], costs, reads = (content: unknown) => content } = call;
  const isOrganization = call.request.includes(ORG);
  const operation = operationOf(call.request);
  const { status, schema, response } = successOf(call);
  const success = (body: unknown): Scripted => ({
    status,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const errors = Object.keys(operation.responses).filter((one) => !one.startsWith("2"));
  const outcomeOf = (status: number) =>
    status === 404 && call.request.startsWith("DELETE") ? "gone" : (codes[status] ?? "refused");

  test("sends this request, with the headers of the platform to the organization area only", async () => {
    await using one = await serving(() => success(response), credentials, anaconda);
    await make(one.areas);
    expect(one.service.calls.map(({ method, url, body }) => [`${method} ${url}`, body])).toEqual([
      [call.request, call.body ?? ""],
    ]);
    const headers = one.service.calls[0]?.headers ?? {};
    const bearer = isOrganization ? "access-1" : API_KEY;
    expect(headers).toMatchObject({ authorization: `Bearer ${bearer}`, accept: "application/json" });
    expect(headers["content-type"]).toBe(call.body && "application/json");
    const named = Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith("x-")));
    expect(named).toEqual(isOrganization ? organizationHeaders : {});
    const asked = one.service.tokenRequests.map(({ body }) => new URLSearchParams(body).get("grant_type"));
    expect(operation.security.flatMap(Object.keys).map((name) => grants[name])).toEqual([asked]);
  });

  test("sends what the document describes", () => {
    const body = jsonSchema(operation.requestBody);
    const sent: unknown = call.body && JSON.parse(call.body);
    if (body === undefined) expect(sent).toBeUndefined();
    else expect(z.fromJSONSchema(body).safeParse(sent)).toMatchObject({ success: true });
    const names = [...new URL(call.request.split(" ")[1] ?? "", "http://x").searchParams.keys()];
    const described = operation.parameters.filter((one) => one.in === "query").map(({ name }) => name);
    expect(described).toEqual(expect.arrayContaining(names));
  });

  test("gives back what the documented response says", async () => {
    expect(await answered(make, success(response), anaconda)).toEqual(reads(contentOf(response)));
  });

  test("gives back what the least possible response says", async () => {
    const least = call.leastResponse ?? (schema && exampleOf(schema, "required"));
    const expected = (call.least ?? reads)(contentOf(least));
    expect(await answered(make, success(least), anaconda)).toEqual(expected);
  });

  test("fails where a field is missing that it needs, and only there", async () => {
    for (const path of pathsIn(response)) {
      const without = success(changed(response, path, undefined));
      const whole = reads(contentOf(response));
      if (!needs.includes(path)) await answered(make, without, anaconda);
      else if (costs?.includes(path))
        expect(await answered(make, without, anaconda), path).not.toEqual(whole);
      else if (path === "items.id")
        expect((await refused(make, without, anaconda)).code, path).toBe("unreadable-item");
      else expect((await refused(make, without, anaconda)).code, path).toBe("bad-answer");
    }
  });

  test.each(errors.map((one) => [one, outcomeOf(Number(one))] as const))(
    "takes a %s as %s",
    async (text, outcome) => {
      const scripted = { status: Number(text), body: text === "422" ? detail : errorBody };
      if (outcome === "gone") return expect(await answered(make, scripted, anaconda)).toBe("gone");
      const error = await refused(make, scripted, anaconda);
      expect(error).toMatchObject({ code: outcome, status: Number(text) });
      if (outcome === "unknown-route") return;
      expect(error.message).toContain("it cannot be");
      if (text === "422") expect(error.message).toContain("body.field");
      else expect(error.serviceCode).toBe("SOME_CODE");
    },
  );

  test("reads an error of the model area without its fields like a complete one", async () => {
    for (const status of isOrganization ? [] : [400, 404, 409, 500]) {
      if (!errors.includes(String(status))) continue;
      for (const body of [{}, { error: {} }, { error: { code: "SOME_CODE" } }]) {
        const scripted = { status, body };
        if (outcomeOf(status) === "gone") expect(await answered(make, scripted, anaconda)).toBe("gone");
        else expect(await refused(make, scripted, anaconda)).toMatchObject({ code: outcomeOf(status) });
      }
    }
  });
});
