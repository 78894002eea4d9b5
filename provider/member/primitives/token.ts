/**
 * UserToken: the access token of a user's seat (issue, renew, and revoke token), for programs that wire a person by hand. Its id
 * is an own text and never changes; the output `userId` names the user. Every change is an update, except that of the
 * organization. Removal revokes the token.
 */
import { isDeepStrictEqual } from "node:util";
import { completeOrganization, organizationOf, requireLists } from "../../resources/changes.ts";
import type { CallContext, PlanContext } from "../../resources/contexts.ts";
import { findMember, listTokens } from "../../resources/members/reads.ts";
import { describeTokens, liveTokens } from "../../resources/members/token-list.ts";
import { wasWritten } from "../../resources/members/written.ts";
import { refuseContested } from "../../resources/ownership.ts";
import type { ResourceDefinition } from "../../resources/resource.ts";
import type { Knowable } from "../../resources/unknown.ts";
import { ownExpiry } from "../../resources/user-token/dates.ts";
import {
  checkCapabilities,
  checkDates,
  checkKeeping,
  expiredIssue,
  nameIn,
  noReplacement,
} from "../../resources/user-token/messages.ts";
import { inputs } from "../../resources/user-token/schema.ts";
import { CodedError } from "../../util/error-codes.ts";
import { created, type Executed, execute, updated } from "../execute/execute.ts";
import { adoptedToken, readTokens } from "../execute/reading.ts";
import { foreseen } from "../foreseen.ts";
import { type Held, type HeldToken, hasToken, nothingHeld } from "../held.ts";
import { seenToken, unread } from "../observe.ts";
import type { Plan } from "../step.ts";
import type { Seen, WantedMember } from "../wanted.ts";
import { checkUser, diffPart, isOwnedByOther, newId, ownPart, refuseMove, removePart } from "./common.ts";
import { tokenPartPlan, userOfPart } from "./plans.ts";
import { type Inputs, type Outputs, outputs, outsOf } from "./token-outputs.ts";

type Access = Pick<Inputs, "organizationId" | "credentials">;

export const userTokenDefinition: ResourceDefinition<Inputs, Outputs> = {
  name: "UserToken",
  area: "organization",
  inputs,
  outputs,
  // Someone may paste a private key.
  secretInputs: ["recipients"],
  stableOutputs: [],
  identity: ["organizationId"],

  complete(news, context) {
    const completed = completeOrganization(news, context);
    const declared = context.defaults.subscriptionExpiresAt;
    if (completed.subscriptionExpiresAt !== undefined || declared === undefined) return completed;
    return { ...completed, subscriptionExpiresAt: declared };
  },

  check(news, olds, context) {
    if (context.can.revokesByTokenId && olds === undefined && news.replaceExisting === true)
      context.diagnostics.infoLimited(noReplacement, noReplacement);
    const issue = olds === undefined ? expiredIssue(news, context) : undefined;
    if (issue !== undefined)
      context.diagnostics.warn(`cannot issue a token for ${nameIn(news, context)}: ${issue}`);
    return [
      ...checkUser(news),
      ...checkDates(news),
      ...checkCapabilities(news, context),
      ...checkKeeping(news, context),
    ];
  },

  diff(_id, olds, news, context) {
    return diffPart("UserToken", olds, news, () => planFor(olds, news, context), context);
  },

  stableIn(olds, news, context) {
    if (news.userId !== olds.userId) return [];
    const after = foreseen(olds.held, planFor(olds, news, context), context.now);
    const outs = outsOf(olds, after, olds);
    const isSame = after.kept === undefined;
    const dates = isSame && outs.validUntil === olds.validUntil ? ofDates : [];
    return [...ofValue, ...(isSame ? ofToken : []), ...dates].filter((key) =>
      isDeepStrictEqual(outs[key], olds[key]),
    );
  },

  async create(news, context) {
    refuseContested(context, news);
    const id = newId("token");
    const adopted = await tokenToAdopt(news, context);
    const user = userOfPart(news.userId, adopted && { tokens: [adopted] });
    const executed = await run({ ...nothingHeld(id), users: [user] }, news, undefined, context);
    const outs = outsOf(news, executed, {});
    ownPart("UserToken", executed.held, news.organizationId, context);
    return created(id, outs, executed, isKnown(executed.held));
  },

  async find(id, given, context) {
    const what = `the token of user ${id}`;
    const instead =
      "The value of an existing token cannot be read: declare a UserToken with `replaceExisting: true`, which revokes it and issues a new one";
    requireLists(context, what, instead);
    const organizationId = organizationOf(given, context, what);
    const access = { organizationId, credentials: given.credentials };
    if ((await findMember({ ...access, userId: id }, context)) === "absent") return undefined;
    const token = await tokenToAdopt({ ...access, userId: id, adopt: true }, context);
    if (token === undefined) return undefined;
    const { subscriptionExpiresAt = context.defaults.subscriptionExpiresAt } = given;
    const { expiresAt = ownExpiry(token.reportedEnd, subscriptionExpiresAt) } = given;
    const dates = { subscriptionExpiresAt, expiresAt };
    const held = { ...nothingHeld(newId("token")), users: [userOfPart(id, { tokens: [token] })] };
    return outsOf({ ...dates, ...access, userId: id }, { held: { ...held, agreed: dates } }, {});
  },

  inputsOf({ userId, organizationId, credentials, expiresAt, subscriptionExpiresAt }) {
    return { userId, organizationId, credentials, expiresAt, subscriptionExpiresAt };
  },

  async read(_id, olds, context) {
    const held = await readTokens({ held: olds.held, access: accessOf(olds), context });
    if (held === undefined || !isKnown(held)) return undefined;
    return outsOf(olds, { held }, olds);
  },

  async update(id, olds, news, context) {
    refuseContested(context, news);
    await refuseMove(olds, news, context);
    const executed = await run(olds.held, news, olds, context);
    const outs = outsOf(news, executed, olds);
    ownPart("UserToken", executed.held, news.organizationId, context);
    return updated(id, outs, executed);
  },

  async delete(_id, olds, context) {
    const { held, userId } = olds;
    if (isOwnedByOther("UserToken", held, olds, context)) return "kept";
    return (await removePart({ ...accessOf(olds), held, userId }, tokenPartPlan, context)) ?? "gone";
  },
};

const ofValue = ["value", "sealedValue"] as const;
const ofToken = ["tokenId", "previous", "issuedAt"] as const;
const ofDates = ["reportedExpiresAt", "validUntil", "expirySource"] as const;

/** By the state alone. */
function planFor({ held }: Outputs, news: Knowable<Inputs>, context: PlanContext): Plan {
  return tokenPartPlan(unread(held), wantedOf(news, context), context.now, context.can);
}

async function run(
  stored: Held,
  news: Inputs,
  olds: Outputs | undefined,
  context: CallContext,
): Promise<Executed> {
  const access = { organizationId: news.organizationId, credentials: news.credentials, token: olds?.value };
  const { revoked } = revokedWithSeats(stored, access, context);
  const seen = { ...(await tokensBefore(stored, news, context)), revoked };
  const wanted = wantedOf(news, context);
  const executed = await execute({ stored, wanted, access, seen, plan: tokenPartPlan }, context);
  const { failure } = executed;
  if (failure !== undefined && revoked.length > 0) context.guards.noteExchange(news.organizationId, failure);
  return executed;
}

/** Of a user whose first token it is: those that are there already. */
async function tokensBefore({ users }: Held, news: Inputs, context: CallContext): Promise<Seen> {
  const { userId } = news;
  const isFirst = users.every(({ id, tokens }) => id !== userId || tokens.length === 0);
  const listed = isFirst ? await listTokens(news, context) : undefined;
  if (listed === undefined) return {};
  return { users: [{ id: userId, tokens: listed.map(seenToken) }] };
}

/** The service has removed the seat only after the token: this run has done both for a user who changes. */
function revokedWithSeats({ users }: Held, access: Access, context: CallContext) {
  const gone = users.filter(({ id }) => wasWritten("seat removed", { ...access, userId: id }, context));
  return {
    revoked: gone.flatMap(({ id, tokens }) => tokens.map(({ issuedAt }) => ({ user: id, token: issuedAt }))),
  };
}

function wantedOf(news: Knowable<Inputs>, { can }: PlanContext): WantedMember {
  const { userId, rotation, expirationToleranceMonths, allowAdminRemoval, subscriptionExpiresAt, ...token } =
    news;
  const { organizationId: _organization, credentials: _credentials, ...same } = token;
  // Where tokens have ids, a token that nobody knows from a state is refused only if an interrupted run may have issued it.
  const replaceExisting = can.canListTokens ? true : same.replaceExisting;
  return {
    ...{ userId, seat: true, allowAdminRemoval, subscriptionExpiresAt },
    token: { ...same, replaceExisting, mark: rotation, tolerance: expirationToleranceMonths },
  };
}

/** The token that `adopt` names; undefined if there is none to adopt. */
async function tokenToAdopt(
  { userId, adopt, rotation, ...access }: Access & Pick<Inputs, "userId" | "adopt" | "rotation">,
  context: CallContext,
): Promise<HeldToken | undefined> {
  if (adopt === undefined || adopt === false || rotation !== undefined) return undefined;
  const listed = await listTokens({ ...access, userId }, context);
  if (listed === undefined) return undefined;
  const live = liveTokens(listed);
  const found = adopt === true ? live : live.filter(({ id }) => id === adopt);
  const [token] = found;
  const who = context.people.nameOf(userId);
  if (found.length > 1)
    throw new CodedError(
      "ambiguous",
      `cannot tell which token of ${who} to adopt: ${describeTokens(found)}. Set \`adopt\` to the id of one of them`,
    );
  if (token === undefined && adopt !== true)
    throw new CodedError(
      "cannot-adopt",
      `cannot adopt the token of ${who}: the user has ${live.length === 0 ? "no token" : describeTokens(live)}. Correct or remove \`adopt\``,
    );
  if (token === undefined) return undefined;
  return adoptedToken({ id: token.id, end: token.expires_at }, context.time.sendTime());
}

function isKnown({ users }: Held): boolean {
  return users.some(hasToken);
}

function accessOf({
  organizationId,
  credentials,
  value,
}: Pick<Outputs, "organizationId" | "credentials" | "value">) {
  return { organizationId, credentials, token: value };
}
