/** The organization area of the platform `anaconda` over bare HTTP: each call with each of its statuses. */
import { expect, it } from "vitest";
import { startSandbox, temporaryFolder } from "./harness.ts";
import { talksIn } from "./talk.ts";

talksIn("anaconda-statuses.txt", { platform: "anaconda", isDocumented: true });

talksIn("anaconda-lists.txt", { platform: "anaconda" });

it("the basic platform on the same folder shows the same people, and one token of each, the newest that is not revoked", async () => {
  const dataFolder = temporaryFolder();
  const first = await startSandbox({ platform: "anaconda", dataFolder });
  const user_id = await first.addUser({ email: "ada@acme.example" });
  const DATE = "2026-06-30T12:00:00Z";
  const body = { expires_at: DATE };
  for (const _ of [1, 2, 3]) await first.send("issueToken", { user_id }, { body });
  const [, , last] = (await first.management.snapshot()).tokens;
  await first.send("revokeToken", { user_id, token_id: last?.tokenId ?? "" });
  await first.service.close();
  const second = await startSandbox({ dataFolder });
  expect((await second.send("issueToken", { user_id }, { body })).status).toBe(409);
  await second.management.changeSubscription(second.organizationId, { expiresAt: "2027-12-31" });
  const renewed = await second.send("renewToken", { user_id });
  expect(renewed.body).toEqual({ expires_at: "2027-12-31T23:59:59Z" });
  const { users, tokens } = await second.management.snapshot();
  expect(users).toMatchObject([{ userId: user_id, email: "ada@acme.example" }]);
  expect(tokens.map(({ expiresAt, revoked }) => [expiresAt, revoked])).toEqual([
    [DATE, false],
    ["2027-12-31T23:59:59Z", false],
    [DATE, true],
  ]);
  const statuses = [];
  for (const call of ["revokeToken", "revokeToken", "removeUser"] as const)
    statuses.push((await second.send(call, { user_id })).status);
  expect(statuses).toEqual([204, 404, 204]);
});
