import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { nothingHeld } from "../../../provider/member/held.ts";
import {
  identify,
  type ListedUsers,
  type MemberInState,
  type Row,
} from "../../../provider/member/identify.ts";
import { checkCases } from "../../setup/cases.ts";
import { user } from "./people.ts";

const at = (name: string) => `${name}@acme.example`;
const row = (name: string, more: Partial<Row> = {}): Row => ({ label: name, email: at(name), ...more });

/** A member that holds user `u-<name>` at the address of that name. */
function member(name: string, more: Partial<MemberInState> & { readonly key?: string } = {}): MemberInState {
  const { key, ...rest } = more;
  const held = { ...nothingHeld(`m-${name}`, key), users: [user("basic", { id: `u-${name}` })] };
  return { name, email: at(name), held, ...rest };
}

function lists(users: Readonly<Record<string, string>>, absent: readonly string[] = []): ListedUsers {
  return { users: Object.entries(users).map(([id, name]) => ({ id, email: at(name) })), absent };
}

function told(
  rows: readonly Row[],
  members: readonly MemberInState[],
  list?: ListedUsers,
  isDirectory = false,
) {
  const found = identify(rows, members, list, { isDirectory });
  return {
    rows: found.rows.map(({ row: one, member: of, name, by, adopts, after }) =>
      [
        one.label,
        of?.name ?? "new",
        by,
        name,
        ...(adopts ? [`adopts ${adopts}`] : []),
        ...after.map((n) => `after ${n}`),
      ].join(" "),
    ),
    leavers: found.leavers.map(({ name }) => name),
    stopped: found.stopped.map(({ row: one, code, other }) => `${one.label} ${code} ${other}`),
    drift: found.drift.map(({ member: of, email }) => `${of.name} ${email}`),
  };
}

const none = { leavers: [], stopped: [], drift: [] };

describe("identify", () => {
  test("finds a row by its key, whatever its address is", () => {
    const found = told([row("lovelace", { key: "k" })], [member("ada", { key: "k" }), member("grace")]);
    expect(found).toEqual({ ...none, rows: ["lovelace ada key ada"], leavers: ["grace"] });
  });

  test("finds a row by its user id, then by the held address in any letter case", () => {
    const rows = [row("lovelace", { userId: "u-ada" }), { label: "g", email: "Grace@ACME.example" }];
    const found = told(rows, [member("ada"), member("grace")]);
    expect(found).toEqual({ ...none, rows: ["lovelace ada userId ada", "g grace address grace"] });
  });

  test("takes a row without a key for no member of that key, whatever a resource is called", () => {
    const found = told([row("ada")], [member("ada", { email: at("other") })]);
    expect(found).toEqual({ ...none, rows: ["ada new new ada@acme.example"], leavers: ["ada"] });
  });

  test("finds a changed key by the address", () => {
    expect(told([row("ada", { key: "new" })], [member("ada", { key: "old" })])).toEqual({
      ...none,
      rows: ["ada ada address ada"],
    });
  });

  test("finds a changed address by the list", () => {
    const found = told([row("lovelace")], [member("ada")], lists({ "u-ada": "lovelace" }));
    expect(found).toEqual({ ...none, rows: ["lovelace ada list ada"] });
    expect(told([row("lovelace")], [member("ada")])).toEqual({
      ...none,
      rows: ["lovelace new new lovelace@acme.example"],
      leavers: ["ada"],
    });
  });

  test.each([
    ["keys", [row("a", { key: "k" }), row("b", { key: "k" })]],
    ["a key and a user id", [row("a", { key: "k" }), row("b", { userId: "u-ada" })]],
    ["a user id and a key", [row("b", { userId: "u-ada" }), row("a", { key: "k" })]],
  ])("stops a second row for one member: %s", (_, rows) => {
    const found = told(rows, [member("ada", { key: "k" })]);
    expect(found).toEqual({ ...none, rows: ["a ada key ada"], stopped: ["b duplicate-declaration a"] });
  });

  test("gives a new member a name that the state does not have", () => {
    const members = [member("ada@acme.example", { email: at("grace"), key: "grace" })];
    const found = told([row("ada"), row("x", { key: "ada@acme.example", email: at("x") })], members);
    expect(found).toEqual({
      ...none,
      rows: ["ada new new ada@acme.example-2", "x new new ada@acme.example-3"],
      leavers: ["ada@acme.example"],
    });
  });

  test("lets a row follow the holder of its address who changes in this plan", () => {
    const rows = [row("ada", { key: "new" }), row("lovelace", { key: "k" })];
    const found = told(rows, [member("ada", { key: "k" })]);
    expect(found.rows).toEqual(["ada new new new after ada", "lovelace ada key ada"]);
    expect(found.stopped).toEqual([]);
  });

  test("lets a row follow the holder of its address who leaves", () => {
    const rows = [row("grace", { key: "k" })];
    expect(told(rows, [member("ada", { key: "k" }), member("grace")])).toEqual({
      ...none,
      rows: ["grace ada key ada after grace"],
      leavers: ["grace"],
    });
  });

  test("stops a row whose address the list shows for a member who keeps another one", () => {
    const rows = [row("lovelace", { key: "l" }), row("ada", { key: "k" })];
    const members = [member("ada", { key: "k" }), member("other", { key: "l" })];
    const found = told(rows, members, lists({ "u-ada": "lovelace", "u-other": "other" }));
    expect(found.stopped).toEqual(["lovelace address-in-use ada"]);
    expect(found.rows).toEqual(["ada ada key ada"]);
    expect(found.leavers).toEqual([]);
  });

  test("refuses a ring", () => {
    const rows = [row("grace", { key: "a" }), row("ada", { key: "g" }), row("eve", { key: "e" })];
    const members = [member("ada", { key: "a" }), member("grace", { key: "g" }), member("eve", { key: "e" })];
    const found = told(rows, members);
    expect(found.stopped).toEqual(["grace address-in-use grace", "ada address-in-use ada"]);
    expect(found.rows).toEqual(["eve eve key eve"]);
  });

  test("refuses a ring of three, and not the row behind a chain", () => {
    const rows = [
      row("b", { key: "a" }),
      row("c", { key: "b" }),
      row("a", { key: "c" }),
      row("d", { key: "e" }),
    ];
    const members = ["a", "b", "c", "d", "e"].map((name) => member(name, { key: name }));
    const found = told(rows, members);
    expect(found.stopped.map((one) => one.split(" ")[0])).toEqual(["b", "c", "a"]);
    expect(found.rows).toEqual(["d e key e after d"]);
  });

  test("says which address nobody declares", () => {
    const found = told(
      [row("ada", { key: "k" })],
      [member("ada", { key: "k" })],
      lists({ "u-ada": "moved" }),
    );
    expect(found).toEqual({ ...none, rows: ["ada ada key ada"], drift: ["ada moved@acme.example"] });
    const known = told([row("ada", { key: "k" })], [member("ada", { key: "k" })], lists({ "u-ada": "ada" }));
    expect(known.drift).toEqual([]);
  });

  test("adopts the new user of a directory once the held one is proven absent", () => {
    const list = lists({ "u-new": "ada" }, ["u-ada"]);
    expect(told([row("ada", { key: "k" })], [member("ada", { key: "k" })], list, true).rows).toEqual([
      "ada ada key ada adopts u-new",
    ]);
    expect(
      told([row("ada", { key: "k" })], [member("ada", { key: "k" })], lists({ "u-new": "ada" }), true).rows,
    ).toEqual(["ada ada key ada"]);
    expect(told([row("eve")], [], lists({ "u-eve": "eve" }), true).rows).toEqual([
      "eve new new eve@acme.example adopts u-eve",
    ]);
    expect(told([row("eve")], [], lists({ "u-eve": "eve" })).rows).toEqual(["eve new new eve@acme.example"]);
  });

  test("names machine users by their keys", () => {
    const rows = [{ label: "row 3", key: "ci", purpose: "Builds" }];
    expect(told(rows, []).rows).toEqual(["row 3 new new ci"]);
    expect(told([{ label: "row 3", purpose: "Builds" }], []).rows).toEqual(["row 3 new new row 3"]);
  });

  test("gives each member to one row at most, and each row one name", async () => {
    const suite = { name: "rows and members", level: "R" as const, cases: 5_000 };
    const who = fc.constantFrom("a", "b", "c", "d");
    const rows = fc.array(fc.record({ email: who, key: fc.option(who, { nil: undefined }) }), {
      maxLength: 5,
    });
    const members = fc.array(fc.record({ email: who, key: fc.option(who, { nil: undefined }) }), {
      maxLength: 5,
    });
    await checkCases(suite, fc.tuple(rows, members, fc.boolean()), async ([given, known, isListed]) => {
      const state = known.map(({ email, key }, index) => ({
        ...member(`${index}`, { ...(key !== undefined && { key: `${key}${index}` }) }),
        email: at(email),
      }));
      const list = isListed
        ? lists(Object.fromEntries(known.map(({ email }, index) => [`u-${index}`, email])))
        : undefined;
      const found = identify(
        given.map(({ email, key }, index) => row(`${index}`, { email: at(email), key })),
        state,
        list,
      );
      const taken = found.rows.flatMap(({ member: one }) => one ?? []);
      expect(new Set(taken).size).toBe(taken.length);
      expect(found.rows.length + found.stopped.length).toBe(given.length);
      const names = found.rows.map(({ name }) => name);
      expect(new Set(names).size).toBe(names.length);
      for (const one of found.rows)
        if (one.member === undefined) expect(state.map(({ name }) => name)).not.toContain(one.name);
      for (const one of found.leavers) expect(taken).not.toContain(one);
    });
  });
});
