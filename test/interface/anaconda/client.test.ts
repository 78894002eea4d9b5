/** The client in the dialect `anaconda`: what each call sends, and what it makes of each documented response. */
import { describe, expect, test } from "vitest";
import { dialects } from "../../../provider/api/calls/dialect.ts";
import type { Scripted } from "../../provider/api/service.ts";
import { API_KEY, answered, credentials, refused, serving } from "../client-harness.ts";
import { changed } from "../shapes.ts";
import { type ErrorOutcome, type WireCall, wireCalls } from "./wire.ts";

const { anaconda } = dialects;
const grants = {
  User_Token: ["password"],
  ServiceAccount_Token: ["client_credentials"],
  "API key": [],
};
const organizationHeaders = { "x-org-name": "the-org", "x-api-version": "v1" };

/** The documented errors of each area, and those that any HTTP service can have. */
const common: Readonly<Record<number, ErrorOutcome>> = {
  401: "unauthorized",
  403: "refused",
  405: "unknown-route",
  413: "refused",
  415: "refused",
  429: "rate-limited",
  500: "service-failed",
  503: "service-failed",
};
const detail = { detail: [{ loc: ["body", "field"], msg: "it cannot be", type: "value_error" }] };
const errorBody = { error: { message: "it cannot be", code: "SOME_CODE" } };

/** Every path into a value, lists left out. */
function pathsIn(value: unknown): string[] {
  if (Array.isArray(value)) return pathsIn(value[0]);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [
    name,
    ...pathsIn(inner).map((path) => `${name}.${path}`),
  ]);
}

describe.each(
  Object.entries(wireCalls).flatMap(([area, calls]) => calls.map((call) => [call.name, area, call] as const)),
)("%s", (_, area, call: WireCall) => {
  const { make, required = [], response } = call;
  const success = (body: unknown): Scripted => ({
    status: call.success,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

  test("sends this request, with the headers of the dialect to the organization area only", async () => {
    await using one = await serving(() => success(response), credentials, anaconda);
    await make(one.areas);
    expect(one.service.calls.map(({ method, url, body }) => [`${method} ${url}`, body])).toEqual([
      [call.request, call.body ?? ""],
    ]);
    const headers = one.service.calls[0]?.headers ?? {};
    const bearer = area === "model" ? API_KEY : "access-1";
    expect(headers).toMatchObject({ authorization: `Bearer ${bearer}`, accept: "application/json" });
    expect(headers["content-type"]).toBe(call.body && "application/json");
    const named = Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith("x-")));
    expect(named).toEqual(area === "model" ? {} : organizationHeaders);
    const asked = one.service.tokenRequests.map(({ body }) => new URLSearchParams(body).get("grant_type"));
    expect(asked).toEqual(grants[call.credential]);
  });

  test("gives back what the documented response says", async () => {
    expect(await answered(make, success(response), anaconda)).toEqual(call.result);
  });

  test("gives back what the least possible response says", async () => {
    const least = call.minimum ?? call;
    expect(await answered(make, success(least.response), anaconda)).toEqual(least.result);
  });

  test("fails where a field is missing that it needs, and only there", async () => {
    for (const path of pathsIn(response)) {
      const without = success(changed(response, path, undefined));
      if (!required.includes(path)) await answered(make, without, anaconda);
      else expect((await refused(make, without, anaconda)).code, path).toBe("bad-answer");
    }
  });

  const documented = area === "organization" ? { 422: "refused" as const, ...call.errors } : call.errors;
  test.each(Object.entries({ ...common, ...documented }))("a %s is %s", async (text, outcome) => {
    const status = Number(text);
    const scripted = { status, body: status === 422 ? detail : errorBody };
    if (outcome === "gone") return expect(await answered(make, scripted, anaconda)).toBe("gone");
    const error = await refused(make, scripted, anaconda);
    expect(error).toMatchObject({ code: outcome, status });
    if (outcome === "unknown-route") return;
    expect(error.message).toContain("it cannot be");
    if (status === 422) expect(error.message).toContain("body.field");
    else expect(error.serviceCode).toBe("SOME_CODE");
  });

  test("reads an error of the model area without its fields like a complete one", async () => {
    for (const [text, outcome] of Object.entries(area === "model" ? documented : {})) {
      for (const body of [{}, { error: {} }, { error: { code: "SOME_CODE" } }]) {
        const scripted = { status: Number(text), body };
        if (outcome === "gone") expect(await answered(make, scripted, anaconda)).toBe("gone");
        else expect(await refused(make, scripted, anaconda)).toMatchObject({ code: outcome });
      }
    }
  });
});
