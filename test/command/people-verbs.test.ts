/** `orgseat list`. */
import { describe, expect, test } from "vitest";
import { missingStatesNote, peopleToText, personToText } from "../../command/report/texts/person.ts";
import { fingerprintOf } from "../../command/roster/facts.ts";
import { adoptAll } from "../../command/verbs/adopt.ts";
import { offboardPeople } from "../../command/verbs/offboard.ts";
import { ignoredRows, listPeople, showPerson } from "../../command/verbs/people.ts";
import { upAll } from "../../command/verbs/up.ts";
import { broughtFixture, directFixture } from "./fixture.ts";
import { managed, person } from "./people.ts";

const RECIPIENT = "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p";

async function organizationOf() {
  const people = [
    person("ada", { recipients: [RECIPIENT], team: "platform" }),
    person("bob", { token: false }),
    managed("builds", "Linux builds"),
  ];
  const fixture = await directFixture(20);
  const open = (some = people) => fixture.open(fixture.rosterOf(some));
  await upAll(await open(), {});
  await fixture.sandbox.requests();
  return { fixture, open, people };
}

describe("list", () => {
  test("lists rows and states, without a request", async () => {
    const { fixture, open, people } = await organizationOf();
    const found = await listPeople(await open([...people, person("zoe")]));
    expect(found.map(({ who, seat, inState }) => [who, seat, inState])).toEqual([
      ["ada@acme.example", "assigned", true],
      ["Linux builds", "assigned", true],
      ["bob@acme.example", "assigned", true],
      ["zoe@acme.example", "none", false],
    ]);
    expect(await fixture.sandbox.requests()).toEqual([]);
    const text = peopleToText(found, { columns: 60 });
    expect(text).toMatch(/^Person or purpose +In roster +Seat +Expiry\n/);
    expect(text).toMatch(/^ada@acme\.example +yes +yes +\d{4}-\d\d-\d\d$/m);
    expect(text).toMatch(/^zoe@acme\.example +yes +no +no token$/m);
    expect(peopleToText(found, { tsv: true }).split("\n")[0]).toMatch(
      /^ada@acme\.example\tyes\tyes\t\d{4}-\d\d-\d\d$/,
    );
  });

  test("marks whose row is deleted, and fits a terminal of 60 columns", async () => {
    const { open, people } = await organizationOf();
    const found = await listPeople(await open(people.slice(1)));
    const long = found.map((one) => ({ ...one, who: `${"a".repeat(80)}@acme.example` }));
    const lines = peopleToText(long, { columns: 60 }).split("\n");
    expect(Math.max(...lines.map((line) => line.length))).toBe(60);
    expect(lines[1]).toMatch(/^a+… +no: row deleted +yes +\S+$/);
    expect(peopleToText(long, { tsv: true })).toContain(`${"a".repeat(80)}@acme.example\tno: row deleted\t`);
  });

  test("filters by a part of email, key, purpose, team, or stack", async () => {
    const { open } = await organizationOf();
    const named = async (filter: string) =>
      (await listPeople(await open(), filter)).map(({ who }) => who.slice(0, 3));
    expect(await named("PLATFORM")).toEqual(["ada"]);
    expect(await named("linux")).toEqual(["Lin"]);
    expect(await named("bob@")).toEqual(["bob"]);
    expect(await named("nobody")).toEqual([]);
    expect(peopleToText([])).toBe("No people.");
  });
});

test.each([
  [undefined, "`orgseat up` adds them. If they are members already, use `orgseat adopt`."],
  ["8bf0c87c-6988-4e1c-8779-e74496a256ed", "If the state is lost, use `orgseat adopt --new-stack`."],
])("list says what to do if no state has the people of roster %s", async (id, advice) => {
  const fixture = await directFixture(20);
  const organization = await fixture.open([person("ada")]);
  const people = await listPeople(organization);
  expect(missingStatesNote(people, { id })).toContain(advice);
  await upAll(organization, {});
  expect(missingStatesNote(await listPeople(await fixture.open()), { id })).toBeUndefined();
});

describe("show", () => {
  test("shows seat, token, key, stack, and what the audit log has of the user", async () => {
    const { fixture, open } = await organizationOf();
    const shown = await showPerson(await open(), "Ada@acme.example");
    expect(shown).toMatchObject({
      person: { key: "ada", team: "platform", seat: "assigned", token: { source: "service" } },
      sealedFor: [fingerprintOf(RECIPIENT)],
      history: [
        { name: "add user", outcome: "done" },
        { name: "assign seat", outcome: "done" },
        { name: "issue token", outcome: "done" },
      ],
    });
    const text = personToText(shown, 1);
    expect(text).toContain(`  Sealed for: ${fingerprintOf(RECIPIENT)}`);
    expect(text).toMatch(
      / {2}History:\n {4}2 older \(--verbose lists all\)\n {4}\S+ \S+ UTC {2}issue token$/,
    );
    expect(await fixture.sandbox.requests()).toEqual([]);
  });

  test("suggests the nearest name, and says what comes next for a person without a stack", async () => {
    const { open, people } = await organizationOf();
    const organization = await open([...people, person("zoe")]);
    await expect(showPerson(organization, "zoo")).rejects.toThrow(
      "zoo is not in the roster or the state; did you mean zoe?",
    );
    const text = personToText(await showPerson(organization, "zoe"), 20);
    expect(text).toContain("  Stack: none yet: the next `orgseat up` applies the row");
  });

  test("says when orgseat added the person and issued the token, and that the row is gone", async () => {
    const { open, people } = await organizationOf();
    const shown = await showPerson(await open(people.slice(1)), "ada@acme.example");
    expect(shown).toMatchObject({
      person: { adopted: false, token: { issuedAt: expect.any(String), adoptedAt: null } },
      issuedAt: shown.person.token?.issuedAt,
      offboarded: null,
    });
    const text = personToText(shown, 1);
    expect(text).toMatch(/^ {2}In roster: no: the next `orgseat up` removes or retains this person$/m);
    expect(text).toMatch(/^ {2}Added by orgseat: \d{4}-\d\d-\d\d$/m);
    expect(text).toMatch(/^ {2}Token issued by orgseat: \S+ \S+ UTC$/m);
    expect(text).not.toMatch(/adopted|since/i);
  });

  test("says adopted instead of a date that only the service knows", async () => {
    const fixture = await directFixture(20, "anaconda");
    await fixture.makeMember(person("ada"));
    const { subscriptionExpiresAt } = fixture.sandbox.service.seed;
    const opened = await fixture.open({ ...fixture.rosterOf([]), subscriptionExpiresAt });
    expect((await adoptAll(opened, { onDelete: "delete" })).status).toBe("succeeded");
    const shown = await showPerson(await fixture.open(), "ada@acme.example");
    expect(shown).toMatchObject({
      person: { adopted: true, token: { issuedAt: null, adoptedAt: expect.any(String) } },
      issuedAt: null,
    });
    const text = personToText(shown, 1);
    expect(text).toMatch(/^ {2}Adopted: \d{4}-\d\d-\d\d$/m);
    expect(text).toMatch(/^ {2}Token adopted: \S+ \S+ UTC$/m);
    expect(text).not.toMatch(/by orgseat|since/);
  });

  test("says who is on the offboarded list, before and after the removal, although the roster has the row", async () => {
    const { open } = await organizationOf();
    const onApply = () => Promise.reject(new Error("killed"));
    await expect(offboardPeople(await open(), ["bob"], { by: "ticket 1", onApply })).rejects.toThrow(
      "killed",
    );
    const shown = await showPerson(await open(), "bob");
    expect(shown.offboarded).toMatchObject({ by: "ticket 1" });
    expect(personToText(shown, 1)).toMatch(
      /^ {2}Offboarded: since \S+, by ticket 1; every run ignores a row, /m,
    );
    await offboardPeople(await open(), ["bob"], {});
    expect(ignoredRows(await open())).toEqual(["bob@acme.example"]);
    await expect(showPerson(await open(), "bob")).rejects.toThrow(
      /^bob is not in the state, and every run ignores a row: on the offboarded list since \S+, by ticket 1\. If/,
    );
  });

  test("knows the people whose rows are deleted by their keys, and two of one purpose as two", async () => {
    const { fixture } = await broughtFixture([
      person("ada"),
      managed("m1", "Builds"),
      managed("m2", "Builds"),
    ]);
    const organization = await fixture.open([person("ada")]);
    const { person: shown } = await showPerson(organization, "m2");
    expect(shown).toMatchObject({ who: "Builds", key: null, inRoster: false, inState: true });
    await expect(showPerson(organization, "Builds")).rejects.toThrow(
      "Builds is ambiguous: m1 (Builds), m2 (Builds). Use m1 or m2",
    );
  });
});
