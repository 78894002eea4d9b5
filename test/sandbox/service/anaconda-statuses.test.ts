/** The organization area of the platform `anaconda` over bare HTTP: each call with each of its statuses. */
import { expect, it } from "vitest";
import { startSandbox, temporaryFolder } from "./harness.ts";
import { talks } from "./talk.ts";

talks(
  `
any call refuses a parameter of another type
  $ada = addUser
  listUsers { query: "?include_groups=perhaps" } -> 422 query.include_groups
  assignSeat { user_id: $ada, query: "?send_seat_assigned_email=1.5" } -> 422 query.send_seat_assigned_email

any call refuses another organization or version in the headers, or none, only if the management side says so
  listUsers { headers: { x-org-name: $nobody, x-api-version: v2 } } -> 200
  listUsers { headers: { x-org-name: null, x-api-version: null } } -> 200
  manage.setSwitches { platformHeaders: required }
  listUsers { headers: { x-org-name: $nobody } } -> 422 header.x-org-name
  listUsers { headers: { x-org-name: null } } -> 422 header.x-org-name
  listUsers { headers: { x-api-version: v2 } } -> 422 header.x-api-version
  listUsers { headers: { x-api-version: null } } -> 422 header.x-api-version

any call answers 404 for an unknown organization if it has that status, otherwise 422
  listUsers { org_id: $nobody } -> 422 path.org_id
  createServiceAccount { org_id: $nobody, body: { name: ci } } -> 422 path.org_id
  deleteServiceAccount { org_id: $nobody, client_id: $nobody } -> 404 ORGANIZATION_NOT_FOUND

any call answers an unknown and a repeated parameter: the description refuses none
  listUsers { query: "?page=2&include_groups=true" } -> 200 { items: [{ groups: [] }] }
  listUsers { query: "?include_groups=true&include_groups=false" } -> 200 { items: [{ groups: [] }] }

any call reads a body as JSON whatever its media type is called
  createUser { body: {}, headers: { content-type: text/plain } } -> 200
  createUser { body: {}, headers: { content-type: application/vnd.acme+json } } -> 200
  createUser { body: {}, headers: { content-type: "" } } -> 200

an invalid email is named by a path of texts
  onboardUsers { body: { user_emails: [ada@acme.example, "?"] } } -> 422 { detail: [{ loc: [body, user_emails, "1"] }] }

a user comes with what the request names, and nothing else in the response
  createUser { body: { email: ada@acme.example, first_name: Ada, last_name: null } }
    -> 200 = { id: <string>, email: ada@acme.example, first_name: Ada }
  createUser { body: { email: null } } -> 200 = { id: <string> }

a list of users obeys the switches empty, half, and other-organization
  $ada = addUser
  $eve = addUser
  manage.setSwitches { userList: empty }
  listUsers -> 200 { items: [] }
  manage.setSwitches { userList: half }
  listUsers -> 200 { items: [{ id: $ada }, {}] }
  manage.setSwitches { userList: other-organization }
  listUsers -> 200 { items: [{}, {}, {}] }

changes of the management side show in the lists
  $ada = addUser { email: ada@acme.example }
  issueToken { user_id: $ada, body: { expires_at: 2026-06-30T12:00:00Z } }
  $all = listTokens { user_id: $ada } -> 200 { items: [{ expires_at: 2026-06-30T12:00:00Z }] }
  manage.changeToken $all.items.0.id, { expiresAt: 2026-12-31T23:59:59Z, revoked: true }
  listTokens { user_id: $ada } -> 200 { items: [{ expires_at: 2026-12-31T23:59:59Z }] }
  manage.changeUser $ada, { firstName: Ada, role: billing_manager }
  listUsers -> 200 { items: [{ first_name: Ada, role: billing_manager }, { role: admin }] }
  manage.removeUser $ada
  listUsers -> 200 { items: [{ role: admin }] }

the groups of each user are in a list with groups alone
  listUsers { query: "?include_groups=true" } -> 200 { items: [{ role: admin, groups: [] }] }
  listUsers { query: "?include_groups=false" } -> 200 = { items: [{ id: <string>, email: <string>, role: admin,
    subscriptions: [] }] }

lists keep the letter case of emails, which names no other user
  $ada = addUser { email: ada@acme.example }
  manage.changeUser $ada, { email: Ada@Acme.example }
  listUsers -> 200 { items: [{ id: $ada, email: Ada@Acme.example }, {}] }
  createUser { body: { email: ada@acme.example } } -> 422 body.email

admins can have seats and tokens; the last one stays
  $users = listUsers
  assignSeat { user_id: $users.items.0.id } -> 201
  issueToken { user_id: $users.items.0.id, body: { expires_at: 2026-06-30T12:00:00Z } } -> 200
  $all = listTokens { user_id: $users.items.0.id }
  revokeToken { user_id: $users.items.0.id, token_id: $all.items.0.id } -> 204
  removeSeat { user_id: $users.items.0.id } -> 204
  removeUser { user_id: $users.items.0.id } -> 409 LAST_ADMIN
  $grace = addUser { email: grace@acme.example }
  manage.changeUser $grace, { role: admin }
  removeUser { user_id: $users.items.0.id } -> 204
  listServiceAccounts -> 401

seats and tokens send an email unless the request declines it, and never to a machine user
  $ada = addUser { email: ada@acme.example }
  $bot = addUser { first_name: bot }
  $eve = addUser { email: eve@acme.example }
  manage.changeSubscription $org, { seats: 3 }
  assignSeat { user_id: $eve, query: "?send_seat_assigned_email=false" } -> 201
  issueToken { user_id: $eve, body: { expires_at: 2026-06-30T12:00:00Z, send_token_email: false } }
  assignSeat { user_id: $ada } -> 201
  assignSeat { user_id: $bot } -> 201
  issueToken { user_id: $ada, body: { expires_at: 2026-06-30T12:00:00Z } }
  issueToken { user_id: $bot, body: { expires_at: 2026-06-30T12:00:00Z } }
  manage.outbox -> [{ recipient: ada@acme.example, kind: seat }, { recipient: ada@acme.example, kind: token }]

a token is refused without a date, and with a tolerance or a wish for an email that is none
  $ada = addUser
  issueToken { user_id: $ada, body: {} } -> 422 body.expires_at
  issueToken { user_id: $ada, body: { expires_at: null } } -> 422 body.expires_at
  issueToken { user_id: $ada, body: { expires_at: 2026-06-30, expiration_tolerance_months: -1 } }
    -> 422 body.expiration_tolerance_months
  issueToken { user_id: $ada, body: { expires_at: 2026-06-30, expiration_tolerance_months: 1.5 } }
    -> 422 body.expiration_tolerance_months
  issueToken { user_id: $ada, body: { expires_at: 2026-06-30, send_token_email: "no" } } -> 422 body.send_token_email

a token expires at its date and its months of tolerance, the last day of a shorter month, or with the subscription
  $ada = addUser
  issueToken { user_id: $ada, body: { expires_at: 2026-06-30T12:00:00+02:00, expiration_tolerance_months: 0 } }
    -> 200 = { token: <string>, expires_at: 2026-06-30T10:00:00Z }
  manage.changeSubscription $org, { expiresAt: 9999-12-31T23:59:59Z }
  issueToken { user_id: $ada, body: { expires_at: 2026-03-31T12:00:00Z, expiration_tolerance_months: 3 } }
    -> 200 { expires_at: 2026-06-30T12:00:00Z }
  issueToken { user_id: $ada, body: { expires_at: 2026-11-30T12:00:00Z, expiration_tolerance_months: 3 } }
    -> 200 { expires_at: 2027-02-28T12:00:00Z }
  issueToken { user_id: $ada, body: { expires_at: 2026-06-30T12:00:00Z, expiration_tolerance_months: 1000000000000 } }
    -> 200 { expires_at: 9999-12-31T23:59:59Z }
  manage.changeSubscription $org, { expiresAt: 2026-12-31T23:59:59Z }
  issueToken { user_id: $ada, body: { expires_at: 2030-06-30T12:00:00Z, expiration_tolerance_months: 12 } }
    -> 200 { expires_at: 2027-12-31T23:59:59Z }
  listTokens { user_id: $ada } -> 200 { items: [{ expires_at: 2026-06-30T10:00:00Z }, {}, {}, {},
    { expires_at: 2027-12-31T23:59:59Z }] }

a token loses its tolerance in a renewal
  $ada = addUser
  issueToken { user_id: $ada, body: { expires_at: 2026-12-31T23:59:59Z, expiration_tolerance_months: 2 } }
  renewToken { user_id: $ada, body: { is_renewal: true, expires_at: 2026-06-30T12:00:00Z } } -> 200
  listTokens { user_id: $ada } -> 200 { items: [{ expires_at: 2026-12-31T23:59:59Z }] }

a renewal is refused without a date that it needs, with another kind of flag, and without a body
  $ada = addUser
  issueToken { user_id: $ada, body: { expires_at: 2026-06-30T12:00:00Z } }
  renewToken { user_id: $ada, body: {} } -> 422 body.expires_at
  renewToken { user_id: $ada, body: { is_renewal: false, expires_at: null } } -> 422 body.expires_at
  renewToken { user_id: $ada, body: { is_renewal: "yes" } } -> 422 body.is_renewal
  renewToken { user_id: $ada } -> 422 body

a list of the tokens of an unknown user is refused
  listTokens { user_id: $nobody } -> 422 path.user_id
`,
  { platform: "anaconda", isDocumented: true },
);

talks(
  `
an account without rights sees the administrator alone, and 404 for all else
  $ada = addUser { email: ada@acme.example }
  manage.setSwitches { accountRights: none }
  listUsers -> 200 { items: [{ role: admin }] }
  listTokens { user_id: $ada } -> 404 USER_NOT_FOUND
  removeSeat { user_id: $ada } -> 404 USER_NOT_FOUND
  removeUser { user_id: $ada } -> 404 USER_NOT_FOUND

a list in pages has its first half, and says so
  $ada = addUser
  manage.setSwitches { pages: total_count }
  listUsers -> 200 = { items: [$any], total_count: 2 }
  manage.setSwitches { pages: next }
  listUsers -> 200 = { items: [$any], next: cursor-of-the-next-page }
  manage.setSwitches { pages: limit }
  listUsers -> 200 = { items: [$any], limit: 1 }
  manage.setSwitches { pages: has_more }
  listUsers -> 200 = { items: [$any], has_more: true }

every tenth request is a 429 if a fault says so
  manage.addFaults { every: 2, times: always, fault: { kind: refuse, status: 429 } }
  listUsers -> 200
  listUsers -> 429
  listUsers -> 200
  listUsers -> 429
`,
  { platform: "anaconda" },
);

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
