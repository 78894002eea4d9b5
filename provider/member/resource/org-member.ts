/**
 * OrgMember: a person or machine user with seat and token, as one resource. Its id is an own text and never changes; the output
 * `userId` alone names the user. Every change is an update, except that of the organization. What a change sends is decided by
 * `stepsOf`, and nothing else.
 */
import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import {
  changedKeys,
  completeOrganization,
  inputIssue,
  organizationOf,
  requireLists,
  unsupportedInputs,
} from "../../resources/changes.ts";
import type { CallContext, PlanContext } from "../../resources/contexts.ts";
import { refuseTaken } from "../../resources/ownership.ts";
import type { InputIssue, ResourceDefinition } from "../../resources/resource.ts";
import { STATE_VERSION } from "../../resources/resource-types.ts";
import { type Knowable, known, unknown } from "../../resources/unknown.ts";
import { ownExpiry } from "../../resources/user-token/dates.ts";
import { checkCapabilities, checkDates, checkKeeping } from "../../resources/user-token/messages.ts";
import type { Kept } from "../../resources/user-token/sealing.ts";
import { created, type Executed, execute, leave, updated, valueAfter } from "../execute/execute.ts";
import { readAdopted, readMember } from "../execute/reading.ts";
import { foreseen } from "../foreseen.ts";
import {
  endOf,
  type Held,
  type HeldToken,
  holdsNothing,
  isEmptied,
  markOf,
  nothingHeld,
  storedHeld,
} from "../held.ts";
import { hasChanges, isStateAlone, type Plan } from "../step.ts";
import { withoutAbsent } from "../steps/settings.ts";
import { isAboutHeldUser, noteText, obstacleText, unitText } from "../texts.ts";
import { heldAtFirst, isApproved, jobOf, planOf, refuseOther, refuseUnapproved } from "./approval.ts";
import { claimUsers, declareAddress, refuseShared, removable } from "./claims.ts";
import { inputs, type OrgMemberInputs, type OrgMemberOutputs, outputs, wantedOf } from "./schema.ts";

export const orgMemberDefinition: ResourceDefinition<OrgMemberInputs, OrgMemberOutputs> = {
  name: "OrgMember",
  area: "organization",
  inputs,
  outputs,
  // Someone may paste a private key.
  secretInputs: ["token"],
  stableOutputs: [],
  identity: ["organizationId"],
  complete,
  check,

  /** Never fails: on Pulumi that cancels the whole deployment. */
  diff(_id, olds, news, context) {
    const replaces = changedKeys<OrgMemberInputs, "organizationId">(olds, news, ["organizationId"]);
    if (replaces.length > 0) return { changes: true, replaces };
    const who = labelOf(news, olds);
    learnHeld(olds, who, context);
    const shared = claimUsers(
      olds.held,
      { organizationId: olds.organizationId, email: news.email },
      who,
      context,
    );
    if (shared !== undefined) context.diagnostics.warn(shared);
    const plan = planOf(heldNow(olds, news, context), wantedOf(news), context);
    // The command has shown it.
    if (context.approvedOf !== undefined)
      return {
        changes: hasChanges(plan) || isApproved(olds.held, context) || shared !== undefined,
        replaces: [],
      };
    explain(plan, who, context);
    const others = changedKeys<OrgMemberInputs, "credentials">(olds, news, ["credentials"]);
    return { changes: hasChanges(plan) || others.length > 0 || shared !== undefined, replaces: [] };
  },

  stableIn(olds, news, context) {
    const stored = heldNow(olds, news, context);
    const after = foreseen(stored, planOf(stored, wantedOf(news), context), context.now);
    const outs = outsOf(olds, olds, after);
    // A new user gets a separate seat, while the old one still has one.
    if (outs.userId !== olds.userId) return [];
    return computed.filter((key) => isDeepStrictEqual(outs[key], olds[key]));
  },

  async create(news, context) {
    refuseTaken(news, labelOf(news), context);
    const id = news.ref ?? randomUUID();
    const held = heldAtFirst({ ...news, ref: id }, context);
    refuseOther(held, wantedOf(news), labelOf(news), context);
    const executed = await execute(jobOf(held, wantedOf(news), accessOf(news), context), context);
    const outs = outsOf(news, undefined, executed);
    const shared = claimUsers(executed.held, news, labelOf(news), context);
    if (shared !== undefined) context.diagnostics.warn(shared);
    return created(id, outs, executed, !holdsNothing(executed.held));
  },

  async update(id, olds, news, context) {
    const who = labelOf(news, olds);
    learnHeld(olds, who, context);
    refuseShared(olds.held, olds.organizationId, who, context);
    const stored = heldNow(olds, news, context);
    refuseOther(stored, wantedOf(news), who, context);
    const access = { ...accessOf(news), token: olds.tokenValue };
    const executed = await execute(jobOf(stored, wantedOf(news), access, context), context);
    const outs = outsOf(news, olds, executed);
    claimUsers(executed.held, news, who, context);
    return updated(id, outs, executed);
  },

  async read(_id, olds, context) {
    const held = await readMember({ held: olds.held, access: accessOf(olds), context });
    if (held === undefined) return undefined;
    return outsOf(olds, olds, { held });
  },

  /** Of a member that has left already it sends nothing, and of a half-emptied one the rest. */
  async delete(_id, olds, context) {
    if (isEmptied(olds.held)) return "gone";
    refuseUnapproved(labelOf({}, olds), context);
    learnHeld(olds, "the member", context);
    const stored = removable(olds.held, olds, context);
    const access = { ...accessOf(olds), token: olds.tokenValue };
    return (await leave({ stored, access }, context)) ?? "kept";
  },

  find,
  inputsOf,
};

/** Whoever has left and is wanted again is a new member, as in the plan of a roster. */
function heldNow(
  { held }: Pick<OrgMemberOutputs, "held">,
  { key, leaving }: Knowable<OrgMemberInputs>,
  context: PlanContext,
): Held {
  if (!isEmptied(held) || leaving === true) return held;
  return heldAtFirst({ key: known(key), leaving: undefined, ref: held.ref }, context);
}

const computed = ["userId", "hasSeat", "tokenValue", "sealedValue", "tokenState"] as const;

function complete(news: Knowable<OrgMemberInputs>, context: PlanContext): Knowable<OrgMemberInputs> {
  const completed = completeOrganization(news, context);
  const declared = context.defaults.subscriptionExpiresAt;
  if (completed.subscriptionExpiresAt !== undefined || declared === undefined || completed.leaving === true)
    return completed;
  return { ...completed, subscriptionExpiresAt: declared };
}

/** Only what is wrong without the state: a refusal of the plan fails this member alone. */
function check(
  news: Knowable<OrgMemberInputs>,
  olds: Partial<OrgMemberInputs> | undefined,
  context: PlanContext,
): InputIssue[] {
  if (news.leaving === true) return [];
  declareAddress(news, context);
  const { email, purpose, seat, token } = news;
  const issues: InputIssue[] = [];
  if (email === undefined && purpose === undefined)
    issues.push(inputIssue("email", "missing. Set the email of a person, or the purpose of a machine user"));
  if (email !== undefined && purpose !== undefined)
    issues.push(inputIssue("purpose", "a person with an email has no purpose. Remove one of the two"));
  if (seat === undefined)
    issues.push(inputIssue("seat", "missing. Set it to true or false, or to the options of the seat"));
  if (token !== undefined && seat === false)
    issues.push(inputIssue("token", "a token needs a seat. Set `seat: true`, or remove the token"));
  issues.push(...unsupportedInputs(news, ["allowAdminRemoval"], context));
  if (typeof seat === "object")
    for (const { reason } of unsupportedInputs(seat, ["sendEmail"], context))
      issues.push(inputIssue("seat.sendEmail", reason));
  if (token === undefined || token === unknown) return issues;
  const declared = {
    ...token,
    subscriptionExpiresAt: news.subscriptionExpiresAt,
    userId: unknown,
    organizationId: news.organizationId,
    allowAdminRemoval: undefined,
    credentials: undefined,
  } as const;
  const ofToken = [
    ...checkDates(declared, news.key !== undefined),
    ...checkCapabilities(declared, context),
    ...checkKeeping(declared, context),
  ];
  if (olds === undefined) explainCreation(news, context);
  return [...issues, ...ofToken.map(({ property, reason }) => inputIssue(`token.${property}`, reason))];
}

/** Pulumi shows no diff of a creation. */
function explainCreation(news: Knowable<OrgMemberInputs>, context: PlanContext): void {
  const plan = planOf(nothingHeld("new"), wantedOf(news), context);
  for (const obstacle of [...plan.refused, ...plan.waits])
    context.diagnostics.warn(obstacleText(obstacle, { who: labelOf(news), isRow: news.key !== undefined }));
}

function explain(plan: Plan, who: string, context: PlanContext): void {
  for (const unit of plan.units) context.diagnostics.infoLimited(`${who}: ${unitText(unit)}`, more);
  for (const obstacle of [...plan.refused, ...plan.waits]) {
    const held = isAboutHeldUser(obstacle) ? context.people.find(obstacle.names?.[0] ?? "") : undefined;
    context.diagnostics.warn(obstacleText(obstacle, { who: held ?? who }));
  }
  for (const note of plan.notes) context.diagnostics.warn(noteText(note, { who }));
}

const more = "changes of more people: not listed here, counted as updates";

function labelOf(
  { email, purpose }: Pick<Knowable<OrgMemberInputs>, "email" | "purpose">,
  olds: Pick<OrgMemberOutputs, "email" | "purpose"> = {},
): string {
  return known(email) ?? known(purpose) ?? olds.email ?? olds.purpose ?? "the member";
}

/** Messages name the held user as the state does, whoever is wanted. */
function learnHeld({ userId, email, purpose }: OrgMemberOutputs, who: string, { people }: PlanContext): void {
  if (userId !== undefined) people.learn(userId, email ?? purpose ?? who);
}

function accessOf({ organizationId, credentials }: Pick<OrgMemberOutputs, "organizationId" | "credentials">) {
  return { organizationId, credentials };
}

type Identity = Pick<OrgMemberInputs, "email" | "purpose" | "lastName">;

/** The outputs: those of the current user, whoever is wanted. */
function outsOf(
  news: Identity & Pick<OrgMemberInputs, "organizationId" | "credentials">,
  olds: OrgMemberOutputs | undefined,
  executed: Pick<Executed, "held" | "kept">,
): OrgMemberOutputs {
  const { held } = executed;
  const [user] = held.users;
  const [token] = user?.tokens ?? [];
  const old: Kept = { value: olds?.tokenValue, sealedValue: olds?.sealedValue };
  const { value, sealedValue } = valueAfter(executed, old);
  return {
    stateVersion: STATE_VERSION,
    ...identityOf(held, [news, olds ?? {}]),
    ...accessOf(news),
    userId: user?.id,
    hasSeat: user !== undefined && user.seat !== "none",
    tokenValue: value,
    sealedValue,
    // No program reads the output of a row, and `held` has it all.
    tokenState: held.key === undefined && token ? tokenState(token) : undefined,
    held: storedHeld(held),
  };
}

function tokenState(token: HeldToken): OrgMemberOutputs["tokenState"] {
  const { id, issuedAt, value } = token;
  return { ...(id !== undefined && { id }), issuedAt, expiresAt: endOf(token), value };
}

/** The readable identity whose marks the current user has. */
function identityOf({ ref, users }: Held, all: readonly Identity[]): Identity {
  const [user] = users;
  const found = all.find(({ email, purpose }) =>
    user?.address === undefined
      ? purpose !== undefined && markOf(ref, purpose) === user?.purpose
      : email !== undefined && markOf(ref, email) === user.address,
  );
  if (found === undefined) return {};
  const { email, purpose, lastName } = found;
  return email === undefined ? { purpose, lastName } : { email };
}

/** An import: the id is that of the user, and everything that is there is adopted. What the state alone follows is in force. */
async function find(
  id: string,
  given: Partial<OrgMemberInputs>,
  context: CallContext,
): Promise<OrgMemberOutputs | undefined> {
  requireLists(context, `user ${id}`, `Declare an OrgMember with \`adopt: "${id}"\``);
  const organizationId = organizationOf(given, context, `user ${id}`);
  const access = { organizationId, credentials: given.credentials };
  const user = await readAdopted(id, given, access, context);
  if (user === undefined) return undefined;
  const { subscriptionExpiresAt = context.defaults.subscriptionExpiresAt } = given;
  const [token] = user.held.tokens;
  const expiresAt = token && ownExpiry(token.reportedEnd, subscriptionExpiresAt);
  const outsWith = (held: Held) => outsOf({ ...access, ...user.identity }, undefined, { held });
  const held = { ...nothingHeld(id), users: [user.held], agreed: withoutAbsent({ expiresAt }) };
  const news = complete({ ...inputsOf(outsWith(held)), ...given }, context);
  const plan = planOf(held, wantedOf(news), context);
  return outsWith(foreseen(held, { ...plan, units: plan.units.filter(isStateAlone) }, context.now).held);
}

function inputsOf({ email, purpose, lastName, hasSeat, held, ...outs }: OrgMemberOutputs): OrgMemberInputs {
  const { organizationId, credentials } = outs;
  const hasToken = held.users.some(({ tokens }) => tokens.length > 0);
  const { expiresAt, subscriptionExpiresAt } = held.agreed;
  return {
    ...{ email, purpose, lastName, seat: hasSeat, token: hasToken ? { adopt: true, expiresAt } : undefined },
    ...{ subscriptionExpiresAt, organizationId, credentials },
  };
}
