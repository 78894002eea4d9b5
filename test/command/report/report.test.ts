/** What a report reads of a state; stories/reports.txt has what it says. */
import { describe, expect, test } from "vitest";
import { readState, type State } from "../../../command/members/state.ts";
import { buildReport } from "../../../command/report/report.ts";
import { exported, now, organizationId, reportFactsOf, roster, SECRET, stackExport } from "./organization.ts";

const reportOf = (state: { readonly stack: string; readonly state: State }) =>
  buildReport(reportFactsOf(state, roster([], { subscriptionExpiresAt: undefined }), undefined, { now }));

const ada = { key: "ada@acme.example", names: ["Ada", "Lovelace"] } as const;

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
    const { people, tokens, notes } = reportOf(
      stackExport("a", [ada, { key: "Linux builds", organizationId: "another" }], {
        pending: [operation, operation],
      }),
    );
    expect(people.map(({ who }) => who)).toEqual(["ada@acme.example"]);
    expect(tokens.total).toBe(1);
    expect(notes.toSorted()).toEqual([
      "2 interrupted operations with an unknown result. The next `orgseat up` checks the result.",
      "Skipped 1 member of another organization.",
    ]);
  });

  test("a member that this release cannot read is an error that names the member", () => {
    const newer = exported("a", "x", { outputs: { stateVersion: 99, organizationId } });
    expect(() => reportOf(stackExport("a", [], { more: [newer] }))).toThrow(
      "cannot read member x in the state of stack a: a newer release of orgseat wrote it",
    );
  });

  test("an empty stack is an empty report", () => {
    const { people, seats, subscription } = reportOf({
      stack: "a",
      state: readState("a", { version: 3, deployment: { manifest: {}, resources: null } }),
    });
    expect([people, seats.used, subscription.endsAt]).toEqual([[], 0, null]);
  });

  test("what is no export is an error that names the stack", () => {
    expect(() => readState("acme/prod", { resources: [] })).toThrow(
      /^cannot read the state of stack acme\/prod: /,
    );
  });
});
