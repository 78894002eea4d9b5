import { mutantsIn } from "./mutant.ts";

/** Breaks of rows of the interface in the client and the resources. */
export const clientMutants = mutantsIn(`
a renewal is sent by POST
  provider/api/calls/calls.ts | test/interface/client.test.ts | - | call 8
- method: "PATCH",
+ method: "POST",
call 10 and call 11 are swapped
  provider/api/areas.ts | test/interface/client.test.ts | - | call 10
- remove("removeSeat",
+ remove("removeUser",
Retry-After is read as milliseconds
  provider/api/client/retry.ts | test/provider/api/repeats.test.ts | a 429 | limit 4
- return Number(value) * 1000;
+ return Number(value);
UserToken: call 9 is skipped on removal
  provider/member/execute/remove.ts | test/resources/user-token.test.ts | - | transition: token DELETE
- const revoke = () => context.service.api(access).revokeToken(user.id, context.time.operation);
+ const revoke = () => Promise.resolve("deleted" as const);
UserToken: a renewal leaves the old end in the state
  provider/member/advance.ts | test/resources/user-token.test.ts | - | transition: token PATCH
- declaredEnd: until ?? endOf(one),
+ declaredEnd: endOf(one),
Onboarding: an email in neither list counts as unavailable
  provider/resources/onboarding/status.ts | test/resources/onboarding.test.ts | - | call 4, rule 2
- [email, unavailable.has(email) ? "unavailable" : absent]
+ [email, "unavailable"]
`);
