/** Replacements of which one half was done and the other failed: each half is told of whom it is about. */
import { describe, expect, test } from "vitest";
import { tokenOf } from "../../command/verbs/token-values.ts";
import type { UpResult } from "../../command/verbs/up.ts";
import { broughtFixture } from "./fixture.ts";
import { person } from "./people.ts";
import { changing, everybody, open, watched } from "./watched-engine.ts";

const [ada, bob] = [person("ada"), person("bob")];
const robert = person("bob", { email: "robert@acme.example" });

describe("half a replacement", () => {
  test("a token that was revoked and not reissued: until the next up it has no value", async () => {
    const { fixture, engine } = await watched();
    engine.edit = changing("ada-token", { pendingReplacement: true });
    await expect(tokenOf(await open(fixture, engine, everybody), "ada")).rejects.toThrow(
      /the token of \S+ was revoked, and no new token was issued\. Run `orgseat up`/,
    );
  });

  test("a membership under the former email that did not end: the result names that email until it ends", async () => {
    const { fixture, idOf } = await broughtFixture([ada, bob]);
    await fixture.refuse(11, 403);
    const failed = await fixture.up([ada, robert]);
    expect(resultsIn(failed)).toEqual([["robert@acme.example (was bob@acme.example)", "failed"]]);
    const again = await fixture.up();
    expect(actionsIn(again)).toEqual([["bob@acme.example", ["leave"]]]);
    expect(again.preview.plan.removals).toEqual([{ type: "OrgUser", id: idOf("bob") }]);
    expect(resultsIn(again)).toEqual([["bob@acme.example", "failed"]]);
    expect(again.status).toBe("failed");
    expect(again.applied?.results[0]?.text).toContain(idOf("bob"));

    await fixture.sandbox.service.management.clearFaults();
    const last = await fixture.up();
    expect(resultsIn(last)).toEqual([["bob@acme.example", "succeeded"]]);
    expect(await fixture.calls()).toContain(11);
    expect((await fixture.users()).map(({ email }) => email).toSorted()).toEqual([ada.email, robert.email]);
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
