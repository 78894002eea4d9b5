/** What the pending operations of a state say about the users whom a killed run may have added. */
import { describe, expect, test } from "vitest";
import { MEMBER_TYPE } from "../../command/members/state-members.ts";
import { interruptedIn } from "../../command/service/interrupted.ts";
import { markOf } from "../../provider/member/held.ts";

const TIME = "2026-11-21T13:00:00Z";
const EMAIL = "ada@acme.example";

function creationAfter(type: string, inputs: Record<string, unknown>) {
  const resource = { urn: `urn:pulumi:people::orgseat::${MEMBER_TYPE}::ada`, type: MEMBER_TYPE, inputs };
  const deployment = { manifest: { time: TIME }, pending_operations: [{ type, resource }] };
  const interrupted = interruptedIn({
    ...{ stack: "people", organizationId: "acme-data", lines: [], isHeld: () => false },
    state: { version: 3, deployment },
  });
  return interrupted.creationOf("ada", "ref-1", undefined);
}

describe("a killed operation on a member", () => {
  test.each(["creating", "updating"])("%s may have added the user of the email", (type) => {
    expect(creationAfter(type, { email: EMAIL })).toEqual({ since: TIME, address: markOf("ref-1", EMAIL) });
  });

  test("added no user whom it adopted", () => {
    expect(creationAfter("creating", { email: EMAIL, adopt: "u-1" })).toBeUndefined();
  });

  test("added no user by a deletion", () => {
    expect(creationAfter("deleting", { email: EMAIL })).toBeUndefined();
  });
});
