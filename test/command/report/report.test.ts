import { describe, expect, test } from "vitest";
import { type CollectOptions, factsOf } from "../../../command/report/facts.ts";
import { buildReport, reportForms } from "../../../command/report/report.ts";
import type { ReportedPerson } from "../../../command/report/schema.ts";
import type { OffboardedPerson } from "../../../command/roster/offboarded.ts";
import { type Roster, type RosterPerson, withoutOffboarded } from "../../../command/roster/roster.ts";
import type { AuditLine } from "../../../command/service/audit-log.ts";
import { readState, type State } from "../../../command/stacks/stack-state.ts";
import {
  exported,
  type HeldMember,
  inDays,
  now,
  organizationId,
  person,
  roster,
  SECRET,
  stackExport,
  subscriptionEnd,
  userIdOf,
} from "./organization.ts";

interface Given {
  readonly exports: readonly (readonly [stack: string, state: State])[];
  readonly roster?: Roster;
  readonly audit?: readonly AuditLine[];
  readonly month?: string;
  readonly options?: Partial<CollectOptions>;
}

/** A roster that declares nothing. */
const bare = roster([], { subscriptionExpiresAt: undefined, seats: undefined });

function reportOf({ exports, roster: listed = bare, audit, month, options }: Given) {
  return buildReport(factsOf(exports, listed, audit, { now, ...options }), { month });
}

const ada: HeldMember = { key: "ada@acme.example", names: ["Ada", "Lovelace"] };
const bot: HeldMember = { key: "Linux builds" };
const named = (people: readonly ReportedPerson[]) => people.map(({ who }) => who);

describe("seats", () => {
  test("count by user, whatever stacks hold them, and free ones by what is declared", () => {
    const { seats } = reportOf({
      exports: [
        stackExport("a", [ada, { key: "grace@acme.example", seat: "unconfirmed" }]),
        stackExport("b", [bot, { key: "lin@acme.example", seat: false, token: null }]),
        stackExport("c", [ada]),
      ],
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
      exports: [stackExport("a", held)],
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
    const exports = [stackExport("a", [{ ...ada, token }])];
    const dueIn = (people: readonly RosterPerson[]): number =>
      reportOf({ exports, roster: roster(people) }).tokens.rotationDue;
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
      exports: [stackExport("a", [{ key: "k-17", email: "ada.old@acme.example" }])],
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
      exports: [stackExport("own", [ada, { key: "somebody", userId: "known-id" }])],
      roster: listed,
    });
    expect(people.map(({ key, inState }) => [key, inState])).toEqual([
      ["k-1", true],
      ["k-2", true],
    ]);
  });

  test("machine users are counted by what their tokens are for", () => {
    const { machineUsersByPurpose } = reportOf({
      exports: [
        stackExport("a", [
          ada,
          bot,
          { key: "second", names: ["Linux builds"] },
          { key: "third", names: ["Nightly", "exports"] },
        ]),
      ],
    });
    expect(machineUsersByPurpose).toEqual([
      { purpose: "Linux builds", total: 2, userIds: [userIdOf("Linux builds"), userIdOf("second")] },
      { purpose: "Nightly exports", total: 1, userIds: [userIdOf("third")] },
    ]);
  });

  test("a seat of a user whom no state holds is shown by its user id", () => {
    const seat = exported("a", "SeatAssignment", "lone", {
      id: "u-9",
      outputs: { organizationId, confirmed: true },
    });
    const { people } = reportOf({ exports: [stackExport("a", [], { more: [seat] })] });
    expect(people[0]).toMatchObject({ who: "u-9", kind: "unknown", seat: "assigned", inState: true });
  });

  test("a seat whose id is a text of its own is shown with its user", () => {
    const seat = exported("a", "SeatAssignment", "grace-seat", {
      id: "seat-1",
      outputs: { organizationId, userId: userIdOf("grace@acme.example"), confirmed: true },
    });
    const held = [{ key: "grace@acme.example", seat: false, token: null } as const];
    const { people } = reportOf({ exports: [stackExport("a", held, { more: [seat] })] });
    expect(people).toMatchObject([{ who: "grace@acme.example", seat: "assigned", inState: true }]);
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
      exports: [stackExport("a", members)],
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
      exports: [stackExport("a", members)],
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
    const { month, notes } = reportOf({ exports: [stackExport("a", members)], month: "2026-11" });
    expect(month?.left).toBeNull();
    expect(notes).toEqual(["Removed people: unknown, because no audit log exists."]);
  });

  test.each(["2026-13", "2026-1", "11.2026", ""])("refuses %j with an example", (month) => {
    expect(() => reportOf({ exports: [], month })).toThrow(
      `"${month}" is not a valid month (expected, for example, 2026-11)`,
    );
  });
});

describe("states", () => {
  test("secrets are passed by, shown or encrypted", () => {
    const shown = { ...SECRET, plaintext: '"canary-of-a-token"' };
    const token = exported("a", "UserToken", "x-token", {
      id: "u-1",
      outputs: { organizationId, token: shown, validUntil: inDays(3), expirySource: "service" },
    });
    const facts = factsOf([stackExport("a", [ada], { more: [token] })], roster([]), undefined, { now });
    expect(facts.resources).toHaveLength(4);
    expect(JSON.stringify([facts, buildReport(facts)])).not.toMatch(/canary|ciphertext/);
  });

  test("what is replaced, interrupted, foreign, unreadable, or let in by an onboarding is a note, and not counted", () => {
    const token = (name: string, mark: object, outputs: object = {}) =>
      exported("a", "UserToken", name, {
        ...{ id: "u-1", ...mark },
        outputs: { organizationId, validUntil: inDays(3), expirySource: "service", ...outputs },
      });
    const statuses = {
      "ada@acme.example": "inProcess",
      "new@acme.example": "inProcess",
      "no@acme.example": "refused",
    };
    const onboarding = exported("a", "Onboarding", "autumn", {
      id: "o-1",
      outputs: { organizationId, statuses, formerStatuses: { "former@acme.example": "inProcess" } },
    });
    const replaced = [token("x", { delete: true }), token("y", { pendingReplacement: true })];
    const more = [...replaced, token("odd", { id: "u-odd" }, { validUntil: 7 }), onboarding];
    const operation = { type: "creating", resource: { urn: "urn:pulumi:a::acme::x::y", type: "x" } };
    const held = [ada, { ...bot, organizationId: "another" }];
    const { people, tokens, notes } = reportOf({
      exports: [stackExport("a", held, { more, pending: [operation, operation] })],
    });
    expect(named(people)).toEqual(["ada@acme.example", "u-odd"]);
    expect(tokens.total).toBe(1);
    expect(notes.toSorted()).toEqual([
      "1 replaced object not deleted yet. The next `orgseat up` completes the deletion.",
      "2 interrupted operations with an unknown result. The next `orgseat up` checks the result.",
      "Cannot read UserToken odd (stack a), so the report does not count it. A newer release of orgseat may have written it.",
      "Skipped 3 resources of another organization.",
      expect.stringMatching(/^Skipped the seats and tokens of 2 people added by an onboarding,/),
    ]);
  });

  test("an empty stack is an empty report", () => {
    const { people, seats, subscription } = reportOf({
      exports: [["a", readState("a", { version: 3, deployment: { manifest: {}, resources: null } })]],
    });
    expect([people, seats.used, subscription.endsAt]).toEqual([[], 0, null]);
  });

  test("what is no export is an error that names the stack", () => {
    expect(() => readState("acme/prod", { resources: [] })).toThrow(
      /^cannot read the state of stack acme\/prod: /,
    );
  });

  test("the subscription's end is the roster's, else the one that tokens were declared with", () => {
    const exports = [stackExport("a", [ada])];
    expect(reportOf({ exports }).subscription).toEqual({ endsAt: subscriptionEnd, daysLeft: 221 });
    const listed = roster([], { subscriptionExpiresAt: "2026-11-20T00:00:00Z" });
    expect(reportOf({ exports, roster: listed }).subscription.daysLeft).toBe(-2);
  });
});
