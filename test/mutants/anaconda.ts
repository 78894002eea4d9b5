import type { Mutant } from "./mutant.ts";

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
];
