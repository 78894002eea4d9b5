/** Adopted tokens: revoked by their id when people leave, replaced by a rotation. */
import { expect, test } from "vitest";
import { adoptAll } from "../../../sdk/automation/adopt-listed.ts";
import { offboardPeople } from "../../../sdk/automation/offboard.ts";
import { previewAll } from "../../../sdk/automation/preview.ts";
import { rotateTokens } from "../../../sdk/automation/tokens.ts";
import { directFixture, type Fixture } from "./fixture.ts";

const ada = { key: "ada", email: "ada@acme.example", seat: true, token: true, protected: false };
const bob = { ...ada, key: "bob", email: "bob@acme.example" };

async function adopted(): Promise<{ fixture: Fixture; ids: Record<"ada" | "bob", string> }> {
  const fixture = await directFixture(10, "anaconda");
  const ids = { ada: await fixture.makeMember(ada), bob: await fixture.makeMember(bob) };
  const { organizationId } = fixture;
  const { subscriptionExpiresAt } = fixture.sandbox.service.seed;
  const organization = await fixture.open({ organizationId, subscriptionExpiresAt, people: [] });
  expect((await adoptAll(organization, { removal: "remove" })).status).toBe("succeeded");
  return { fixture, ids };
}

async function liveTokens({ sandbox: { service } }: Fixture, userId: string): Promise<string[]> {
  const { tokens } = await service.management.snapshot();
  return tokens.filter((one) => one.userId === userId && !one.revoked).map(({ tokenId }) => tokenId);
}

test("offboard revokes an adopted token by its id, and removes seat and membership", async () => {
  const { fixture, ids } = await adopted();
  const result = await offboardPeople(await fixture.reopen(), [ada.email], {});
  expect(result).toMatchObject({ status: "succeeded", revoked: [{ userId: ids.ada, outcome: "revoked" }] });
  const users = await fixture.behindOurBack((api, operation) => api.listUsers(operation));
  expect(users.map(({ email }) => email)).not.toContain(ada.email);
  expect(await liveTokens(fixture, ids.bob)).toHaveLength(1);
});

test("rotate replaces an adopted token, and the next preview is empty", async () => {
  const { fixture, ids } = await adopted();
  const before = await liveTokens(fixture, ids.ada);
  expect((await rotateTokens(await fixture.reopen(), [ada.email], {})).status).toBe("succeeded");
  const after = await liveTokens(fixture, ids.ada);
  expect(after).toHaveLength(1);
  expect(after).not.toEqual(before);
  const preview = await previewAll(await fixture.reopen(), { refresh: true });
  expect({ hasChanges: preview.plan.hasChanges, found: preview.drift.members?.findings }).toEqual({
    ...{ hasChanges: false, found: [] },
  });
});
