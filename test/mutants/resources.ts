import type { Mutant } from "./mutant.ts";

const resource = (name: string) => `test/resources/${name}.test.ts`;
const serviceAccount = {
  file: "provider/resources/service-account.ts",
  tests: [resource("service-account")],
};
const orgUser = { file: "provider/resources/org-user.ts", tests: [resource("org-user")] };
const seat = { file: "provider/resources/seat-assignment.ts", tests: [resource("seat-assignment")] };
const token = { file: "provider/resources/user-token.ts", tests: [resource("user-token")] };
const renewal = { file: "provider/resources/renewal.ts", tests: [resource("user-token")] };
const holding = { file: "provider/resources/ownership.ts", tests: [resource("holding")] };
const removal = { file: "provider/resources/removal.ts", tests: [resource("org-user")] };

/** Breaks of the resources: order, lost answers, taking over, renewal, update against replacement. */
export const resourceMutants: readonly Mutant[] = [
  {
    ...serviceAccount,
    name: "ServiceAccount: a failed list is taken as an empty one",
    find: "listServiceAccounts(context.operation);",
    replace: "listServiceAccounts(context.operation).catch(() => ({ accounts: [], complete: true }));",
  },
  {
    ...serviceAccount,
    name: "ServiceAccount: what a lost answer made is left behind",
    find: "await context.api(news).deleteServiceAccount(account.client_id, context.operation);",
    replace: "",
  },
  {
    ...serviceAccount,
    name: "ServiceAccount: of several that appeared one is removed",
    find: "if (others.length > 0) {",
    replace: "if (others.length > 99) {",
  },
  {
    ...serviceAccount,
    name: "ServiceAccount: a list that is not whole proves what was made",
    find: "if (!before.complete || !after.complete) throw",
    replace: "if (!before.complete && !after.complete) throw",
  },
  {
    ...serviceAccount,
    name: "ServiceAccount: namesakes from before count as made by this run",
    find: ".filter((account) => !known.has(account.client_id));",
    replace: ";",
  },
  {
    ...serviceAccount,
    name: "ServiceAccount: olds are spread over the outputs of an update",
    find: "return outsOf(news, id, olds.clientSecret);",
    replace: "return { ...outsOf(news, id, olds.clientSecret), ...olds };",
  },
  {
    ...serviceAccount,
    name: "ServiceAccount: a rotation only updates",
    find: 'const identity = ["name", "rotation", "organizationId"] as const;',
    replace: 'const identity = ["name", "organizationId"] as const;',
  },
  {
    ...serviceAccount,
    name: "ServiceAccount: the old one goes before the new one is there",
    find: "return { changes, replaces, deleteBeforeReplace: false };",
    replace: "return { changes, replaces, deleteBeforeReplace: true };",
  },
  {
    ...serviceAccount,
    name: "ServiceAccount: one bare account proves that another is gone",
    find: "if (list.complete) return undefined;",
    replace: "return undefined;",
  },
  {
    ...serviceAccount,
    name: "ServiceAccount: refresh keeps what the list lacks",
    find: "if (list.complete) return undefined;",
    replace: "",
  },
  {
    ...serviceAccount,
    name: "ServiceAccount: its own namesakes count as strangers",
    find: "accountKey(olds.organizationId, id)",
    replace: 'accountKey(olds.organizationId, "")',
  },
  {
    ...orgUser,
    name: "OrgUser: a changed email only updates",
    find: '      "email",\n      "organizationId",\n    ]);',
    replace: '      "organizationId",\n    ]);',
  },
  {
    ...orgUser,
    name: "OrgUser: a person is replaced for a name",
    find: "if (olds.email === undefined && news.email === undefined) {",
    replace: "if (changedNames.length > 0) {",
  },
  {
    ...orgUser,
    name: "OrgUser: an unknown name replaces a managed user",
    find: "changedNames.filter((key) => news[key] !== unknown)",
    replace: "changedNames",
  },
  {
    ...orgUser,
    name: "OrgUser: a membership that was taken over is removed",
    file: "provider/resources/removal.ts",
    find: 'return outs.onDelete === "keep" || (outs.adopted && outs.onDelete !== "remove");',
    replace: 'return outs.onDelete === "keep";',
  },
  {
    ...orgUser,
    name: "OrgUser: an update forgets that it was taken over",
    find: "return outsOf(news, { userId, serviceEmail, adopted, instance });",
    replace:
      "return outsOf(news, { userId, serviceEmail, adopted: adopted && news.adopt === userId, instance });",
  },
  {
    ...orgUser,
    name: "OrgUser: taking over creates a user",
    find: "if (news.adopt !== undefined)",
    replace: 'if (news.adopt === "")',
  },
  {
    ...seat,
    name: "SeatAssignment: a seat whose answer was lost is not kept",
    file: "provider/resources/failures.ts",
    find: "error instanceof ApiError && error.effectUnknown",
    replace: 'error instanceof ApiError && error.code === "unreachable"',
  },
  {
    ...seat,
    name: "SeatAssignment: a seat that is not confirmed is not asked for again",
    find: "return isAssignedAgain(olds) ? assign(outs, context, true) : outs;",
    replace: "return outs;",
  },
  {
    ...seat,
    name: "SeatAssignment: a seat that is not confirmed shows no change",
    find: " || isAssignedAgain(olds),",
    replace: ",",
  },
  {
    ...seat,
    name: "SeatAssignment: a seat is taken over silently",
    find: "if (mayHold && isRefused(error, 409)) return",
    replace: "if (isRefused(error, 409)) return",
  },
  {
    ...seat,
    name: "SeatAssignment: the new one comes before the old one has gone",
    find: "deleteBeforeReplace: true,",
    replace: "deleteBeforeReplace: false,",
  },
  {
    ...token,
    name: "UserToken: call 9 is skipped on removal",
    find: "return context.api(outs).revokeToken(id, context.operation);",
    replace: 'return "deleted";',
    rows: ["transition: token DELETE"],
  },
  {
    ...token,
    name: "UserToken: a removal is not counted by the breaker",
    find: 'context.checkRemovalLimit({ type: "UserToken", userId: id, organizationId: outs.organizationId });',
    replace: "",
  },
  {
    ...token,
    name: "UserToken: replaceExisting is not counted by the breaker",
    file: "provider/resources/token-calls.ts",
    find: 'context.checkRemovalLimit({ type: "UserToken", userId, organizationId });',
    replace: "",
  },
  {
    ...token,
    name: "UserToken: a token that is there is revoked unasked",
    file: "provider/resources/token-calls.ts",
    find: "if (!revokesExisting(news) || !isRefused(error, 409)) throw error;",
    replace: "if (!isRefused(error, 409)) throw error;",
  },
  {
    ...token,
    name: "UserToken: a rotation only updates",
    find: 'const identity = ["userId", "rotation", "organizationId"] as const;',
    replace: 'const identity = ["userId", "organizationId"] as const;',
  },
  {
    ...token,
    name: "UserToken: an earlier expiresAt is renewed",
    find: "if (isShortened(olds, dates",
    replace: "if (isShortened({}, dates",
  },
  {
    ...token,
    name: "UserToken: a replacement revokes although the new one would have expired",
    find: "refuseExpired(who, news, context);",
    replace: "",
  },
  {
    ...token,
    name: "UserToken: a date that is not known replaces",
    find: "if (dates === undefined) return { changes: true, replaces, deleteBeforeReplace: true };",
    replace:
      'if (dates === undefined) return { changes: true, replaces: ["expiresAt"], deleteBeforeReplace: true };',
  },
  {
    ...token,
    name: "UserToken: a renewal that moves nothing counts as done",
    find: "if (isLater(wanted, expiry.validUntil) || !isLater(expiry.validUntil, olds.validUntil)) {",
    replace: "if (expiry.validUntil === '') {",
  },
  {
    ...token,
    name: "UserToken: the service's date is ignored",
    find: "return answered === null || answered === undefined",
    replace: "return answered !== ''",
  },
  {
    ...token,
    name: "UserToken: every update renews",
    find: "if (!isRenewed(olds, news, context.now)) return",
    replace: "if (news === undefined) return",
  },
  {
    ...token,
    name: "UserToken: a date in the past is issued",
    find: "if (olds === undefined) {\n      failures.push(",
    replace: "if (olds !== undefined) {\n      failures.push(",
  },
  {
    ...token,
    name: "UserToken: a renewal leaves the old end in the state",
    find: "await renew(id, olds, news, context));",
    replace: "await renew(id, olds, news, context).then(() => olds));",
    rows: ["transition: token PATCH"],
  },
  {
    ...token,
    name: "UserToken: the value is not kept",
    find: "token, ...expiry };",
    replace: 'token: "", ...expiry };',
    rows: ["transition: token PATCH"],
  },
  {
    ...renewal,
    name: "renewal: the window never has to open",
    find: " || now <= windowOpensAt(validUntil, news.renewBefore))",
    replace: ")",
    rows: ["transition: token PATCH"],
  },
  {
    ...renewal,
    name: "renewal: the window opens that long after the end",
    find: "instantMs(validUntil) - (parseDuration(renewBefore) ?? 0)",
    replace: "instantMs(validUntil) + (parseDuration(renewBefore) ?? 0)",
  },
  {
    ...renewal,
    name: "renewal: a subscription that runs shorter renews",
    find: "if (wanted !== undefined && isLater(wanted, validUntil)) {",
    replace: "if (wanted !== undefined && wanted !== validUntil) {",
  },
  {
    name: "renewal: two instants of one minute differ",
    file: "provider/api/instants.ts",
    find: "> SAME_WITHIN_MS;",
    replace: "> 0;",
    tests: [resource("user-token")],
  },
  {
    ...holding,
    name: "holding: what another resource took over is removed",
    find: "if (holder === undefined || holder === outs.instance) return false;",
    replace: "if (holder !== outs.organizationId) return false;",
  },
  {
    ...holding,
    tests: [resource("user-token")],
    name: "holding: a resource counts as another one than itself",
    find: "if (holder === undefined || holder === outs.instance) return false;",
    replace: "if (holder === undefined) return false;",
  },
  {
    ...removal,
    name: "removal: a 409 fails at once",
    find: "if (!isRefused(error, 409)) throw error;",
    replace: "throw error;",
  },
  {
    ...removal,
    name: "removal: a 409 counts as removed",
    find: "if (!isRefused(error, 409)) throw error;",
    replace: "if (!isRefused(error, 409)) throw error;\n      return;",
  },
  {
    ...removal,
    name: "removal: any refusal is waited out",
    find: "if (!isRefused(error, 409)) throw error;",
    replace: "if (!isRefused(error, 409) && !isRefused(error, 403)) throw error;",
  },
];
