import type { Mutant } from "./mutant.ts";

/** Breaks of the resources where the service lists users and tokens. */
export const listedMutants: readonly Mutant[] = [
  {
    name: "lists: a user whom two lists lack is gone, whatever the service says about the tokens",
    file: "provider/resources/presence.ts",
    find: "() => requireNoTokens(sought, context)",
    replace: "async () => undefined",
    tests: ["test/resources/odd-lists.test.ts"],
  },
  {
    name: "lists: people whom a refresh misses are not counted",
    file: "provider/resources/presence.ts",
    find: 'context.countMissing({ type: "OrgUser", userId, organizationId });',
    replace: "",
    tests: ["test/resources/odd-lists.test.ts"],
    only: "removal limit",
  },
  {
    name: "lists: any role is removed",
    file: "provider/resources/user-facts.ts",
    find: "if (!isPrivileged(role)) return;",
    replace: "if (isPrivileged(role)) return;",
    tests: ["test/resources/listed-lifecycle.test.ts"],
    only: "an administrator",
  },
  {
    name: "lists: one of several tokens that may be the lost one is revoked",
    file: "provider/resources/listed-token.ts",
    find: "(lost === undefined || fitting.length > 1)",
    replace: "lost === undefined",
    tests: ["test/resources/listed-kills.test.ts"],
    only: "several tokens",
  },
  {
    name: "lists: a new token of a neighbor counts as the lost one",
    file: "provider/resources/listed-token.ts",
    find: "const fitting = live.filter(hasWantedExpiry(news));",
    replace: "const fitting = live.toReversed().slice(0, 1);",
    tests: ["test/resources/listed-kills.test.ts"],
    only: "a token of a neighbor",
  },
  {
    name: "lists: a killed run is forgotten",
    file: "provider/creation-journal.ts",
    find: "if (found === undefined) return undefined;",
    replace: "return undefined;",
    tests: ["test/provider/creation-journal.test.ts"],
  },
  {
    name: "lists: a renewal is not read back",
    file: "provider/resources/listed-token.ts",
    find: "if (own && isRenewed(own.expires_at)) return own.expires_at;",
    replace: "return until;",
    tests: ["test/resources/listed-tokens.test.ts"],
    only: "a renewal that moves another token",
  },
];
