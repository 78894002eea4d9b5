/** Whom an adoption leaves out, whatever the service lists; stories/adopt.txt has what it takes. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseRoster } from "../../command/roster/read.ts";
import { labelOf, personName, type RosterPerson } from "../../command/roster/roster.ts";
import { newRoster } from "../../command/roster/write.ts";
import { type AdoptionOptions, adoptionOf } from "../../command/service/adoptable.ts";
import { listedUserSchema } from "../../provider/api/schemas/anaconda-schemas.ts";
import type { ListedUser } from "../../provider/service/members.ts";
import { checkCases } from "../setup/cases.ts";
import { addPeople } from "./roster/one-file.ts";

const end = "2027-12-31T23:59:59Z";
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

function adopt(users: readonly ListedUser[], more: Partial<AdoptionOptions> = {}) {
  const members = {
    organizationId,
    users,
    tokens: new Map(),
    ...{ odd: [], unread: new Set<string>(), unreadable: new Map<string, string>() },
    gone: new Set<string>(),
    contradicted: new Set<string>(),
    kept: new Set<string>(),
  };
  return adoptionOf(members, { ...options, ...more });
}

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
  const { added, notes } = adopt(users, { roster: { ...options.roster, people }, offboarded });
  expect(added.map(({ email }) => email)).toEqual(["bob@acme.example"]);
  expect(notes.map(({ text }) => text)).toEqual([
    "not adopted: the roster lists this email with the user id another",
    "not adopted: another member has the same email, except for letter case or the form of accents",
    "not adopted: on the offboarded list",
    "not adopted: not an email address. A roster cannot hold this address; correct it in the service",
    "not adopted: not an email address: U+200B in column 2 is an invisible character. Type the address again. A roster cannot hold this address; correct it in the service",
  ]);
});

describe("a member whom a roster cannot hold", () => {
  const long = "x".repeat(300);

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
