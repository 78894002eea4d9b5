import { mutantsIn } from "./mutant.ts";

/** Breaks of rows of the interface in the sandbox service. */
export const serviceMutants = mutantsIn(String.raw`
service: onboarding does not count the seats that it takes
  sandbox/service/organization/onboarding.ts | test/sandbox/service/members.test.ts | call 4, rule 3 | call 4, rule 3; limit 3
-       free -= 1;\n
+
sandbox: call 4 tells of a later problem
  sandbox/service/organization/onboarding.ts | test/sandbox/service/members.test.ts | - | call 4, rule 4
- accepted.push(email);
+ (meetsProblem(scope, email) ? unavailable : accepted).push(email);
sandbox: the second mail of call 4 lacks the token
  sandbox/service/organization/onboarding.ts | test/sandbox/service/onboarding.test.ts | - | call 4, rule 5
- kind: "token",\n    text:
+ kind: "token",\n    text: "" &&
service: the list of accounts holds their secrets
  sandbox/service/organization/accounts.ts | test/interface/sandbox.test.ts | call 1, rule 8 | call 1, rule 8
- items: database.all(\n    accountRow,\n    \`SELECT name,
+ items: database.all(\n    z.looseObject({}),\n    \`SELECT secret_hash AS client_secret, name,
service: the list of accounts ends at a hundred
  sandbox/service/organization/accounts.ts | test/sandbox/service/accounts.test.ts | limit 1 | limit 1
- WHERE organization_id = ? ORDER BY rowid\`
+ WHERE organization_id = ? ORDER BY rowid LIMIT 100\`
service: machine users take seats
  sandbox/service/organization/members.ts | test/sandbox/service/members.test.ts | limit 2 | limit 2
- const user = addMember(scope, { email, first_name, last_name });
+ if (scope.organization.seats < 2) requireUser(scope);\n  const user = addMember(scope, { email, first_name, last_name });
service: onboarding gives no seat
  sandbox/service/organization/onboarding.ts | test/sandbox/service/members.test.ts | transition: membership POST users_auto | transition: membership POST users_auto_registration
-   giveSeat(scope, id);\n
+
service: names that are not given are empty
  sandbox/service/organization/members.ts | test/sandbox/service/members.test.ts | call 5, rule 6 | call 5, rule 6
- first_name = null, last_name = null }
+ first_name = "", last_name = "" }
service: call 7 takes no end
  provider/api/schemas/schemas.ts | test/sandbox/service/tokens.test.ts | call 7, rule 7 | call 7, rule 7
- issueTokenRequestSchema = z.object({ expires_at: instantSchema });
+ issueTokenRequestSchema = z.object({ expires_at: instantSchema.default("2026-06-30T00:00:00Z") });
service: a seat goes while a token lives
  sandbox/service/organization/members.ts | test/sandbox/service/members.test.ts | rule 9 | rule 9
- if (scope.database.has(live, userId, scope.now) && !scope.platform.removesSeatsWithTokens) {
+ if (scope.database.has(live, userId, scope.now) && scope.platform.removesSeatsWithTokens) {
service: a person is added twice
  sandbox/service/organization/members.ts | test/sandbox/service/members.test.ts | transition: membership POST users | transition: membership POST users
- if (email !== null && isMember(scope, email)) {
+ if (email === '') {
service: a removed user stays
  sandbox/service/organization/members.ts | test/sandbox/service/members.test.ts | transition: membership DELETE | transition: membership DELETE
- scope.database.run("DELETE FROM users WHERE id = ?", userId);
+
service: a repeated seat is refused
  sandbox/service/organization/members.ts | test/sandbox/service/members.test.ts | transition: seat POST | transition: seat POST
- if (!scope.platform.canListUsers && scope.switches.repeatSeat === "201") return undefined;
+
service: a removed seat stays taken
  sandbox/service/organization/members.ts | test/sandbox/service/members.test.ts | transition: seat DELETE | transition: seat DELETE
- scope.database.run("DELETE FROM seats WHERE user_id = ?", userId);
+
service: a token is issued to anybody
  sandbox/service/organization/tokens.ts | test/sandbox/service/members.test.ts | transition: token POST | transition: token POST
- const userId = requireUser(scope);
+ const userId = scope.path.user_id ?? "";
service: a renewed subscription moves tokens by itself
  sandbox/service/organization/organizations.ts | test/sandbox/service/members.test.ts | transition: subscription renewed | transition: subscription renewed
- if (changes === 0) throw refusal(404, "ORGANIZATION_NOT_FOUND", "no such organization");
+ database.run("UPDATE tokens SET expires_at = ?", Date.parse(change.expiresAt ?? "2030-01-01"));
service: who is no admin may call
  sandbox/service/area.ts | test/sandbox/service/access.test.ts | authentication: organization area 4 | authentication: organization area 4
- if (!caller.isAdmin) throw refusal(403, "NOT_AN_ADMIN", "the caller is not an admin of the organization");
+
service: a deleted server has another field
  sandbox/service/models/servers.ts | test/interface/sandbox.test.ts | fields: deleted server | fields: deleted server
- deletedAt: new
+ deleted_at: new
service: a deleted server has another status
  sandbox/service/models/servers.ts | test/sandbox/service/servers.test.ts | transition: server DELETE | transition: server DELETE
- status: "deleted",
+ status: "gone",
`);
