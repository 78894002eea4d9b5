/** Verbs beside something else that happens meanwhile, which no story can play. */
import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { offboardPeople } from "../../command/verbs/offboard.ts";
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
