import { expect, it } from "vitest";
import { calls } from "../../../provider/api/calls/calls.ts";
import { codeOf, exchange, organizationCalls, startSandbox } from "./harness.ts";
import { talks, talksIn } from "./talk.ts";

talksIn("access.txt");

talks(
  `
D5: the administrator's token of the seed is taken until the subscription ends, for service accounts alone
  $bot = createServiceAccount { token: $seed.adminToken, body: { name: bot } } -> 200
  listServiceAccounts { token: $seed.adminToken } -> 200
  deleteServiceAccount { client_id: $bot.client_id, token: $seed.adminToken } -> 204
  createUser { token: $seed.adminToken, body: {} } -> 403 WRONG_CREDENTIAL
  manage.advance 2592000000
  listServiceAccounts { token: $seed.adminToken } -> 401 UNAUTHORIZED
`,
  { seed: { subscriptionExpiresAt: "2026-02-01" } },
);

it("D3: the token endpoint accepts only forms, and no one may keep its answer", async () => {
  const sandbox = await startSandbox();
  const { service } = sandbox;
  const { username, password } = service.seed;
  const form = { grant_type: "password", username, password };
  const sent = {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(form),
  };
  expect((await exchange(service.tokenUrl, sent)).status).toBe(400);
  expect((await exchange(service.tokenUrl)).status).toBe(405);
  const answer = await sandbox.askToken(form);
  expect(answer.headers.get("cache-control")).toBe("no-store");
});

it("error body: message: each call answers 404 for an unknown organization, with a message", async () => {
  const sandbox = await startSandbox();
  for (const name of organizationCalls) {
    const body = calls[name].request ? {} : undefined;
    const variables = { org_id: "nobody", user_id: "nobody", client_id: "nobody" };
    const unknown = await sandbox.send(name, variables, { body });
    expect([name, unknown.status, codeOf(unknown)]).toEqual([name, 404, "ORGANIZATION_NOT_FOUND"]);
  }
});
