import type { Mutant } from "./mutant.ts";

/** Breaks of rows of the interface in the client and the resources. */
export const clientMutants: readonly Mutant[] = [
  {
    name: "a renewal is sent by POST",
    file: "provider/api/calls/calls.ts",
    find: 'method: "PATCH",',
    replace: 'method: "POST",',
    tests: ["test/interface/client.test.ts"],
    rows: ["call 8"],
  },
  {
    name: "call 10 and call 11 are swapped",
    file: "provider/api/organization-api.ts",
    find: "remove(calls.removeSeat,",
    replace: "remove(calls.removeUser,",
    tests: ["test/interface/client.test.ts"],
    rows: ["call 10"],
  },
  {
    name: "Retry-After is read as milliseconds",
    file: "provider/api/client/retry.ts",
    find: "return Number(value) * 1000;",
    replace: "return Number(value);",
    tests: ["test/provider/api/repeats.test.ts"],
    only: "a 429",
    rows: ["limit 4"],
  },
  {
    name: "UserToken: call 9 is skipped on removal",
    file: "provider/resources/user-token/definition.ts",
    find: "return context.api(access).revokeToken(id, context.operation);",
    replace: 'return "deleted";',
    tests: ["test/resources/user-token.test.ts"],
    rows: ["transition: token DELETE"],
  },
  {
    name: "UserToken: a renewal leaves the old end in the state",
    file: "provider/resources/user-token/definition.ts",
    find: "await renew(id, own, news, cause.due, context));",
    replace: "await renew(id, own, news, cause.due, context).then(() => own));",
    tests: ["test/resources/user-token.test.ts"],
    rows: ["transition: token PATCH"],
  },
  {
    name: "Onboarding: an email in neither list counts as unavailable",
    file: "provider/resources/onboarding/status.ts",
    find: '[email, unavailable.has(email) ? "unavailable" : "refused"]',
    replace: '[email, "unavailable"]',
    tests: ["test/resources/onboarding.test.ts"],
    rows: ["call 4, rule 2"],
  },
];
