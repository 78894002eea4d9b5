/**
 * OrgUser: a member of the organization (add user, remove user): a person by email, or a machine user without an email,
 * whose names say the purpose of its token. Id: the user id. A changed email (ignoring letter case), changed names of a
 * machine user and a changed organization replace it, creating the new one first. Removal ends the membership; an adopted
 * one is retained, unless `onDelete` is `delete`.
 */

import type { User } from "../../api/schemas/schemas.ts";
import { CodedError } from "../../util/error-codes.ts";
import { folded } from "../../util/text.ts";
import {
  changedKeys,
  completeOrganization,
  inputIssue,
  organizationOf,
  requireLists,
  unsupportedRoles,
} from "../changes.ts";
import { firstNameOf } from "../members/member-list.ts";
import { findMember } from "../members/reads.ts";
import { isKept, removeInOrder } from "../members/removal.ts";
import { factsBeside, factsOf, refuseAdminRemoval } from "../members/user-facts.ts";
import { noteWrite } from "../members/written.ts";
import { claimObject, claimUser, isOwned, isOwnedByAnother, newInstance } from "../ownership.ts";
import type { CallContext, InputIssue, PlanContext, ResourceDefinition } from "../resource.ts";
import { type Knowable, known, unknown } from "../unknown.ts";
import {
  adoptionIssue,
  isServiceEmail,
  isTaken,
  labelOf,
  names,
  warnAboutRename,
  whatIsLeft,
  withAdvice,
} from "./messages.ts";
import { decisionOf, isPlaceholder } from "./placeholder.ts";
import { type Facts, inputs, type OrgUserInputs, type OrgUserOutputs, outputs, outsOf } from "./schema.ts";
import { strategyOf } from "./strategy.ts";
import { placeholderDiff, readPlaceholder, undecidedError, warnIfUndecided } from "./undecided.ts";
import { requireSameUser } from "./user-answer.ts";

/** A change of them needs no request. */
const settings = ["email", "adopt", "onDelete", "allowAdminRemoval", "credentials"] as const;

export const orgUserDefinition: ResourceDefinition<OrgUserInputs, OrgUserOutputs> = {
  name: "OrgUser",
  area: "organization",
  inputs,
  outputs,
  secretOutputs: [],
  stableOutputs: ["userId", "adopted"],
  identity: ["email", "organizationId"],
  complete: completeOrganization,

  check(news, olds, context) {
    if (olds === undefined && known(news.adopt) !== undefined && news.onDelete !== "delete") {
      context.info(
        `OrgUser ${labelOf(news)}: adopts user ${known(news.adopt)}. On removal the membership is retained; set onDelete: "delete" to end it.`,
      );
    }
    warnAboutRename(news, olds, context);
    const issues = unsupportedRoles(news, context);
    return [...issues, ...identityIssues(news)];
  },

  diff(id, olds, news, context) {
    context.people.learn(id, labelOf(olds));
    if (isPlaceholder(olds)) return placeholderDiff(olds, news, context);
    const replaces = replacesOf(olds, news);
    const changedNames = changedKeys(olds, news, names);
    const issue = issueOf(id, olds, news, context);
    if (issue !== undefined) {
      // The update fails, so no other resource is affected.
      context.warn(issue);
      return { changes: true, replaces: [] };
    }
    const rest = changedKeys(olds, news, settings);
    const isDecided = decisionOf(olds) === "exists";
    return {
      changes: isDecided || replaces.length + changedNames.length + rest.length > 0,
      replaces,
    };
  },

  async create(news, context) {
    if (news.adopt !== undefined) return adoptUser(news, news.adopt, context);
    const api = context.api(news);
    const send = async (): Promise<User> => {
      const request = { email: news.email, first_name: firstNameOf(news), last_name: news.lastName };
      const user = await api.createUser(request, context.operation);
      requireSameUser(news, user, context);
      return user;
    };
    try {
      const creation = { news, who: labelOf(news), context, send };
      const { id, ...facts } = await strategyOf(context).create(creation);
      noteWrite("user added", { ...news, userId: id }, context);
      return created(news, context, id, { ...facts, adopted: false });
    } catch (error) {
      throw withAdvice(error, news);
    }
  },

  async find(id, given, context) {
    requireLists(context, `user ${id}`, `Declare an OrgUser with \`adopt: "${id}"\``);
    const organizationId = organizationOf(given, context, `user ${id}`);
    const member = await findMember({ ...given, organizationId, userId: id }, context);
    if (member === undefined) return undefined;
    const listed = {
      email: folded(member.email ?? "") || undefined,
      firstName: member.first_name?.trim() || undefined,
      lastName: member.last_name?.trim() || undefined,
    };
    const inputs = { ...(Object.keys(given).length > 0 ? given : listed), organizationId };
    const service = { ...factsOf(member, inputs), userId: id, adopted: true, instance: newInstance() };
    return outsOf(inputs, service);
  },

  async read(id, outs, context) {
    context.people.learn(id, labelOf(outs));
    if (isPlaceholder(outs)) return readPlaceholder(outs, context);
    return strategyOf(context).read(id, outs, context);
  },

  async update(id, olds, news, context) {
    if (isPlaceholder(olds)) throw undecidedError(olds, context);
    const issue = issueOf(id, olds, news, context);
    if (issue !== undefined) throw new CodedError("cannot-adopt", issue);
    const { userId, serviceEmail, adopted, instance } = olds;
    const facts = olds.role === undefined ? { serviceEmail } : factsBeside(news, olds);
    return outsOf(news, { ...facts, userId, adopted, instance });
  },

  async delete(id, outs, context) {
    context.people.learn(id, labelOf(outs));
    if (isPlaceholder(outs)) {
      warnIfUndecided(outs, context);
      return "kept";
    }
    if (isOwnedByAnother(context, "OrgUser", id, outs)) return "kept";
    if (isKept(outs)) {
      context.warn(`OrgUser ${labelOf(outs)} (user ${id}) is retained: the user stays a member.`);
      return "kept";
    }
    await refuseAdminRemoval({ ...outs, userId: id }, context);
    return removeInOrder(context, {
      type: "OrgUser",
      owner: outs,
      userId: id,
      call: () => context.api(outs).removeUser(id, context.operation),
      remedy: async () => {
        const left = await strategyOf(context).leftover(id, outs, context);
        return left && whatIsLeft(outs, left);
      },
      advice: "seat-or-token-left",
    });
  },
};

function identityIssues({ email, purpose, firstName }: Knowable<OrgUserInputs>): InputIssue[] {
  if (email !== undefined)
    return purpose === undefined
      ? []
      : [inputIssue("purpose", "only for a machine user, which has no email")];
  if (firstName !== undefined)
    return [inputIssue("firstName", "only for a person, who has an email. Set `purpose` for a machine user")];
  return purpose === undefined
    ? [inputIssue("email", "missing. Set `email` for a person, or `purpose` for a machine user")]
    : [];
}

function replacesOf(olds: OrgUserOutputs, news: Knowable<OrgUserInputs>) {
  const replaces: ("email" | "purpose" | "firstName" | "lastName" | "organizationId")[] = changedKeys(
    olds,
    news,
    isServiceEmail(olds, news) ? ["organizationId"] : ["email", "organizationId"],
  );
  if (olds.email === undefined && news.email === undefined)
    replaces.push(...changedKeys(olds, news, names).filter((key) => news[key] !== unknown));
  return replaces;
}

/** Claims the user. @returns why the resource cannot have this user */
function issueOf(
  id: string,
  olds: OrgUserOutputs,
  news: Knowable<OrgUserInputs>,
  context: PlanContext,
): string | undefined {
  const isReplaced = replacesOf(olds, news).length > 0;
  const issue = adoptionIssue(id, news, isReplaced);
  if (issue !== undefined || !isReplaced) {
    const contested = claimUser(context, id, olds, `OrgUser ${labelOf(olds)}`);
    return issue ?? contested;
  }
  if (!isOwned(context, "OrgUser", id, olds.organizationId)) claimObject(context, "OrgUser", id, olds);
  return undefined;
}

async function adoptUser(
  news: OrgUserInputs,
  id: string,
  context: CallContext,
): Promise<{ id: string; outs: OrgUserOutputs }> {
  if (isOwned(context, "OrgUser", id, news.organizationId))
    throw new CodedError("duplicate-declaration", isTaken(news, context));
  const facts = await strategyOf(context).adopt(id, news, context);
  return created(news, context, id, { ...facts, adopted: true });
}

function created(
  news: OrgUserInputs,
  context: PlanContext,
  userId: string,
  service: Facts & Pick<OrgUserOutputs, "adopted">,
): { id: string; outs: OrgUserOutputs } {
  const outs = outsOf(news, { ...service, userId, instance: newInstance() });
  context.people.learn(userId, labelOf(news));
  claimObject(context, "OrgUser", userId, outs);
  return { id: userId, outs };
}
