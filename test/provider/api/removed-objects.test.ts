/** What the audit log says that runs have removed: the evidence where no list is. */
import { expect, test } from "vitest";
import { type AuditLine, removedObjects } from "../../../provider/api/schemas/audit-lines.ts";

const line = (name: string, id: string, more: Partial<AuditLine> = {}): AuditLine => ({
  ...{ time: "2026-11-03T10:00:00.000Z", call: 1, name, id, status: 204, outcome: "done", ...more },
});

test.each<[string, AuditLine[], string[]]>([
  ["nothing", [], []],
  ["a token", [line("revoke token", "u1")], ["revoke token u1"]],
  [
    "a token that was issued before",
    [line("issue token", "u1"), line("revoke token", "u1")],
    ["revoke token u1"],
  ],
  ["a token that was issued again", [line("revoke token", "u1"), line("issue token", "u1")], []],
  ["the token of another user", [line("revoke token", "u1"), line("issue token", "u2")], ["revoke token u1"]],
  ["a seat that was assigned again", [line("remove seat", "u1"), line("assign seat", "u1")], []],
  ["a seat", [line("remove seat", "u1")], ["remove seat u1"]],
  ["a user", [line("remove user", "u1")], ["remove user u1"]],
  ["what was not there", [line("revoke token", "u1", { status: 404 })], []],
  ["what the service refused", [line("revoke token", "u1", { status: 403, outcome: "refused" })], []],
  ["what got no answer", [line("remove user", "u1", { status: undefined, outcome: "no answer" })], []],
])("names what was removed and not made again: %s", (_, lines, removed) => {
  expect([...removedObjects(lines)]).toEqual(removed);
});
