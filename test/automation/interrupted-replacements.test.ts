// @module-tag ci
/** Replacements of which one half was done and the other failed: each half is told of whom it is about. */
import { expect, test } from "vitest";
import { rotateTokens, tokenOf } from "../../sdk/automation/tokens.ts";
import type { UpResult } from "../../sdk/automation/up.ts";
import { upAll } from "../../sdk/automation/up.ts";
import { onEachEngine } from "../setup/project.ts";
import { engineFixture } from "./fixture.ts";

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

onEachEngine("half a replacement", (engine) => {
  test("a token that was revoked and not issued anew: the next up issues it and says so, and until then it has no value", async () => {
    const fixture = await engineFixture(engine, 10);
    const open = () => fixture.open({ organizationId: fixture.organizationId, stacks: 1, people: [ada] });
    await fixture.bring({ organizationId: fixture.organizationId, stacks: 1, people: [ada] });
    const { management } = fixture.sandbox.service;
    await management.addFaults(failing(7, 2));

    const rotation = "2026-11-21T12:00:00Z";
    const people = [{ ...ada, rotation }];
    const rotated = () => fixture.open({ organizationId: fixture.organizationId, stacks: 1, people });
    const failed = await upAll(await rotated(), {});
    expect(verdictsIn(failed)).toEqual([["ada@acme.example", "failed"]]);
    await expect(tokenOf(await rotated(), key)).rejects.toThrow(
      "the token of ada@acme.example was revoked, and no new token was issued. Run `orgseat up`",
    );
    await fixture.done();
    const again = await upAll(await rotated(), {});
    expect(again.preview.plan.removals).toEqual([]);
    expect(deedsIn(again)).toEqual([["ada@acme.example", ["issueToken"]]]);
    expect(verdictsIn(again)).toEqual([["ada@acme.example", "succeeded"]]);
    expect(again.status).toBe("succeeded");
    expect((await fixture.done()).map(({ call }) => call)).toEqual([7]);
    const value = await tokenOf(await rotated(), key);
    expect(await management.probe(value)).toMatchObject({ live: true });

    await management.addFaults(failing(7, 1));
    const inOne = await rotateTokens(await open(), [key], {});
    expect(verdictsIn(inOne)).toEqual([["ada@acme.example", "succeeded"]]);
    expect((await fixture.done()).map(({ call }) => call)).toEqual([9, 7]);
  });

  test("a membership under the email of before that did not end: it is told by that email, and is done when it has ended", async () => {
    const fixture = await engineFixture(engine, 10);
    const roster = { organizationId: fixture.organizationId, stacks: 1, people: [ada, bob] };
    const ids = await fixture.bring(roster);
    const open = () => fixture.open({ ...roster, people: [ada, robert] });
    const { management } = fixture.sandbox.service;
    await management.addFaults(failing(11, "always"));

    const failed = await upAll(await open(), {});
    expect(verdictsIn(failed)).toEqual([["robert@acme.example (was bob@acme.example)", "failed"]]);
    await management.clearFaults();
    await management.addFaults(failing(11, "always"));
    const again = await upAll(await open(), {});
    expect(deedsIn(again)).toEqual([["bob@acme.example", ["leave"]]]);
    expect(again.preview.plan.removals).toEqual([{ type: "OrgUser", id: ids.get("bob") }]);
    expect(verdictsIn(again)).toEqual([["bob@acme.example", "failed"]]);
    expect(again.status).toBe("failed");
    expect(again.applied?.results[0]?.text).toContain(ids.get("bob"));

    await management.clearFaults();
    const last = await upAll(await open(), {});
    expect(verdictsIn(last)).toEqual([["bob@acme.example", "succeeded"]]);
    expect((await fixture.done()).map(({ call }) => call)).toContain(11);
    const { users } = await management.snapshot();
    expect(users.map(({ email }) => email).toSorted()).toEqual([ada.email, robert.email]);
  });
});

function verdictsIn({ applied }: UpResult): unknown[] {
  return (applied?.results ?? []).map(({ who, status }) => [who, status]);
}

function deedsIn({ preview }: UpResult): unknown[] {
  return preview.plan.members
    .filter(({ actions }) => actions.length > 0)
    .map(({ label, actions }) => [label, actions]);
}
