/** Whom an adoption takes, and what it leaves out and says. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseRoster } from "../../command/roster/read.ts";
import { labelOf, personName, type RosterPerson } from "../../command/roster/roster.ts";
import { newRoster } from "../../command/roster/write.ts";
import { type AdoptionOptions, adoptionOf } from "../../command/service/adoptable.ts";
import { listedUserSchema } from "../../provider/api/schemas/anaconda-schemas.ts";
import type { ListedToken, ListedUser } from "../../provider/service/members.ts";
import { checkCases } from "../setup/cases.ts";
import { addPeople } from "./roster/one-file.ts";

const end = "2027-12-31T23:59:59Z";
const early = "2027-06-30T12:00:00Z";
const now = Date.parse("2026-11-22T00:00:00Z");
const organizationId = "00000000-0000-4000-8000-00000000acce";

const options: AdoptionOptions = {
  roster: { file: "people.csv", organizationId, subscriptionExpiresAt: end, people: [] },
  ...{
    offboarded: [],
    managed: new Set(),
    tokenless: new Set(),
    product: undefined,
    subscriptionExpiresAt: undefined,
  },
  ...{ now, onlyUnmanaged: false },
};

function user(id: string, more: Partial<ListedUser> = {}): ListedUser {
  return { id, email: `${id}@acme.example`, role: "member", subscriptions: ["seat"], ...more };
}

function row(key: string, more: Partial<RosterPerson> = {}): RosterPerson {
  const common = { seat: true, token: true, protected: false, place: "people.csv, line 2" };
  return { key, email: `${key}@acme.example`, ...common, ...more };
}

function adopt(
  users: readonly ListedUser[],
  tokens: Readonly<Record<string, readonly ListedToken[]>> = {},
  more: Partial<AdoptionOptions> = {},
) {
  const members = {
    organizationId,
    users,
    tokens: new Map(Object.entries(tokens)),
    ...{ odd: [], unread: new Set<string>(), unreadable: new Map<string, string>() },
    gone: new Set<string>(),
    contradicted: new Set<string>(),
    kept: new Set<string>(),
  };
  return adoptionOf(members, { ...options, ...more });
}

const live = (id: string, expires_at = end): ListedToken => ({ id, expires_at, revoked: false });

type Adoptable = readonly [ListedUser, tokens: readonly ListedToken[], added: object, note?: string];
const adoptable: readonly Adoptable[] = [
  [user("one"), [live("a")], { token: true, adoptToken: true, expires: undefined }],
  [
    user("early", { subscriptions: ["seat", "other"] }),
    [live("a", early), { ...live("b"), revoked: true }],
    { token: true, adoptToken: true, expires: early },
  ],
  [user("none"), [], { seat: true, token: false, adoptToken: undefined, protected: false }],
  [
    user("two"),
    [live("a"), live("b")],
    { token: false },
    "adopted without the token: the member has 2 tokens, but a roster supports one per person",
  ],
  [
    user("seatless", { subscriptions: [] }),
    [live("a")],
    { token: false },
    "adopted without the token: the member has no seat",
  ],
  [
    user("late"),
    [live("a", "2026-01-01T00:00:00Z")],
    { token: false },
    "adopted without the token: it expired at 2026-01-01T00:00:00Z",
  ],
  [user("boss", { role: "admin", subscriptions: [] }), [], { seat: false, protected: true }],
  [user("pays", { role: "billing_manager" }), [], { seat: true, protected: true }],
];

test.each(adoptable.map(([listed, ...rest]) => ({ id: listed.id, listed, rest })))(
  "adoption: seat, token, date and protection of $id, and what is left out",
  ({ id, listed, rest: [tokens, expected, note] }) => {
    const { added, notes } = adopt([listed], { [id]: tokens }, { product: "seat" });
    expect(added).toMatchObject([expected]);
    expect(notes).toEqual(note === undefined ? [] : [{ who: listed.email, text: note }]);
  },
);

test("adoption: nobody is added twice, against the offboarded list, or against another user id of the roster", () => {
  const people = [row("ada", { userId: "another" })];
  const users = [
    user("ada"),
    user("bob"),
    user("x", { email: "BOB@acme.example" }),
    user("gone"),
    user("odd", { email: "odd" }),
    user("unseen", { email: "a\u200bda@acme.example" }),
  ];
  const offboarded = [{ email: "gone@acme.example" }];
  const { added, notes } = adopt(users, {}, { roster: { ...options.roster, people }, offboarded });
  expect(added.map(({ email }) => email)).toEqual(["bob@acme.example"]);
  expect(notes.map(({ text }) => text)).toEqual([
    "not adopted: the roster lists this email with the user id another",
    "not adopted: another member has the same email, except for letter case or the form of accents",
    "not adopted: on the offboarded list",
    "not adopted: not an email address. A roster cannot hold this address; correct it in the service",
    "not adopted: not an email address: U+200B in column 2 is an invisible character. Type the address again. A roster cannot hold this address; correct it in the service",
  ]);
});

test("adoption: a row with the email of a member gets the user id, unless only unmanaged members are wanted", () => {
  const roster = { ...options.roster, people: [row("ada", { key: "ada" })] };
  const tokens = { ada: [{ id: "t1", expires_at: end }] };
  const { added, completed } = adopt([user("ada"), user("bob")], tokens, { roster });
  expect(completed).toEqual([{ key: "ada", userId: "ada", seat: true, adoptToken: true }]);
  expect(added.map(({ email }) => email)).toEqual(["bob@acme.example"]);
  const only = adopt([user("ada"), user("bob")], tokens, { roster, onlyUnmanaged: true });
  expect({ ...only, added: only.added.length }).toEqual({ added: 1, completed: [], notes: [] });
});

test("adoption: a member whose access has ended in the roster is left out with the date, and one whose access goes on is not", () => {
  const people = [
    row("ada", { accessUntil: "2026-11-20T23:59:59Z" }),
    row("bob", { accessUntil: "2026-11-22T23:59:59Z" }),
  ];
  const roster = { ...options.roster, people };
  const { added, completed, notes } = adopt([user("ada"), user("bob")], {}, { roster });
  expect(added).toEqual([]);
  expect(completed).toMatchObject([{ key: "bob" }]);
  expect(notes).toEqual([
    { who: "ada@acme.example", text: "not adopted: access ended on 2026-11-20 (access_until)" },
  ]);
});

describe("a member whom a roster cannot hold", () => {
  const long = "x".repeat(300);

  test("stops nobody: a name that is too long or a private key is left out", () => {
    const key = `AGE-SECRET-KEY-1${"Q".repeat(58)}`;
    const { added, notes } = adopt([
      user("ada", { first_name: long, last_name: "Lovelace" }),
      user("bob", { first_name: "Bob", last_name: key }),
      user("eve", { first_name: "Eve" }),
    ]);
    expect(added.map(({ email, firstName, lastName }) => [email, firstName, lastName])).toEqual([
      ["ada@acme.example", undefined, "Lovelace"],
      ["bob@acme.example", "Bob", undefined],
      ["eve@acme.example", "Eve", undefined],
    ]);
    expect(notes.map(({ who, text }) => `${who}: ${text.replace(/x+/, "x")}`)).toEqual([
      'ada@acme.example: adopted without first_name: "x…": too long (at most 200 characters)',
      expect.stringMatching(/^bob@acme.example: adopted without last_name: .*private key/),
    ]);
  });

  test("leaves out a name that a spreadsheet would evaluate", () => {
    const eve = { ...user("eve"), first_name: '=HYPERLINK("http://evil.example")', last_name: "Ng" };
    const { added, notes } = adopt([eve]);
    expect(added).toMatchObject([{ email: "eve@acme.example", firstName: undefined, lastName: "Ng" }]);
    expect(notes).toEqual([
      {
        who: "eve@acme.example",
        text: "adopted without first_name: a spreadsheet would evaluate it as a formula",
      },
    ]);
  });

  test("stops nobody: an email that is the key of another row, and a user id of another row", () => {
    const people = [
      row("ada", { key: "bob@acme.example", email: "ada@acme.example", userId: "ada" }),
      row("cyd", { email: "old@acme.example", userId: "cyd" }),
    ];
    const users = [user("bob"), user("cyd"), user("eve")];
    const { added, notes } = adopt(users, {}, { roster: { ...options.roster, people }, onlyUnmanaged: true });
    expect(added.map(({ email }) => email)).toEqual(["eve@acme.example"]);
    expect(notes.map(({ who, text }) => `${who}: ${text}`)).toEqual([
      expect.stringMatching(/^bob@acme.example: not adopted: duplicate key "bob@acme.example"/),
      expect.stringMatching(/^cyd@acme.example: not adopted: duplicate user_id "cyd"/),
    ]);
  });

  test("stops nobody, whatever the service lists: the roster with the others is valid", async () => {
    const texts = fc.oneof(
      fc.string({ unit: "binary", maxLength: 30 }),
      fc.constantFrom(long, "#1", '"', "a\nb", "\u001b[2K", "\u200b", "=1+1", " ", "AGE-SECRET-KEY-1Q"),
    );
    const named = fc.record({ first_name: fc.option(texts), last_name: fc.option(texts), email: texts });
    const suite = { name: "adopted members", level: "R", cases: 2000 } as const;
    await checkCases(suite, fc.array(named, { maxLength: 5 }), async (members) => {
      const listed = members.map(({ email, ...names }, place) =>
        listedUserSchema.parse({ ...user(`u-${place}`), ...names, ...(place % 2 === 0 ? {} : { email }) }),
      );
      const { added } = adopt([...listed, user("last")]);
      const text = addPeople(newRoster({ ...options.roster, people: [] }, "csv"), "people.csv", added).text;
      const read = parseRoster(text, "people.csv").people.map(({ userId }) => userId);
      expect(read).toEqual(added.map(({ userId }) => userId));
      expect(read).toEqual(
        expect.arrayContaining(["last", ...listed.flatMap(({ id }, place) => (place % 2 === 0 ? [id] : []))]),
      );
    });
  });
});

test.each([
  [{ first_name: "Linux builds", last_name: "core" }, "Linux builds core"],
  [{}, "1b4e28ba-2fa1-11d2-883f-0016d3cca427@managed.example"],
])(
  "a machine user whose email the service made of the id is called by its names, with %j",
  (names, expected) => {
    const id = "1b4e28ba-2fa1-11d2-883f-0016d3cca427";
    const { added } = adopt([user(id, { email: `${id}@managed.example`, ...names })]);
    expect(added.map(labelOf)).toEqual([expected]);
    expect(added.map(({ firstName, lastName, email }) => personName({ firstName, lastName, email }))).toEqual(
      [expected],
    );
  },
);
