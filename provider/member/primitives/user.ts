/**
 * OrgUser: a member of the organization (add user, remove user), for programs that wire a person by hand: a person by email, or
 * a machine user without an email, whose names say the purpose of its token. Id: the user id. A changed email (ignoring letter
 * case), changed names of a machine user, and a changed organization replace it, creating the new one first. Removal ends the
 * membership; an adopted one is retained, unless `onDelete` is `delete`.
 *
 * Nothing in the service shows which of two equal machine users a lost answer is about, so until a person or a list decides, the
 * resource has an id of its own (`undecided-…`), and holds the request.
 */
import {
  changedKeys,
  completeOrganization,
  organizationOf,
  requireLists,
  unsupportedInputs,
} from "../../resources/changes.ts";
import type { CallContext, PlanContext } from "../../resources/contexts.ts";
import { findMember } from "../../resources/members/reads.ts";
import { isKept } from "../../resources/members/removal.ts";
import { keepingUnread } from "../../resources/members/unreadable.ts";
import { factsBeside, factsOf, refuseAdminRemoval } from "../../resources/members/user-facts.ts";
import {
  checkIdentity,
  explainAdoption,
  labelOf,
  names,
  warnAboutRename,
} from "../../resources/org-user/messages.ts";
import { type OrgUserInputs as Inputs, inputs } from "../../resources/org-user/schema.ts";
import { claimObject, claimUser, isOwned, isOwnedByAnother, refuseTaken } from "../../resources/ownership.ts";
import type { ResourceDefinition } from "../../resources/resource.ts";
import { type Knowable, known, unknown } from "../../resources/unknown.ts";
import { CodedError } from "../../util/error-codes.ts";
import { folded } from "../../util/text.ts";
import { created, type Executed, execute, leave } from "../execute/execute.ts";
import { readPending, seenUser } from "../execute/reading.ts";
import { type Held, markOf, nothingHeld } from "../held.ts";
import { candidatesOf, observe, unread } from "../observe.ts";
import { hasChanges, type Plan } from "../step.ts";
import { isAboutHeldUser, noteText, obstacleText } from "../texts.ts";
import type { WantedMember } from "../wanted.ts";
import { accessOf, newId } from "./common.ts";
import { userPlan } from "./plans.ts";
import { factsAfter, type Outputs, outputs, outsOf, withKnown } from "./user-outputs.ts";

export const orgUserDefinition: ResourceDefinition<Inputs, Outputs> = {
  name: "OrgUser",
  area: "organization",
  inputs,
  outputs,
  stableOutputs: ["userId", "adopted"],
  identity: ["email", "organizationId"],
  complete: completeOrganization,

  check(news, olds, context) {
    if (olds === undefined) explainAdoption(news, context);
    warnAboutRename(news, olds, context);
    return [...unsupportedInputs(news, ["allowAdminRemoval"], context), ...checkIdentity(news)];
  },

  diff(id, olds, news, context) {
    context.people.learn(id, labelOf(olds));
    const isOpen = isUndecided(olds);
    if (isOpen && news.adopt !== undefined) return { changes: true, replaces: ["adopt"] };
    const plan = userPlan(unread(heldFor(olds, news)), wantedOf(news), context.now, context.can);
    warnAbout(plan, olds, news, context);
    // The update fails, so no other resource is affected.
    const isStopped = plan.refused.length + plan.waits.length > 0;
    const replaces = isOpen || isStopped ? [] : replacesOf(olds, news);
    if (replaces.length > 0) {
      if (!isOwned(context, "OrgUser", id, olds.organizationId)) own(id, olds, context);
      return { changes: true, replaces };
    }
    const shared = isOpen ? undefined : claimed(id, olds, context);
    if (shared !== undefined) context.diagnostics.warn(shared);
    const others = changedKeys<Inputs, Shown>(olds, news, ["email", "firstName", "lastName", "credentials"]);
    return { changes: hasChanges(plan) || shared !== undefined || others.length > 0, replaces: [] };
  },

  async create(news, context) {
    refuseTaken(news, labelOf(news), context);
    const executed = await run(nothingHeld(newId("user")), news, context);
    const { held, failure } = executed;
    // A person is asked for once more: the service refuses a second one.
    const isOpen = held.pending !== undefined && news.email === undefined;
    if (failure !== undefined && held.users.length === 0 && !isOpen) throw failure;
    const outs = outsOf(news, held, await factsAfter(executed, news, context));
    const id = outs.userId;
    context.people.learn(id, labelOf(news));
    own(id, outs, context);
    return created(id, outs, executed, true);
  },

  async find(id, given, context) {
    requireLists(context, `user ${id}`, `Declare an OrgUser with \`adopt: "${id}"\``);
    const organizationId = organizationOf(given, context, `user ${id}`);
    const member = await findMember({ ...given, organizationId, userId: id }, context);
    if (typeof member === "string") return undefined;
    const listed = {
      email: folded(member.email ?? "") || undefined,
      firstName: member.first_name?.trim() || undefined,
      lastName: member.last_name?.trim() || undefined,
    };
    const news = { ...(Object.keys(given).length > 0 ? given : listed), organizationId };
    const { held, failure } = await run(nothingHeld(newId("user")), { ...news, adopt: id }, context);
    if (failure !== undefined) throw failure;
    return outsOf(news, held, factsOf(member, news));
  },

  async read(id, olds, context) {
    context.people.learn(id, labelOf(olds));
    if (isUndecided(olds)) return readUndecided(olds, context);
    const read = async () => {
      const member = await findMember({ ...olds, userId: id }, context);
      if (member === "absent") return undefined;
      if (member === "not listed") return olds;
      const { held } = observe(olds.held, { users: [seenUser(member, undefined, undefined)] });
      return outsOf(olds, held, factsOf(withKnown(member, olds), olds));
    };
    return keepingUnread(olds, read, context);
  },

  async update(id, olds, news, context) {
    context.people.learn(id, labelOf(olds));
    const shared = claimed(id, olds, context);
    if (shared !== undefined) throw new CodedError("duplicate-declaration", shared);
    const { held, failure } = await run(heldFor(olds, news), news, context);
    if (failure !== undefined) throw failure;
    const { serviceEmail, role } = olds;
    return outsOf(news, held, role === undefined ? { serviceEmail } : factsBeside(news, olds));
  },

  async delete(id, olds, context) {
    const { held, adopted, role } = olds;
    const { allowAdminRemoval, onDelete } = held.agreed;
    const who = labelOf(olds);
    context.people.learn(id, who);
    if (isUndecided(olds)) {
      context.diagnostics.warn(
        noteText({ kind: "pendingForgotten", names: [held.pending?.since ?? ""] }, { who }),
      );
      return "kept";
    }
    if (isOwnedByAnother(context, "OrgUser", id, ownerOf(olds))) return "kept";
    if (isKept({ adopted, onDelete: onDelete?.user })) {
      context.diagnostics.warn(`OrgUser ${who} (user ${id}) is retained: the user stays a member.`);
      return "kept";
    }
    const access = accessOf(olds);
    await refuseAdminRemoval({ ...access, userId: id, role, allowAdminRemoval }, context);
    return (await leave({ stored: held, access, plan: userPlan }, context)) ?? "gone";
  },
};

type Shown = "email" | "firstName" | "lastName" | "credentials";

function run(stored: Held, news: Inputs, context: CallContext): Promise<Executed> {
  return execute({ stored, wanted: wantedOf(news), access: accessOf(news), plan: userPlan }, context);
}

function wantedOf(news: Knowable<Inputs>): WantedMember {
  const { email, purpose, firstName, lastName, adopt: userId, onDelete: onDeleteUser } = news;
  const { allowAdminRemoval } = news;
  return { email, purpose, firstName, lastName, userId, seat: false, onDeleteUser, allowAdminRemoval };
}

/** Whether the id is not that of a user. */
function isUndecided({ held }: Outputs): boolean {
  return held.users.length === 0;
}

/** Whether the program now has the email that the service has for this user: the same person. */
function isServiceEmail({ serviceEmail }: Outputs, { email }: Knowable<Inputs>): boolean {
  return typeof email === "string" && folded(serviceEmail ?? "") === email;
}

/** What is held, under the email that the service has. */
function heldFor(olds: Outputs, news: Knowable<Inputs>): Held {
  const { held } = olds;
  const email = known(news.email);
  if (email === undefined || !isServiceEmail(olds, news)) return held;
  return { ...held, users: held.users.map((user) => ({ ...user, address: markOf(held.ref, email) })) };
}

function replacesOf(olds: Outputs, news: Knowable<Inputs>) {
  const replaces: ("email" | "purpose" | "firstName" | "lastName" | "organizationId")[] = changedKeys<
    Inputs,
    "email" | "organizationId"
  >(olds, news, isServiceEmail(olds, news) ? ["organizationId"] : ["email", "organizationId"]);
  if (olds.email === undefined && news.email === undefined)
    replaces.push(
      ...changedKeys<Inputs, (typeof names)[number]>(olds, news, names).filter(
        (key) => news[key] !== unknown,
      ),
    );
  return replaces;
}

function warnAbout(plan: Plan, olds: Outputs, news: Knowable<Inputs>, context: PlanContext): void {
  for (const obstacle of [...plan.refused, ...plan.waits])
    context.diagnostics.warn(
      obstacleText(obstacle, { who: labelOf(isAboutHeldUser(obstacle) ? olds : news) }),
    );
}

function ownerOf({ organizationId, held }: Outputs) {
  return { organizationId, instance: held.ref };
}

function own(id: string, outs: Outputs, context: PlanContext): void {
  claimObject(context, "OrgUser", id, ownerOf(outs));
}

/** Claims the user. @returns what is wrong if another resource of this run has it */
function claimed(id: string, olds: Outputs, context: PlanContext): string | undefined {
  return claimUser(context, id, ownerOf(olds), `OrgUser ${labelOf(olds)}`);
}

/** The request stays, unless no list has a user of these names who may be the new one. */
async function readUndecided(olds: Outputs, context: CallContext): Promise<Outputs | undefined> {
  const { held } = olds;
  const { pending } = held;
  if (pending === undefined) return olds;
  const seen = await readPending({ held, access: accessOf(olds), context });
  if (seen === undefined) return olds;
  const found = candidatesOf(held, pending, seen).map(({ id }) => id);
  if (found.length === 0) return observe(held, seen).held.pending === undefined ? undefined : olds;
  const { since } = pending;
  const obstacle = { code: "ambiguous", reason: "userAmbiguous", since, names: found } as const;
  context.diagnostics.warn(obstacleText(obstacle, { who: labelOf(olds) }));
  return olds;
}
