import { describe, expect, test } from "vitest";
import { readState, type State } from "../../../command/members/state.ts";
import type { CollectOptions } from "../../../command/report/facts.ts";
import { buildReport, reportForms } from "../../../command/report/report.ts";
import type { ReportedPerson } from "../../../command/report/schema.ts";
import type { OffboardedPerson } from "../../../command/roster/offboarded.ts";
import { type Roster, type RosterPerson, withoutOffboarded } from "../../../command/roster/roster.ts";
import type { AuditLine } from "../../../command/service/audit-log.ts";
import {
  exported,
  type HeldMember,
  now,
  organizationId,
  person,
  reportFactsOf,
  roster,
  SECRET,
  stackExport,
  subscriptionEnd,
  userIdOf,
} from "./organization.ts";

interface Given {
  readonly exported: { readonly stack: string; readonly state: State };
  readonly roster?: Roster;
  readonly audit?: readonly AuditLine[];
  readonly month?: string;
  readonly options?: Partial<CollectOptions>;
}

/** A roster that declares nothing. */
const bare = roster([], { subscriptionExpiresAt: undefined, seats: undefined });

function reportOf({ exported, roster: listed = bare, audit, month, options }: Given) {
  return buildReport(reportFactsOf(exported, listed, audit, { now, ...options }), { month });
}

const ada: HeldMember = { key: "ada@acme.example", names: ["Ada", "Lovelace"] };
const bot: HeldMember = { key: "Linux builds" };
const named = (people: readonly ReportedPerson[]) => people.map(({ who }) => who);

describe("seats", () => {
  test("count by user, and free ones by what is declared", () => {
    const { seats } = reportOf({
      exported: stackExport("a", [
        ...[ada, bot, { key: "grace@acme.example", seat: "unconfirmed" as const }],
        { key: "lin@acme.example", seat: false, token: null },
      ]),
      options: { seats: 5 },
    });
    expect(seats).toEqual({ used: 3, unconfirmed: 1, purchased: 5, available: 2, source: "declared" });
  });
});

describe("tokens", () => {
  test("one that a rule rotates says when, counts once it is due, and the text names it", () => {
    const rule = (issuedAt: string) => ({
      ...{ validUntil: subscriptionEnd, source: "service" as const, rotateEvery: "30d", issuedAt },
    });
    const held = [
      { ...ada, token: rule("2026-08-20T00:00:00Z") },
      { key: "bob@acme.example", token: rule("2026-11-21T12:00:00Z") },
      { key: "carl@acme.example" },
    ];
    const report = reportOf({
      exported: stackExport("a", held),
      roster: roster(held.map(({ key }) => person(key))),
    });
    const dueOf = (key: string) => report.people.find(({ who }) => who === key)?.token?.rotationDue;
    expect(dueOf(ada.key)).toMatch(/^2026-0[89]-/);
    expect(dueOf("bob@acme.example")).toMatch(/^2026-1[12]-/);
    expect(dueOf("carl@acme.example")).toBeNull();
    expect(report.tokens.rotationDue).toBe(1);
    const text = reportForms.text(report);
    expect(text).toContain(`Rotated automatically: 2, the next one due ${dueOf(ada.key)?.slice(0, 10)}`);
    expect(text).toMatch(/Tokens due for rotation: 1\. The next `orgseat up` replaces them/);
    expect(reportForms.html(report)).toContain('<th scope="col">Rotation due</th>');
    expect(reportForms.csv(report)).toContain(String(dueOf("bob@acme.example")));
  });

  test("one that rotation skips, or whose person `up` removes, is not due", () => {
    const token = {
      ...{ validUntil: subscriptionEnd, source: "service" as const },
      ...{ rotateEvery: "30d", issuedAt: "2026-08-20T00:00:00Z" },
    };
    const exported = stackExport("a", [{ ...ada, token }]);
    const dueIn = (people: readonly RosterPerson[]): number =>
      reportOf({ exported, roster: roster(people) }).tokens.rotationDue;
    const left: OffboardedPerson = { email: ada.key, leftAt: "2026-11-20T00:00:00Z" };
    expect(dueIn([person(ada.key)])).toBe(1);
    expect(dueIn([person(ada.key, { expires: "2026-11-20T00:00:00Z" })]), "date passed").toBe(0);
    expect(dueIn([person(ada.key, { accessUntil: "2026-11-20T00:00:00Z" })]), "access ended").toBe(0);
    expect(dueIn(withoutOffboarded([person(ada.key)], [left])), "on the offboarded list").toBe(0);
    expect(dueIn([person("bob@acme.example")]), "without a row").toBe(0);
  });
});

describe("people", () => {
  test("a row of the roster and what the states hold of it are one person, by the key", () => {
    const listed = roster([person("k-17", { email: "ada@acme.example", team: "Data", firstName: "Ada" })]);
    const { people } = reportOf({
      exported: stackExport("a", [{ key: "k-17", email: "ada.old@acme.example" }]),
      roster: listed,
    });
    expect(people).toHaveLength(1);
    expect(people[0]).toMatchObject({
      ...{ who: "ada@acme.example", kind: "person", key: "k-17", team: "Data", userId: userIdOf("k-17") },
      ...{ stack: "a", inRoster: true, inState: true, seat: "assigned" },
    });
  });

  test("join by the email where a program of their own has them, and by the user id that is taken over", () => {
    const listed = roster([
      person("k-1", { email: "ada@acme.example" }),
      person("k-2", { email: "grace@acme.example", userId: "known-id" }),
    ]);
    const { people } = reportOf({
      exported: stackExport("own", [ada, { key: "somebody", userId: "known-id" }]),
      roster: listed,
    });
    expect(people.map(({ key, inState }) => [key, inState])).toEqual([
      ["k-1", true],
      ["k-2", true],
    ]);
  });

  test("machine users are counted by what their tokens are for", () => {
    const { machineUsersByPurpose } = reportOf({
      exported: stackExport("a", [
        ada,
        bot,
        { key: "second", names: ["Linux builds"] },
        { key: "third", names: ["Nightly", "exported"] },
      ]),
    });
    expect(machineUsersByPurpose).toEqual([
      { purpose: "Linux builds", total: 2, userIds: [userIdOf("Linux builds"), userIdOf("second")] },
      { purpose: "Nightly exported", total: 1, userIds: [userIdOf("third")] },
    ]);
  });
});

describe("a month", () => {
  const line = (
    call: number,
    id: string,
    time: string,
    outcome: AuditLine["outcome"] = "done",
  ): AuditLine => ({
    ...{ time, call, id, outcome, organizationId },
  });
  const members = [
    { ...ada, created: "2026-11-01T00:00:00Z" },
    { key: "before@acme.example", created: "2026-10-31T23:59:59Z" },
    { key: "taken@acme.example", created: "2026-11-20T09:00:00Z", adopted: true },
  ];

  test("joined are those whose membership began in it, and who has left again since", () => {
    const { month } = reportOf({
      exported: stackExport("a", members),
      audit: [
        line(5, userIdOf("ada@acme.example"), "2026-11-01T00:00:00Z"),
        line(5, "came-and-went", "2026-11-04T10:00:00Z"),
        line(5, "refused-one", "2026-11-04T10:00:00Z", "refused"),
        line(11, "came-and-went", "2026-11-09T10:00:00Z"),
      ],
      month: "2026-11",
    });
    expect(month?.joined.map(({ who }) => who)).toEqual(["ada@acme.example", "came-and-went"]);
    expect(month?.adopted.map(({ who }) => who)).toEqual(["taken@acme.example"]);
  });

  test("left are those whose membership was ended in it, by name where one is still known", () => {
    const { month } = reportOf({
      exported: stackExport("a", members),
      roster: roster([person("back@acme.example", { userId: "in-roster" })]),
      audit: [
        line(11, "gone-for-good", "2026-11-02T10:00:00Z"),
        line(11, "gone-for-good", "2026-11-02T10:00:05Z"),
        line(11, "on-the-list", "2026-11-03T10:00:00Z"),
        line(11, "in-roster", "2026-11-04T10:00:00Z"),
        line(11, "not-answered", "2026-11-05T10:00:00Z", "no answer"),
        line(10, "only-a-seat", "2026-11-06T10:00:00Z"),
        line(11, "in-december", "2026-12-01T00:00:00Z"),
        { ...line(11, "elsewhere", "2026-11-07T10:00:00Z"), organizationId: "another" },
      ],
      month: "2026-11",
      options: { names: { "on-the-list": "zoe@acme.example" } },
    });
    expect(month?.left?.map(({ who }) => who)).toEqual([
      "gone-for-good",
      "zoe@acme.example",
      "back@acme.example",
    ]);
  });

  test("who left is not known without an audit log, and a note says so", () => {
    const { month, notes } = reportOf({ exported: stackExport("a", members), month: "2026-11" });
    expect(month?.left).toBeNull();
    expect(notes).toEqual(["Removed people: unknown, because no audit log exists."]);
  });

  test.each(["2026-13", "2026-1", "11.2026", ""])("refuses %j with an example", (month) => {
    expect(() => reportOf({ exported: stackExport("a", []), month })).toThrow(
      `"${month}" is not a valid month (expected, for example, 2026-11)`,
    );
  });
});

describe("states", () => {
  test("secrets are passed by, shown or encrypted", () => {
    const shown = { ...SECRET, plaintext: '"canary-of-a-token"' };
    const outputs = { stateVersion: 1, organizationId, email: "x@acme.example", tokenValue: shown };
    const member = exported("a", "x", { outputs: { ...outputs, held: { ref: "r", users: [], agreed: {} } } });
    const facts = reportFactsOf(stackExport("a", [ada], { more: [member] }), roster([]), undefined, { now });
    expect(facts.members).toHaveLength(2);
    expect(JSON.stringify([facts, buildReport(facts)])).not.toMatch(/canary|ciphertext/);
  });

  test("what is interrupted or of another organization is a note, and not counted", () => {
    const operation = { type: "creating", resource: { urn: "urn:pulumi:a::acme::x::y", type: "x" } };
    const { people, tokens, notes } = reportOf({
      exported: stackExport("a", [ada, { ...bot, organizationId: "another" }], {
        pending: [operation, operation],
      }),
    });
    expect(named(people)).toEqual(["ada@acme.example"]);
    expect(tokens.total).toBe(1);
    expect(notes.toSorted()).toEqual([
      "2 interrupted operations with an unknown result. The next `orgseat up` checks the result.",
      "Skipped 1 member of another organization.",
    ]);
  });

  test("a member that this release cannot read is an error that names the member", () => {
    const newer = exported("a", "x", { outputs: { stateVersion: 99, organizationId } });
    expect(() => reportOf({ exported: stackExport("a", [], { more: [newer] }) })).toThrow(
      "cannot read member x in the state of stack a: a newer release of orgseat wrote it",
    );
  });

  test("an empty stack is an empty report", () => {
    const { people, seats, subscription } = reportOf({
      exported: {
        stack: "a",
        state: readState("a", { version: 3, deployment: { manifest: {}, resources: null } }),
      },
    });
    expect([people, seats.used, subscription.endsAt]).toEqual([[], 0, null]);
  });

  test("what is no export is an error that names the stack", () => {
    expect(() => readState("acme/prod", { resources: [] })).toThrow(
      /^cannot read the state of stack acme\/prod: /,
    );
  });

  test("the subscription's end is the roster's, else the one that tokens were declared with", () => {
    const exported = stackExport("a", [ada]);
    expect(reportOf({ exported }).subscription).toEqual({ endsAt: subscriptionEnd, daysLeft: 221 });
    const listed = roster([], { subscriptionExpiresAt: "2026-11-20T00:00:00Z" });
    expect(reportOf({ exported, roster: listed }).subscription.daysLeft).toBe(-2);
  });
});
