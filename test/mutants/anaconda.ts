import type { Mutant } from "./mutant.ts";

const beforeLists = ["test/resources/before-lists.test.ts"];
const oddLists = ["test/resources/odd-lists.test.ts"];
const wire = ["test/interface/anaconda/client.test.ts"];

/** Breaks of rules that only the dialect `anaconda` has. */
export const anacondaMutants: readonly Mutant[] = [
  {
    name: "anaconda: no request names its organization in a header",
    file: "provider/api/dialect.ts",
    find: '["x-org-name", "{org_id}"],',
    replace: "",
    tests: wire,
  },
  {
    name: "anaconda: the header of the version is sent to the model area, too",
    file: "provider/api/sender.ts",
    find: 'const headers = areaOf(call) === "organization" ? dialectHeaders(dialect, message.variables) : [];',
    replace: "const headers = dialectHeaders(dialect, message.variables);",
    tests: wire,
  },
  {
    name: "anaconda: a token is revoked without its id",
    file: "provider/api/anaconda-calls.ts",
    find: 'path: "/organizations/{org_id}/users/{user_id}/tokens/{token_id}",',
    replace: 'path: "/organizations/{org_id}/users/{user_id}/token",',
    tests: wire,
  },
  {
    name: "anaconda: an email about a token is sent unless it is refused",
    file: "provider/api/client.ts",
    find: "issueToken: (userId, expiresAt, operation, { sendEmail = false,",
    replace: "issueToken: (userId, expiresAt, operation, { sendEmail = true,",
    tests: wire,
  },
  {
    name: "anaconda: a renewal to a date asks for the end of the subscription",
    file: "provider/api/client.ts",
    find: "is_renewal: expiresAt === undefined,",
    replace: "is_renewal: true,",
    tests: wire,
  },
  {
    name: "anaconda: the first wait after a 429 is as short as in the other dialect",
    file: "provider/api/retry.ts",
    find: "isOverloaded(error) ? backoff : BACKOFF",
    replace: "BACKOFF",
    tests: ["test/provider/api/backoff.test.ts"],
    only: "without Retry-After",
  },
  {
    name: "anaconda: a user whom one list lacks is gone, without a second list",
    file: "provider/resources/presence.ts",
    find: "if (later !== undefined) return later;",
    replace: "",
    tests: beforeLists,
    only: "whom one list lacks",
  },
  {
    name: "anaconda: a user who still has tokens is gone",
    file: "provider/resources/presence.ts",
    find: "() => requireNoTokens(sought, context));",
    replace: "async () => undefined);",
    tests: oddLists,
    only: "of users",
  },
  {
    name: "anaconda: a list without an administrator is believed",
    file: "provider/resources/member-list.ts",
    find: 'return users.some(({ role }) => role === "admin") ? undefined : "it has no admin";',
    replace: "return undefined;",
    tests: oddLists,
    only: "of users",
  },
  {
    name: "anaconda: people whom the list lacks do not count for the removal limit",
    file: "provider/resources/presence.ts",
    find: 'context.countMissing({ type: "OrgUser", userId, organizationId });',
    replace: "",
    tests: oddLists,
    only: "more people are missing",
  },
  {
    name: "anaconda: a token from before counts as the one whose response was lost",
    file: "provider/resources/listed-token.ts",
    find: 'await revokeLost(news, without(after, before), "in this run", context);',
    replace: 'await revokeLost(news, after, "in this run", context);',
    tests: beforeLists,
    only: "a token from before",
  },
  {
    name: "anaconda: of several tokens that may be the lost one the first is revoked",
    file: "provider/resources/listed-token.ts",
    find: "if (live.length > 0 && (lost === undefined || fitting.length > 1)) {",
    replace: "if (live.length > 0 && lost === undefined) {",
    tests: ["test/resources/listed-kills.test.ts"],
    only: "one of several",
  },
  {
    name: "anaconda: the token of a neighbor is revoked with the lost one",
    file: "provider/resources/listed-token.ts",
    find: "const fitting = live.filter(hasWantedExpiry(news));",
    replace: "const fitting = live;",
    tests: ["test/resources/listed-kills.test.ts"],
    only: "of another date",
  },
  {
    name: "anaconda: a user from before counts as the one whose response was lost",
    file: "provider/resources/created-member.ts",
    find: "!before.has(id)",
    replace: "true",
    tests: beforeLists,
    only: "a managed user",
  },
];
