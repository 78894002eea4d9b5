/** Maps a step of the engine to its actions, by the provider's own functions. */

import { z } from "zod";
import { isKept } from "../../../../provider/resources/members/removal.ts";
import {
  emailsToSend,
  emptyMemory,
  onboardingStatusesSchema,
} from "../../../../provider/resources/onboarding/status.ts";
import { isPlaceholder } from "../../../../provider/resources/org-user/placeholder.ts";
import {
  adoptsToken,
  duePrevious,
  isAssignedAgain,
  keepsPrevious,
  revokesExisting,
  serverMove,
} from "../../../../provider/resources/planned-writes.ts";
import { holdsUnknown } from "../../../../provider/resources/unknown.ts";
import { causeOf } from "../../../../provider/resources/user-token/cause.ts";
import { declaredDate, isPast } from "../../../../provider/resources/user-token/dates.ts";
import { isLater } from "../../../../provider/util/instants.ts";
import type { Action } from "./action-table.ts";
import { ownershipOf, ruleChangesOf } from "./rules.ts";
import type { Properties, Step, StepType } from "./steps.ts";

/** The actions of a step, in the order of their execution. @param now milliseconds since 1970 */
export function actionsOf(step: Step, now: number): readonly Action[] {
  const changed = step.action === "replace" ? [] : ruleChangesOf(step).map(({ action }) => action);
  const atService = serviceActions(step, now);
  const isNoted = changed.length > 0 && atService.every((action) => action === "note");
  return [...(isNoted ? [] : atService), ...changed, ...protection(step)];
}

/**
 * Only the membership and a service account have an action for protection, so that a member has it once. What is created
 * protected binds later runs as much as what becomes protected.
 */
function protection({ type, action, isProtected: { before, after } }: Step): readonly Action[] {
  if (type !== "OrgUser" && type !== "ServiceAccount") return [];
  if (action === "create") return after ? ["protect"] : [];
  return before === after ? [] : [after ? "protect" : "unprotect"];
}

function serviceActions(step: Step, now: number): readonly Action[] {
  if (step.action === "same") return [];
  const { create, remove, update } = rules[step.type];
  const olds = step.olds ?? {};
  const news = step.news ?? {};
  if (step.action === "create") return create(news, now, step);
  if (step.action === "delete") return remove(olds);
  if (step.action === "update") return update(olds, news, now);
  if (step.type === "UserToken")
    return isTooLate(news, now) ? ["revokeToken", "refuseToken"] : ["reissueToken"];
  if (
    step.type === "ServiceAccount" &&
    keepsPrevious({ organizationId: olds.organizationId }, { organizationId: news.organizationId, ...news })
  )
    return [...create(news, now, step), "keepPrevious"];
  if (step.type === "Delivered") return ["replaceDelivered"];
  if (step.type === "OrgUser" && !isPresent(news.adopt) && !isKept(ownershipOf(olds)))
    return [replacementOf(olds, news)];
  const [before, after] = [create(news, now, step), remove(olds)];
  return step.deleteFirst ? [...after, ...before] : [...before, ...after];
}

/** The reason for the replacement of a membership. */
function replacementOf(olds: Properties, news: Properties): Action {
  if (news.organizationId !== olds.organizationId) return "changeOrganization";
  if (isPresent(olds.email) && isPresent(news.email))
    return olds.email === news.email ? "replaceMember" : "changeEmail";
  if (isPresent(olds.email) || isPresent(news.email)) return "changeKind";
  const hasNewPurpose = olds.purpose !== news.purpose || olds.lastName !== news.lastName;
  return hasNewPurpose ? "changePurpose" : "replaceMember";
}

interface Rules {
  readonly create: (news: Properties, now: number, step: Step) => readonly Action[];
  readonly remove: (olds: Properties) => readonly Action[];
  readonly update: (olds: Properties, news: Properties, now: number) => readonly Action[];
}

const updateState = (): readonly Action[] => ["note"];

const rules: Readonly<Record<StepType, Rules>> = {
  OrgUser: {
    create: ({ adopt }) => [isPresent(adopt) ? "adopt" : "join"],
    remove: (olds) => [isPlaceholder(olds) ? "forget" : isKept(ownershipOf(olds)) ? "retain" : "leave"],
    update: updateState,
  },
  SeatAssignment: {
    create: ({ adopt }) => [adopt === true ? "adoptSeat" : "assignSeat"],
    remove: (olds) => [isKept(ownershipOf(olds)) ? "keepSeat" : "returnSeat"],
    update: ({ confirmed }) => [isAssignedAgain({ confirmed: confirmed !== false }) ? "assignSeat" : "note"],
  },
  UserToken: {
    create: createsToken,
    remove: () => ["revokeToken"],
    update: updatesToken,
  },
  ServiceAccount: {
    create: () => ["createAccount"],
    remove: () => ["deleteAccount"],
    update: (olds, _news, now) => (dueAccounts(olds, now).length > 0 ? ["deletePrevious"] : ["note"]),
  },
  Onboarding: {
    create: (news) => onboardingActions(undefined, news),
    remove: () => ["forget"],
    update: onboardingActions,
  },
  ModelServer: {
    create: ({ serverConfig }) => [isPresent(serverConfig) ? "createServer" : "adoptResource"],
    remove: ({ onDelete }) => [onDelete === "delete" ? "deleteServer" : "forget"],
    update: ({ status, running }, news) => {
      const olds = { status: textOf(status) ?? null, running: flagOf(running) };
      const move = serverMove(olds, flagOf(news.running));
      return move === undefined ? ["note"] : [move === "start" ? "startServer" : "stopServer"];
    },
  },
  VectorTable: {
    create: ({ adopt }) => [adopt === true ? "adoptResource" : "createTable"],
    remove: ({ onDelete }) => [onDelete === "delete" ? "deleteTable" : "forget"],
    update: updateState,
  },
  Roster: { create: () => [], remove: () => [], update: updateState },
  Delivered: {
    create: () => ["createDelivered"],
    remove: () => ["deleteDelivered"],
    update: () => ["updateDelivered"],
  },
};

const previousSchema = z.array(z.object({ clientId: z.string(), removeAfter: z.string() })).catch([]);

/** The kept accounts of a ServiceAccount that an update deletes. @param now milliseconds since 1970 */
export function dueAccounts(olds: Properties, now: number): z.output<typeof previousSchema> {
  return duePrevious(keptAccounts(olds), now);
}

/** All kept accounts of a ServiceAccount. */
export function keptAccounts(olds: Properties = {}): z.output<typeof previousSchema> {
  return previousSchema.parse(olds.previous);
}

function createsToken(
  news: Properties,
  now: number,
  { isHalfDone = false, lacksToken = false, isRefused = false }: Step,
): readonly Action[] {
  const { adopt, rotation, replaceExisting } = news;
  const isAdopted = adopt === true || typeof adopt === "string";
  // The token that an interrupted replacement revoked is issued again, not adopted.
  if (!isHalfDone && adoptsToken({ adopt: isAdopted, rotation: isPresent(rotation) ? "given" : undefined }))
    return [lacksToken ? "issueMissingToken" : "adoptToken"];
  if (isTooLate(news, now)) return ["refuseToken"];
  if (isRefused) return ["undecided"];
  return [revokesExisting({ replaceExisting: replaceExisting === true }) ? "replaceToken" : "issueToken"];
}

/** Whether the date of a new token has passed: the provider then refuses to issue it. */
function isTooLate(news: Properties, now: number): boolean {
  const wanted = declaredDate(datesIn(news), now);
  return wanted !== undefined && !holdsUnknown(wanted) && isPast(wanted, now);
}

/** Pulumi updates a token, so no rule rotates it, and any date can be set: otherwise it would replace the token. */
function updatesToken(olds: Properties, news: Properties, now: number): readonly Action[] {
  const { validUntil } = olds;
  if (typeof validUntil !== "string") return ["note"];
  const limit = limitSchema.safeParse(olds.limit).data;
  const token = { ...declaredIn(olds), validUntil, tokenId: textOf(olds.tokenId), limit };
  const facts = { now, canSetExpiry: true, mayRotate: () => false };
  const cause = causeOf(token, declaredIn(news), facts);
  if (cause.kind === "refusedDate") return ["refuseExpiry"];
  // A changed value is an update only where the provider refuses it.
  if (cause.kind === "refusedValue" || cause.kind === "replaced") return ["refuseToken"];
  if (cause.kind !== "renewal") return ["note"];
  return [isLater(validUntil, cause.due.until) ? "shortenToken" : "renewToken"];
}

/** Without user and organization: those of an update are the same. */
function declaredIn(properties: Properties) {
  const rotation = textOf(properties.rotation);
  return { ...datesIn(properties), ...keepingIn(properties), userId: "", organizationId: "", rotation };
}

const limitSchema = z.object({ wanted: z.string(), since: z.string() });

const keepingSchema = z.object({
  recipients: z.array(z.string()).optional().catch(undefined),
  keepValue: z.boolean().optional().catch(undefined),
});

function keepingIn({ recipients, keepValue }: Properties): z.output<typeof keepingSchema> {
  return keepingSchema.parse({ recipients, keepValue });
}

/** An update invites the people who are not invited yet; without any, it makes no call. */
function onboardingActions(olds: Properties | undefined, news: Properties): readonly Action[] {
  return [invitedBy(olds, news).length > 0 ? "onboard" : "note"];
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** The dates that a UserToken declares; an unknown one counts as absent. */
export function datesIn(properties: Properties) {
  const { expirationToleranceMonths: months } = properties;
  return {
    expiresAt: textOf(properties.expiresAt),
    subscriptionExpiresAt: textOf(properties.subscriptionExpiresAt),
    renewBefore: textOf(properties.renewBefore),
    expirationToleranceMonths: typeof months === "number" ? months : undefined,
  };
}

function flagOf(value: unknown): boolean | undefined {
  return typeof value === "boolean" ? value : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

const wantedSchema = z.object({
  emails: z.array(z.string()),
  resend: z.union([z.string(), z.number()]).transform(String).optional(),
});
const rememberedSchema = z.object({
  statuses: onboardingStatusesSchema.default({}),
  formerStatuses: onboardingStatusesSchema.default({}),
  resend: z.string().optional(),
});

/**
 * The people whom an Onboarding invites; empty if the list is unknown before the run.
 * @param olds its previous outputs; undefined for a creation
 */
export function invitedBy(olds: Properties | undefined, news: Properties): string[] {
  const wanted = wantedSchema.safeParse(news);
  if (!wanted.success) return [];
  return emailsToSend(wanted.data, olds === undefined ? emptyMemory : rememberedSchema.parse(olds));
}
