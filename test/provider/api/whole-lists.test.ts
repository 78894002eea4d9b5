/** Lists that say that the service has more: every reader fails, and takes nothing from them. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { platforms } from "../../../provider/api/calls/platform.ts";
import { Redactor } from "../../../provider/api/client/redact.ts";
import { parseResponse } from "../../../provider/api/client/responses.ts";
import { partOfList } from "../../../provider/api/schemas/whole-list.ts";
import { checkCases } from "../../setup/cases.ts";

const items = ["a", "b", "c", "d"];

describe("a list", () => {
  test.each<[string, object, string | undefined]>([
    ["a total above its items", { items, total_count: 9 }, "it has 4 of 9 items (total_count)"],
    ["a total as text", { items, total: "9" }, "it has 4 of 9 items (total)"],
    ["the total of its items", { items, total_count: 4, limit: 4, next: null }, undefined],
    [
      "a link to the next page",
      { data: items, links: { next: "https://acme.example/?page=2" } },
      "more items (next)",
    ],
    ["a cursor", { items, next_cursor: "eyJ" }, "more items (next_cursor)"],
    ["no further cursor", { items, nextCursor: "", next: null, next_page: false }, undefined],
    ["has_more", { items, has_more: true }, "more items (has_more)"],
    ["no more", { items, has_more: false, hasNextPage: false }, undefined],
    ["two pages", { items, meta: { total_pages: 2 } }, "more items (total_pages)"],
    ["a page info", { items, pageInfo: { hasNextPage: true } }, "more items (hasNextPage)"],
    ["a limit that it reaches", { items, limit: 4 }, "it has as many items as it may have (limit: 4)"],
    ["a limit above its items", { items, limit: 100, offset: 0 }, undefined],
    ["a limit of 0", { items, limit: 0 }, undefined],
    ["fields of its items alone", { items: [{ next: "x", total_count: 9 }] }, undefined],
    ["nothing else", { items }, undefined],
    ["no list", { data: { id: "m1", next: "x" } }, undefined],
    ["no wrapper", items, undefined],
  ])("%s: reads what it says", (_, body, reason) => {
    expect(partOfList(body)).toEqual(reason === undefined ? undefined : expect.stringContaining(reason));
  });

  const calls = Object.values(platforms.anaconda.calls).filter(({ name }) => name.startsWith("list "));
  const bodyOf = fc.record({
    name: fc.constantFrom("items", "data"),
    more: fc.oneof(
      fc.nat({ max: 99 }).map((count) => ({ total_count: items.length + 1 + count })),
      fc
        .constantFrom("next", "nextPage", "next_cursor")
        .chain((key) => fc.webUrl().map((url) => ({ [key]: url }))),
      fc.constant({ limit: items.length }),
      fc.constantFrom("has_more", "hasMore").map((key) => ({ [key]: true })),
    ),
    inside: fc.constantFrom(undefined, "pagination", "meta", "page_info", "_links"),
  });

  test("that says that there is more is an error of each call, whatever its items are", async () => {
    expect(calls.length).toBeGreaterThan(5);
    await checkCases(
      { name: "parts of lists", level: "R", cases: 2000 },
      bodyOf,
      async ({ name, more, inside }) => {
        const body = { [name]: items, ...(inside === undefined ? more : { [inside]: more }) };
        for (const call of calls) {
          const response = { status: 200, headers: {}, text: JSON.stringify(body) };
          const form = { unknownRoute: "", hasPartialErrors: false };
          expect(parseResponse(call, response, form, new Redactor()), call.name).toMatchObject({
            code: "incomplete-list",
            reason: expect.stringMatching(
              /^the list is incomplete: .* Ask the operator of the service for lists without pages$/,
            ),
          });
        }
      },
    );
  });
});
