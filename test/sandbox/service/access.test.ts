import { expect, it } from "vitest";
import { calls } from "../../../provider/api/calls/calls.ts";
import { codeOf, exchange, organizationCalls, startSandbox } from "./harness.ts";
import { talks } from "./talk.ts";

const other =
  "{ organizationId: 11111111-1111-4111-8111-111111111111, username: boss@other.example, password: pw, seats: 1, subscriptionExpiresAt: 2026-12-31 }";
const key = "aaaaaaaa-1111-4111-8111-111111111111";

talks(`
authentication: organization area 1, authentication: organization area 5, D3: the token endpoint gives a bearer token of 900 seconds for both grants
  askToken { grant_type: password, username: $seed.username, password: $seed.password }
    -> 200 = { access_token: <string>, token_type: Bearer, expires_in: 900 }
  askToken { grant_type: client_credentials, client_id: $account.clientId, client_secret: $account.clientSecret }
    -> 200 = { access_token: <string>, token_type: Bearer, expires_in: 900 }
  askToken { grant_type: password, username: ADMIN@ACME.EXAMPLE, password: $seed.password } -> 200

D3: the token endpoint refuses no grant type, another one, and what is missing or wrong
  askToken {} -> 400 invalid_request
  askToken { grant_type: refresh_token } -> 400 unsupported_grant_type
  askToken { grant_type: password, username: x } -> 400 invalid_request
  askToken { grant_type: password, username: $seed.username, password: x } -> 400 invalid_grant
  askToken { grant_type: password, username: x, password: x } -> 400 invalid_grant
  askToken { grant_type: client_credentials, client_id: x, client_secret: x } -> 401 invalid_client

D2, authentication: model area 2: keys are UUIDs in any letter case, and the log names them
  models.addApiKey { key: ${key}, name: second }
  models.addApiKey { key: ${key}, name: third } -> ! 409
  models.addApiKey { key: not-a-uuid, name: third } -> ! 422
  listServers { token: ${key.toUpperCase()} } -> 200
  listServers { token: $nobody } -> 401 UNAUTHORIZED
  manage.requests -> [{ call: 12, status: 200, credential: apiKey, caller: second },
    { call: 12, status: 401, credential: invalid, caller: null }]

model area: an organization's own key goes with its seed
  manage.addOrganization { ${other.slice(2, -2)}, apiKey: ${key} }
  listServers { token: ${key} } -> 200
  manage.reset
  listServers { token: ${key} } -> 401 UNAUTHORIZED
  listServers -> 200

an access token ends after 900 seconds of the service's clock
  manage.advance 899999
  listServiceAccounts -> 200
  manage.advance 1
  listServiceAccounts -> 401 UNAUTHORIZED

access tokens and secret of a service account end with it
  deleteServiceAccount { client_id: $account.clientId } -> 204
  createUser { body: {} } -> 401 UNAUTHORIZED
  askToken { grant_type: client_credentials, client_id: $account.clientId, client_secret: $account.clientSecret }
    -> 401 invalid_client

authentication: organization area 4, D38: a caller who is no longer an admin is refused with 403
  manage.changeAdmin $seed.username, { admin: false }
  listServiceAccounts -> 403 NOT_AN_ADMIN

two organizations share nothing
  manage.addOrganization ${other}
  listServiceAccounts { org_id: 11111111-1111-4111-8111-111111111111 } -> 403 OTHER_ORGANIZATION
  $boss = askToken { grant_type: password, username: boss@other.example, password: pw }
  listServiceAccounts { org_id: 11111111-1111-4111-8111-111111111111, token: $boss.access_token } -> 200 = { items: [] }
  deleteServiceAccount { org_id: 11111111-1111-4111-8111-111111111111, client_id: $account.clientId,
    token: $boss.access_token } -> 404 SERVICE_ACCOUNT_NOT_FOUND
`);

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
