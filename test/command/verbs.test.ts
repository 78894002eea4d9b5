/** Verbs beside something else that happens meanwhile, which no story can play. */
import { appendFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { offboardToJson } from "../../command/cli/verbs/offboard.ts";
import { outcomeWithout } from "../../command/engine/engine.ts";
import { offboardPeople } from "../../command/verbs/offboard.ts";
import { rotateTokens } from "../../command/verbs/tokens.ts";
import { upAll } from "../../command/verbs/up.ts";
import { broughtFixture } from "./fixture.ts";
import { person } from "./people.ts";

const [ada, bob] = [person("ada"), person("bob")];

test("up: an entry of the offboarded list counts although the run was opened before", async () => {
  const { fixture } = await broughtFixture([ada, bob], { onDelete: "delete" });
  const opened = await fixture.open();
  const onApply = () => Promise.reject(new Error("killed"));
  const killed = offboardPeople(await fixture.open(), ["ada"], { keepMember: true, onApply });
  await expect(killed).rejects.toThrow("killed");
  await upAll(opened, {});
  expect(await fixture.heldBy(ada)).toMatchObject({ seat: true, tokens: [] });
});

test("offboard: an error after the revocation says whose token is gone", async () => {
  const { fixture } = await broughtFixture([ada, bob]);
  const organization = await fixture.open();
  writeFileSync(organization.offboardedFile, "no offboarded list\n");
  await expect(offboardPeople(organization, ["bob@acme.example"], {})).rejects.toThrow(
    /^cannot remove seats and memberships: [\s\S]*Done so far: token revoked: bob@acme\.example\. Fix the error, then run the command again$/,
  );
  expect(await fixture.calls()).toEqual([9]);
});

test("offboard --json has what became of each token, whom nobody knows, and the edit that is left", async () => {
  const { fixture, idOf } = await broughtFixture([ada, bob]);
  const failure = { code: "pulumi-failed", text: "the passphrase is wrong" } as const;
  const engine = Object.assign(fixture.engine.copy(), {
    run: async ({ stack }: { stack: string }) => outcomeWithout(stack, failure),
  });
  const organization = await fixture.open(undefined, { engine });
  const result = await offboardPeople(organization, ["ada", "nobody"], {});
  expect(offboardToJson(result)).toMatchObject({
    ...{ status: "failed", failure: { text: failure.text }, unknown: ["nobody"] },
    revoked: [{ who: ada.email, userId: idOf("ada"), outcome: "revoked", reason: null }],
    edit: expect.stringMatching(/^-.*ada@acme\.example/m),
  });
  const [revoked] = result.revoked;
  const unreached = revoked && { ...revoked, outcome: "failed" as const, reason: "no answer came" };
  expect(offboardToJson({ ...result, revoked: unreached ? [unreached] : [] })).toMatchObject({
    revoked: [{ outcome: "failed", reason: "no answer came" }],
  });
});

test("rotate: a roster that changes while the plan is read is not overwritten", async () => {
  const { fixture } = await broughtFixture([ada]);
  const organization = await fixture.open();
  const confirm = async (): Promise<boolean> => {
    appendFileSync(organization.file, "bob,bob@acme.example\n");
    return true;
  };
  await expect(rotateTokens(organization, "all", { confirm })).rejects.toThrow(
    /people\.csv changed while the command was running\. No changes were made/,
  );
  expect(await fixture.done()).toEqual([]);
});
