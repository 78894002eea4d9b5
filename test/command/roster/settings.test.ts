/** A verb that adds people changes no setting that rows have. */
import { expect, test } from "vitest";
import { type GivenSettings, refuseOtherSettings } from "../../../command/roster/edit/settings.ts";
import { parseRoster } from "../../../command/roster/read.ts";

const ORGANIZATION = "1b4e28ba-2fa1-11d2-883f-0016d3cca427";

function rosterOf(
  header: Readonly<Record<string, string>>,
  people = ["ada@acme.example", "bob@acme.example"],
) {
  const lines = Object.entries({ organization: ORGANIZATION, ...header }).map(
    ([name, value]) => `# ${name}: ${value}`,
  );
  return parseRoster([...lines, "email", ...people, ""].join("\n"), "people.csv");
}

const ROWS =
  /would concern 2 rows: ada@acme\.example \(people\.csv, line \d\), bob@acme\.example \(people\.csv, line \d\)/;

test.each<[string, Readonly<Record<string, string>>, GivenSettings]>([
  ["organization", {}, { organization: "2b4e28ba-2fa1-11d2-883f-0016d3cca427" }],
  ["subscription", { subscription: "2027-12-31" }, { subscription: "2028-12-31" }],
  ["subscription", { subscription: "2027-12-31" }, { subscription: "2027-12-31T00:00:00Z" }],
  ["on_delete", { on_delete: "delete" }, { on_delete: "retain" }],
  ["on_delete", { on_delete: "retain" }, { on_delete: "delete" }],
])("refuses another %s, with the rows that it concerns", (field, header, given) => {
  const refusing = () => refuseOtherSettings(rosterOf(header), given);
  expect(refusing).toThrow(RegExp(`^cannot write ${field}: `));
  expect(refusing).toThrow(ROWS);
});

test.each<[string, Readonly<Record<string, string>>, GivenSettings]>([
  ["the same organization", {}, { organization: ORGANIZATION.toUpperCase() }],
  ["the same date in another form", { subscription: "2027-12-31" }, { subscription: "2027-12-31T23:59:59Z" }],
  ["the same value", { on_delete: "retain" }, { on_delete: "retain" }],
  ["a value that the roster lacks", {}, { subscription: "2027-12-31", on_delete: "retain" }],
  ["no value", { on_delete: "retain" }, {}],
])("accepts %s", (_, header, given) => {
  expect(() => refuseOtherSettings(rosterOf(header), given)).not.toThrow();
});

test("refuses another value than the default of rows that a state has", () => {
  const managed = new Set(["ada@acme.example"]);
  const refusing = () => refuseOtherSettings(rosterOf({}), { on_delete: "retain" }, managed);
  expect(refusing).toThrow(
    "has no on_delete, which means delete, and the change would concern 1 row: ada@acme.example",
  );
  expect(() => refuseOtherSettings(rosterOf({}), { on_delete: "delete" }, managed)).not.toThrow();
});
