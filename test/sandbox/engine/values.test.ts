/** Values, their differences and their encryption, without any process. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { changedInputs, deepEqual, ignoreChanges, parsePath } from "../../../sandbox/engine/diffs.ts";
import { newSecrets, openSecrets } from "../../../sandbox/engine/secrets.ts";
import { makeUrn, parseUrn, urnMatcher } from "../../../sandbox/engine/urn.ts";
import {
  annotateSecrets,
  type Crypter,
  decodeMap,
  type PropertyMap,
  Secret,
  toDisplay,
  toProvider,
  toState,
  toWire,
  unknownSentinel,
  unknownValue,
  type Value,
} from "../../../sandbox/engine/values.ts";

/** Stands for encryption: turns the text around. */
const reversing: Crypter = {
  encrypt: (text) => [...text].reverse().join(""),
  decrypt: (text) => [...text].reverse().join(""),
};

const { value } = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constant(null),
    fc.boolean(),
    fc.integer(),
    fc.string({ unit: "grapheme" }),
    fc.constant(unknownValue),
    // A secret within a secret is one secret at rest.
    fc.oneof(fc.string(), fc.integer(), fc.array(fc.string())).map((inner) => new Secret(inner)),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(fc.stringMatching(/^[a-z]{1,6}$/), tie("value"), { maxKeys: 4, noNullPrototype: true }),
  ),
}));
const properties = fc.dictionary(fc.stringMatching(/^[a-z]{1,6}$/), value, {
  maxKeys: 4,
  noNullPrototype: true,
});

describe("property values", () => {
  test("come back from the state file as they were", () => {
    fc.assert(
      fc.property(properties, (given) => {
        const json: unknown = JSON.parse(JSON.stringify(toState(given, reversing)));
        expect(deepEqual(decodeMap(json, reversing), given)).toBe(true);
      }),
    );
  });

  test("come back from the wire as they were", () => {
    fc.assert(
      fc.property(properties, (given) => {
        expect(deepEqual(decodeMap(JSON.parse(JSON.stringify(toWire(given)))), given)).toBe(true);
      }),
    );
  });

  test("reach a provider without marks and displays without secrets", () => {
    const given: PropertyMap = { open: 1, hidden: new Secret({ word: "hunter2" }), later: unknownValue };
    const plain = toProvider(given, { secrets: false, resources: false });
    expect(plain).toEqual({ open: 1, hidden: { word: "hunter2" }, later: unknownSentinel });
    expect(toProvider(given, { secrets: true, resources: false })).toEqual(toWire(given));
    expect(toDisplay(given)).toEqual({ open: 1, hidden: "[secret]", later: unknownSentinel });
  });

  test("keep the ciphertext of a secret that did not change", async () => {
    const { crypter } = await newSecrets("words");
    const first = toState({ a: new Secret("x") }, crypter);
    expect(toState(decodeMap(first, crypter), crypter)).toEqual(first);
  });

  test("stay secret if the input of that name was", () => {
    const outs: PropertyMap = { a: "x", list: ["x"], nested: { b: 1, c: 2 }, other: 3 };
    annotateSecrets(outs, { a: new Secret("x"), list: [new Secret("x")], nested: { b: new Secret(1) } });
    const secrets = Object.entries(outs).filter(([, item]) => item instanceof Secret);
    expect(secrets.map(([key]) => key)).toEqual(["a", "list"]);
    expect(toDisplay(outs)).toEqual({
      a: "[secret]",
      list: "[secret]",
      nested: { b: "[secret]", c: 2 },
      other: 3,
    });
  });
});

describe("differences", () => {
  test("show by key, whether secret or not", () => {
    const changes = changedInputs({ a: 1, b: new Secret("x"), c: 1 }, { a: 1, b: "x", d: 1 });
    expect([...changes]).toEqual([
      ["c", "delete"],
      ["d", "add"],
    ]);
  });

  test.each([
    ["a", { a: 1, b: 9 }],
    ["b", { a: 9, b: 1 }],
  ])("leave out ignored paths: %s", (path, expected) => {
    expect(ignoreChanges({ a: 1, b: 1 }, { a: 9, b: 9 }, [path])).toEqual(expected);
  });

  test("leave out ignored paths deep inside lists and objects", () => {
    const olds = { list: [{ a: 1 }, { a: 2 }], map: { x: 1 } };
    const news = { list: [{ a: 8, b: 1 }, { a: 9 }], map: { x: 5, y: 5 } };
    expect(ignoreChanges(olds, news, ["list[*].a", "map.y"])).toEqual({
      list: [{ a: 1, b: 1 }, { a: 2 }],
      map: { x: 5 },
    });
  });

  test("use paths of names, indexes, and quoted keys", () => {
    expect(parsePath('root.list[0]["with.dots"].x')).toEqual(["root", "list", 0, "with.dots", "x"]);
    expect(() => parsePath("a[")).toThrow("not a property path");
  });
});

describe("secrets", () => {
  // Made by the Pulumi CLI 3.260.
  const salt = "v1:Lq+jpWrjzQs=:v1:A1duM6YdzViMGvQ/:XVN+70fkCjoVuFjhI5g1Z5UZkC539w==";
  const ciphertext = "v1:C6G5dU3qkG7H6fV8:/zk/2ZzBCzCgwM8tvMsrW0q1QNvhVvKU";

  test("come back from what the real CLI encrypted", async () => {
    const { crypter } = await openSecrets(salt, "p");
    expect(crypter.decrypt(ciphertext)).toBe('"s3cr3t"');
  });

  test("stay closed to another passphrase", async () => {
    await expect(openSecrets(salt, "q")).rejects.toThrow("incorrect passphrase");
  });
});

describe("URNs", () => {
  test("name the parents' types, the stack's apart", () => {
    const stack = makeUrn("dev", "test", "", "pulumi:pulumi:Stack", "test-dev");
    const group = makeUrn("dev", "test", stack, "a:b:Group", "g");
    const child = makeUrn("dev", "test", group, "c:d:Thing", "x::y");
    expect(child).toBe("urn:pulumi:dev::test::a:b:Group$c:d:Thing::x::y");
    expect(parseUrn(child)).toMatchObject({ type: "c:d:Thing", name: "x::y" });
  });

  test("match wildcards", () => {
    const matches = urnMatcher(["urn:pulumi:dev::test::a:b:*::x", "**::y"]);
    expect(matches?.("urn:pulumi:dev::test::a:b:Thing::x")).toBe(true);
    expect(matches?.("urn:pulumi:dev::test::a:c:Thing::x")).toBe(false);
    expect(matches?.("urn:pulumi:dev::test::q:c:Thing::y")).toBe(true);
    expect(urnMatcher([])).toBeUndefined();
  });
});
