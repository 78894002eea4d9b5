/** `orgseat list` at a terminal. */
import { expect, test } from "vitest";
import { peopleToText } from "../../command/report/texts/person.ts";
import { listPeople } from "../../command/verbs/people.ts";
import { broughtFixture } from "./fixture.ts";
import { person } from "./people.ts";

test("list fits its columns into a terminal of 60, and cuts nothing for a program", async () => {
  const { fixture } = await broughtFixture([person("ada"), person("bob")]);
  const found = await listPeople(await fixture.open([person("bob")]));
  expect(peopleToText(found, { columns: 60 })).toMatch(/^Person or purpose +In roster +Seat +Expiry\n/);
  const long = found.map((one) => ({ ...one, who: `${"a".repeat(80)}@acme.example` }));
  const lines = peopleToText(long, { columns: 60 }).split("\n");
  expect(Math.max(...lines.map((line) => line.length))).toBe(60);
  expect(lines.join("\n")).toMatch(/^a+… +no: row deleted +yes +\S+$/m);
  expect(peopleToText(long, { tsv: true })).toContain(`${"a".repeat(80)}@acme.example\tno: row deleted\t`);
});
