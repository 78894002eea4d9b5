/** Lists with items in an unexpected form: each costs what it does not say, and nothing else. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anacondaCalls } from "../../../provider/api/calls/anaconda-calls.ts";
import { calls } from "../../../provider/api/calls/calls.ts";
import { Redactor } from "../../../provider/api/client/redact.ts";
import { parseResponse } from "../../../provider/api/client/responses.ts";
import { hiddenIn, oddWarnings } from "../../../provider/api/schemas/forgiving-list.ts";
import { checkCases } from "../../setup/cases.ts";

const form = { unknownRoute: "", hasPartialErrors: true };

function parse(call: Parameters<typeof parseResponse>[0], body: unknown) {
  const parsed = parseResponse(
    call,
    { status: 200, headers: {}, text: JSON.stringify(body) },
    form,
    new Redactor(),
  );
  if (!("value" in parsed)) throw new Error(JSON.stringify(parsed));
  return parsed;
}

const user = (id: string) => ({
  ...{ id, email: `${id}@acme.example`, role: "member", subscriptions: ["seat"] },
});

type OddUser = readonly [field: string, change: object, reason: string];
const object = { code: "seat" };
const account = { name: "ci", client_id: "c1", org_id: "acme" };
const file = { name: "f", sizeBytes: 1 };
const oddUsers: readonly OddUser[] = [
  ["role", { role: null }, "role: expected string, got null"],
  ["role", { role: {} }, "role: expected string, got an object"],
  ["subscriptions", { subscriptions: null }, "subscriptions: expected array, got null"],
  ["subscriptions", { subscriptions: ["x", object] }, "subscriptions.1: expected string, got an object"],
];

describe("a list with an odd item", () => {
  test.each(oddUsers)("keeps a user without an unreadable %s: %o", (field, change, reason) => {
    const odd = { ...user("odd"), ...change };
    const { value, odd: found } = parse(anacondaCalls.listUsers, { items: [user("a"), odd, user("b")] });
    expect(value).toEqual({ items: [user("a"), { ...user("odd"), [field]: undefined }, user("b")] });
    expect(found).toEqual([{ position: 2, id: "odd", email: "odd@acme.example", reason }]);
    expect(hiddenIn(found)).toEqual([]);
  });

  test("keeps a machine user without an email, which is not odd", () => {
    const items = [user("a"), { ...user("m"), email: null }];
    expect(parse(anacondaCalls.listUsers, { items })).toMatchObject({ value: { items }, odd: [] });
  });

  test.each([
    ["users", anacondaCalls.listUsers, "items", user("a"), { ...user("a"), id: 7 }],
    ["tokens", anacondaCalls.listTokens, "items", { id: "t1" }, { id: null }],
    ["service accounts", calls.listServiceAccounts, "items", account, { ...account, client_id: null }],
    ["servers of basic", calls.listServers, "data", { id: "s1" }, { id: 1 }],
    ["tables", anacondaCalls.listTables, undefined, { name: "papers" }, { title: "papers" }],
    ["tables of basic", calls.listTables, undefined, { name: "papers" }, 7],
    ["models", anacondaCalls.listModels, "data", { id: "m1", name: "m" }, "m2"],
    ["files", anacondaCalls.listModelFiles, "data", { id: "f1", ...file }, file],
  ] as const)("leaves out an item without a readable id: %s", (_, call, place, good, bad) => {
    const bodyOf = (items: readonly unknown[]) => (place === undefined ? items : { [place]: items });
    const { value, odd } = parse(call, bodyOf([bad, good]));
    expect(value).toEqual(parse(call, bodyOf([good])).value);
    expect(hiddenIn(odd)).toMatchObject([{ position: 1 }]);
  });

  test("names the items of one reason in one warning", () => {
    const items = [
      user("a"),
      { ...user("b"), role: null },
      { ...user("c"), id: 7 },
      { ...user("d"), role: null },
    ];
    const { odd } = parse(anacondaCalls.listUsers, { items });
    expect(oddWarnings("list users", odd)).toEqual([
      'the service answered "list users" with items 2 (b, b@acme.example), 4 (d, d@acme.example) in a form that orgseat cannot read: role: expected string, got null. What the list does not say counts as unknown; nothing else is affected. Correct it in the service, or report it to the operator.',
      'the service answered "list users" with item 3 (c@acme.example) in a form that orgseat cannot read: id: expected string, got a number. It may be anyone, so no one counts as gone. Correct it in the service, or report it to the operator.',
    ]);
  });

  test("loses no other item, and names each odd one once", async () => {
    const suite = { name: "odd items", level: "R", cases: 2_000 } as const;
    const arbitrary = fc.array(fc.oneof(fc.constant(undefined), fc.jsonValue()), {
      minLength: 1,
      maxLength: 6,
    });
    await checkCases(suite, arbitrary, async (given) => {
      const items = given.map((value, index) => (value === undefined ? user(`u${index}`) : value));
      const { value, odd } = parse(anacondaCalls.listUsers, { items });
      const whole = items.filter((_, index) => given[index] === undefined);
      expect(value).toMatchObject({ items: expect.arrayContaining(whole) });
      const positions = given.flatMap((one, index) => (one === undefined ? [] : [index + 1]));
      expect(odd.map(({ position }) => position)).toEqual(positions);
    });
  });
});
