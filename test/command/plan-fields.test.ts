/** Whatever a row says and a later run goes by is in the digest of the plan, for new people and for present ones. */
import { describe, expect, test } from "vitest";
import { previewOf } from "../../command/preview/preview.ts";
import { type HeaderField, headerNames, type PersonField, personNames } from "../../command/roster/fields.ts";
import { upAll } from "../../command/verbs/up.ts";
import { directFixture, type Fixture } from "./fixture.ts";
import { csvOf, type Fields } from "./stories/people.ts";

const KEY = "age1texh9zrs847lyvgeq4pd4p66lylrefkv4k0lmvulpxsr0aa4nqtqwwlthl";
const OTHER_KEY = "age1lggyhqrw2nlhcxprm67z43rta597azn8gknawjehu9d9dl0jq3yqqvfafg";

/** Two values of each field, beside which the row has nothing; undefined if no run goes by the field. */
const values = {
  key: ["ada", "ada2"],
  email: ["ada@acme.example", "ada2@acme.example"],
  purpose: ["Builds", "Tests"],
  first_name: ["Ada", "Adele"],
  last_name: ["Lovelace", "Byron"],
  team: undefined,
  seat: ["yes", "no"],
  token: ["yes", "no"],
  expires: ["2027-01-01", "2027-02-01"],
  window: ["1d", "2d"],
  expiration_tolerance_months: ["1", "2"],
  send_email: ["yes", "no"],
  recipients: [KEY, OTHER_KEY],
  keep_value: ["yes", "no"],
  user_id: ["", "11111111-0000-4000-8000-000000000001"],
  rotation: ["2026-01-01", "2026-02-01"],
  rotate_every: ["60d", "90d"],
  keep_previous: ["7d", "14d"],
  access_until: ["2027-01-01", "2027-02-01"],
  protected: ["yes", "no"],
  exempt: undefined,
  idle_notice: undefined,
} as const satisfies Record<PersonField, readonly [string, string] | undefined>;

/**
 * Fields whose change of a present person is nothing: an id is for an adoption, and `send_email` is for the next seat and token, whose plan
 * has it.
 */
const OF_NEW: ReadonlySet<PersonField> = new Set(["user_id", "send_email"]);

function rowWith(field: PersonField, value: string): Fields {
  const name = field === "purpose" ? {} : { email: "ada@acme.example" };
  return { key: "ada", ...name, [field]: value };
}

/**
 * The same of the header, for rows whose tokens are sealed. Undefined for what the document names itself (organization, roster), for
 * what only a guard asks (seats, rows, max_removals), and for a note (owner).
 */
const headerValues = {
  organization: undefined,
  roster: undefined,
  subscription: ["2027-03-01", "2027-04-01"],
  seats: undefined,
  rows: undefined,
  max_removals: undefined,
  owner: undefined,
  require_sealed_tokens: ["", "true"],
  on_delete: ["delete", "retain"],
  membership: ["", "directory"],
} as const satisfies Record<HeaderField, readonly [string, string] | undefined>;

/** A roster of the owner and one row. */
function rosterOf(fixture: Fixture, row: Fields, header: Fields = {}): string {
  const { subscriptionExpiresAt: subscription } = fixture.sandbox.service.seed;
  const recipients = Object.keys(header).length > 0 ? OTHER_KEY : "";
  const settings = { organization: fixture.organizationId, subscription, ...header };
  const given = Object.entries(settings).filter(([, value]) => value !== "");
  const owner = { key: "owner", email: "owner@acme.example", recipients };
  return csvOf([owner, row], Object.fromEntries(given));
}

const NOW = Date.parse("2026-06-01T00:00:00Z");

async function entriesOf(fixture: Fixture, row: Fields, header?: Fields): Promise<string> {
  const organization = await fixture.open(rosterOf(fixture, row, header), { now: () => NOW });
  const { document } = await previewOf(organization, {});
  return JSON.stringify(document.entries);
}

/** The fields that have two values. */
function paired<Name extends string>(
  names: readonly Name[],
  of: Readonly<Record<Name, readonly [string, string] | undefined>>,
) {
  return names.flatMap((name) => (of[name] === undefined ? [] : [[name, of[name]] as const]));
}
const fields = paired(personNames, values);
const headers = paired(headerNames, headerValues);

type Rostered = Readonly<Parameters<typeof rosterOf>>;

/** Of members who have the one value, a run shows the other. */
async function expectShown(fixture: Fixture, one: Rostered, other: Rostered): Promise<void> {
  const organization = await fixture.open(rosterOf(...one), { now: () => NOW });
  expect((await upAll(organization, {})).status).toBe("succeeded");
  expect(await entriesOf(...one)).toBe("[]");
  expect(await entriesOf(...other)).not.toBe("[]");
}

describe("a plan", () => {
  test.each(headers)(
    "binds %s of the header, before the first run and after it",
    async (field, [one, other]) => {
      const fixture = await directFixture(10, "anaconda");
      const sealed = { ...rowWith("email", "ada@acme.example"), recipients: KEY };
      const headed = (value: string) => [fixture, sealed, { [field]: value }] as const;
      expect(await entriesOf(...headed(other))).not.toBe(await entriesOf(...headed(one)));
      await expectShown(fixture, headed(one), headed(other));
    },
  );

  test.each(fields)("binds %s of a new person", async (field, [one, other]) => {
    const fixture = await directFixture(10, "anaconda");
    const entries = await entriesOf(fixture, rowWith(field, one));
    expect(await entriesOf(fixture, rowWith(field, other))).not.toBe(entries);
    expect(await entriesOf(fixture, { ...rowWith(field, one), team: "Engines" })).toBe(entries);
  });

  test.each(fields.filter(([name]) => !OF_NEW.has(name)))(
    "shows a changed %s of a present person",
    async (field, [one, other]) => {
      const fixture = await directFixture(10, "anaconda");
      await expectShown(fixture, [fixture, rowWith(field, one)], [fixture, rowWith(field, other)]);
    },
  );
});
