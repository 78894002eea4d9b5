/** Replacements of which one half was done and the other failed: each half is told of whom it is about. */
import { describe, expect, test } from "vitest";
import { openOrganization } from "../../command/stacks/organization.ts";
import { entriesOf } from "../../command/stacks/stack-state.ts";
import { tokenOf } from "../../command/verbs/token-values.ts";
import type { UpResult } from "../../command/verbs/up.ts";
import { upAll } from "../../command/verbs/up.ts";
import { temporaryFile } from "../setup/temporary.ts";
import { directFixture } from "./fixture.ts";
import { engineWith, rosterOf, stateOf } from "./stored-engine.ts";

const key = "ada";
const ada = { key, email: "ada@acme.example", seat: true, token: true, protected: false };
const bob = { ...ada, key: "bob", email: "bob@acme.example" };
const robert = { ...bob, email: "robert@acme.example" };
/** The fault that a call meets, so many times. */
const failing = (call: number, times: number | "always") => ({
  match: { call },
  times,
  fault: { kind: "refuse", status: 403 } as const,
});

describe("half a replacement", () => {
  test("a token that was revoked and not reissued: until the next up it has no value", async () => {
    const engine = engineWith(["m0"], 1);
    const state = engine.states.get("people") ?? stateOf("people", []);
    for (const entry of entriesOf(state)) {
      if (entry.type.endsWith(":UserToken")) Object.assign(entry, { pendingReplacement: true });
    }
    const file = temporaryFile("people.json", rosterOf(["m0"], 1));
    const organization = await openOrganization({ roster: file }, { engine });
    await expect(tokenOf(organization, "m0")).rejects.toThrow(
      /the token of \S+ was revoked, and no new token was issued\. Run `orgseat up`/,
    );
  });

  test("a membership under the former email that did not end: the result names that email until it ends", async () => {
    const fixture = await directFixture(10);
    const roster = { organizationId: fixture.organizationId, stacks: 1, people: [ada, bob] };
    const ids = await fixture.bring(roster);
    const open = () => fixture.open({ ...roster, people: [ada, robert] });
    const { management } = fixture.sandbox.service;
    await management.addFaults(failing(11, "always"));

    const failed = await upAll(await open(), {});
    expect(resultsIn(failed)).toEqual([["robert@acme.example (was bob@acme.example)", "failed"]]);
    await management.clearFaults();
    await management.addFaults(failing(11, "always"));
    const again = await upAll(await open(), {});
    expect(actionsIn(again)).toEqual([["bob@acme.example", ["leave"]]]);
    expect(again.preview.plan.removals).toEqual([{ type: "OrgUser", id: ids.get("bob") }]);
    expect(resultsIn(again)).toEqual([["bob@acme.example", "failed"]]);
    expect(again.status).toBe("failed");
    expect(again.applied?.results[0]?.text).toContain(ids.get("bob"));

    await management.clearFaults();
    const last = await upAll(await open(), {});
    expect(resultsIn(last)).toEqual([["bob@acme.example", "succeeded"]]);
    expect((await fixture.done()).map(({ call }) => call)).toContain(11);
    const { users } = await management.snapshot();
    expect(users.map(({ email }) => email).toSorted()).toEqual([ada.email, robert.email]);
  });
});

function resultsIn({ applied }: UpResult): unknown[] {
  return (applied?.results ?? []).map(({ who, status }) => [who, status]);
}

function actionsIn({ preview }: UpResult): unknown[] {
  return preview.plan.members
    .filter(({ actions }) => actions.length > 0)
    .map(({ label, actions }) => [label, actions]);
}
