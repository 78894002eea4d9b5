/** Responses with fields of any form: none that a call does not need costs an id, a secret, or the run. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { platforms } from "../../../provider/api/calls/platform.ts";
import { Redactor } from "../../../provider/api/client/redact.ts";
import { parseResponse } from "../../../provider/api/client/responses.ts";
import { propertyOf } from "../../../provider/util/json.ts";
import { wireCalls } from "../../interface/anaconda/calls.ts";
import { successOf } from "../../interface/anaconda/operations.ts";
import { changed, pathsIn } from "../../interface/shapes.ts";
import { checkCases } from "../../setup/cases.ts";
import { during, Service } from "./service.ts";

const { calls, hasPartialErrors } = platforms.anaconda;

const WRAPPERS = ["data", "items"];

/** Each call with a body to read: a whole one, the paths of what the call needs, and of the rest. */
const samples = wireCalls.flatMap((wire) => {
  const call = Object.values(calls).find(({ name }) => wire.name.split(",")[0] === name);
  const { response: body } = successOf(wire);
  const needed = [...WRAPPERS, ...(wire.needs ?? [])];
  const free = pathsIn(body).filter(
    (path) => !needed.some((one) => one === path || one.startsWith(`${path}.`)),
  );
  return call && free.length > 0 ? [{ call, body, needed, free }] : [];
});

/** What stands there; of a list, in its only item. */
const at = (value: unknown, path: string): unknown =>
  path
    .split(".")
    .reduce<unknown>((part, key) => propertyOf(Array.isArray(part) ? part[0] : part, key), value);

/** Forms of dates and other values that services of this kind answer. */
const odd = fc.oneof(
  fc.constantFrom<unknown>(null, "", 0, -1, [], {}, true, "2027-12-31T23:59:59", "2027-12-31 23:59:59+0000"),
  fc.constantFrom<unknown>("Fri, 31 Dec 2027 23:59:59 GMT", 1830297599, "x".repeat(5000), [null], [[{}]]),
  fc.constant({ toString: null }),
  fc.jsonValue(),
);

describe("a response with an unreadable field", () => {
  test("keeps every value that its call needs", async () => {
    expect(new Set(samples.map(({ call }) => call.name)).size).toBeGreaterThan(15);
    const suite = { name: "unreadable fields", level: "R", cases: 20_000 } as const;
    const arbitrary = fc.record({ index: fc.nat(samples.length - 1), which: fc.nat(), value: odd });
    await checkCases(suite, arbitrary, async ({ index, which, value }) => {
      const { call, body, needed, free } = samples[index] ?? expect.unreachable();
      const answer = changed(body, free[which % free.length] ?? "", value);
      const response = { status: 200, headers: {}, text: JSON.stringify(answer) };
      const parsed = parseResponse(call, response, { unknownRoute: "", hasPartialErrors }, new Redactor());
      const shown = JSON.stringify({ call: call.name, answer, parsed });
      if (!("value" in parsed)) throw new Error(shown);
      for (const one of needed.filter((name) => typeof at(body, name) !== "object"))
        expect(at(parsed.value, one), shown).toEqual(at(body, one));
    });
  });

  test("warns once about each field, without its value", async () => {
    const warnings: string[] = [];
    const odd = { token: "seat-token-1", expires_at: "31.12.2027" };
    await using service = await Service.start(() => ({ body: odd }));
    const organization = service.organization({ warn: (text) => void warnings.push(text) });
    for (const id of ["u1", "u2"])
      expect(await organization.issueToken(id, "2027-06-30", during())).toEqual({ token: "seat-token-1" });
    expect(warnings).toEqual([
      expect.stringMatching(/^the service answered "issue token" with an unreadable expires_at,/),
    ]);
  });
});
