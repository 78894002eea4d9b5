/** Whatever a row says and a later run goes by is in the digest of the plan, for new people and for present ones. */
import { describe, expect, test } from "vitest";
import { previewAll } from "../../../sdk/automation/preview/preview.ts";
import { type PersonField, personNames } from "../../../sdk/automation/roster/fields.ts";
import { newRoster } from "../../../sdk/automation/roster/write.ts";
import { upAll } from "../../../sdk/automation/verbs/up.ts";
import { directFixture, type Fixture } from "./fixture.ts";
import { person } from "./people.ts";

const KEY = "age1texh9zrs847lyvgeq4pd4p66lylrefkv4k0lmvulpxsr0aa4nqtqwwlthl";
const OTHER_KEY = "age1lggyhqrw2nlhcxprm67z43rta597azn8gknawjehu9d9dl0jq3yqqvfafg";

type Row = Partial<Record<PersonField, string>>;

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
  access_until: ["2027-01-01", "2027-02-01"],
  protected: ["yes", "no"],
} as const satisfies Record<PersonField, readonly [string, string] | undefined>;

/** Fields that only a new member has: the service keeps the names, and an id is for an adoption. */
const OF_NEW: ReadonlySet<PersonField> = new Set(["first_name", "last_name", "user_id"]);

function rowWith(field: PersonField, value: string): Row {
  const name = field === "purpose" ? {} : { email: "ada@acme.example" };
  return { key: "ada", ...name, [field]: value };
}

/** A roster of the owner and one row. */
function rosterOf(fixture: Fixture, row: Row): string {
  const { subscriptionExpiresAt } = fixture.sandbox.service.seed;
  const head = newRoster(
    { organizationId: fixture.organizationId, stacks: 1, people: [], subscriptionExpiresAt },
    "csv",
    ["key"],
  );
  const settings = head.split("\n").filter((line) => line.startsWith("#"));
  const { key: owner } = person("owner");
  const rows = [
    personNames.join(","),
    personNames
      .map((name) => (name === "key" ? owner : name === "email" ? `${owner}@acme.example` : ""))
      .join(","),
    personNames.map((name) => row[name] ?? "").join(","),
  ];
  return `${[...settings, ...rows].join("\n")}\n`;
}

const NOW = Date.parse("2026-06-01T00:00:00Z");

async function entriesOf(fixture: Fixture, row: Row): Promise<string> {
  const organization = await fixture.open(rosterOf(fixture, row), { now: () => NOW });
  const { document } = await previewAll(organization, {});
  return JSON.stringify(document.entries);
}

const fields = personNames.flatMap((name) => {
  const pair = values[name];
  return pair === undefined ? [] : [[name, pair] as const];
});

describe("a plan", () => {
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
      const organization = await fixture.open(rosterOf(fixture, rowWith(field, one)), { now: () => NOW });
      expect((await upAll(organization, {})).status).toBe("succeeded");
      expect(await entriesOf(fixture, rowWith(field, one))).toBe("[]");
      expect(await entriesOf(fixture, rowWith(field, other))).not.toBe("[]");
    },
  );
});
