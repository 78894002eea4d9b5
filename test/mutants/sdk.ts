import type { Mutant } from "./mutant.ts";

const base = { file: "sdk/base-resource.ts", tests: ["test/sdk/registered.test.ts"] };

/** Breaks of the classes: secret marks, chains, claims. */
export const sdkMutants: readonly Mutant[] = [
  {
    ...base,
    name: "classes: a secret output is not marked",
    find: 'additionalSecretOutputs: ["credentials", ...definition.secretOutputs]',
    replace: 'additionalSecretOutputs: ["credentials"]',
  },
  {
    ...base,
    name: "classes: the token is no secret",
    file: "sdk/user-token.ts",
    find: 'secretOutputs: ["token"],',
    replace: "secretOutputs: [],",
  },
  {
    ...base,
    name: "classes: credentials are plain inputs",
    find: "credentials: pulumi.secret(values)",
    replace: "credentials: values",
  },
  {
    ...base,
    name: "classes: a whole ServiceAccount is stored for credentials",
    find: "return { clientId: account.clientId, clientSecret: account.clientSecret };",
    replace: "return { ...account };",
  },
  {
    ...base,
    name: "classes: the provider's text is another one",
    find: 'require("orgseat/provider").',
    replace: 'require("orgseat").',
  },
  {
    ...base,
    name: "chain: userId is not the id",
    file: "sdk/organization-resource.ts",
    find: "return this.id;",
    replace: "return this.urn;",
  },
  {
    ...base,
    name: "chain: a member's token does not wait for the seat",
    file: "sdk/org-member.ts",
    find: "...token.args, seat: this.seat }",
    replace: "...token.args, userId: this.user.id }",
  },
  {
    ...base,
    name: "chain: a token by its seat has no user",
    file: "sdk/user-token.ts",
    find: "const userId = seat?.id ?? inputs.userId;",
    replace: "const userId = inputs.userId;",
  },
  {
    ...base,
    name: "claims: nobody looks for two of one person",
    find: "for (const one of definition.claims) claim(definition.type, name, props, one);",
    replace: "claim;",
  },
  {
    ...base,
    name: "claims: letter case makes two people of one",
    file: "sdk/claims.ts",
    find: ".trim().toLowerCase()",
    replace: ".trim()",
  },
  {
    ...base,
    name: "claims: a person of two organizations is refused",
    file: "sdk/claims.ts",
    find: "[...kind, organizationId",
    replace: "[...kind, !organizationId",
  },
];
