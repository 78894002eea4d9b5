/** Maps a step of the engine to its actions, by the provider's own functions. */

import { z } from "zod";
import {
  adoptsToken,
  duePrevious,
  isAssignedAgain,
  isRenewed,
  keepsPrevious,
  revokesExisting,
  serverMove,
} from "../../../provider/resources/effects.ts";
import {
  emailsToSend,
  emptyMemory,
  onboardingStatusesSchema,
} from "../../../provider/resources/onboarding-status.ts";
import { isKept } from "../../../provider/resources/removal.ts";
import type { Action } from "./actions.ts";
import type { Properties, Step, StepType } from "./steps.ts";

/** The actions of a step, in the order of their execution. @param now milliseconds since 1970 */
export function actionsOf(step: Step, now: number): readonly Action[] {
  return [...serviceActions(step, now), ...protection(step)];
}

/** Only the membership and a service account have an action for protection, so that a member has it once. */
function protection({ type, action, isProtected: { before, after } }: Step): readonly Action[] {
  if (before === after || action === "replace" || (type !== "OrgUser" && type !== "ServiceAccount"))
    return [];
  return [after ? "protect" : "unprotect"];
}

function serviceActions(step: Step, now: number): readonly Action[] {
  if (step.action === "same") return [];
  const { create, remove, update } = rules[step.type];
  const olds = step.olds ?? {};
  const news = step.news ?? {};
  if (step.action === "create") return create(news);
  if (step.action === "delete") return remove(olds);
  if (step.action === "update") return update(olds, news, now);
  if (step.type === "UserToken") return ["reissueToken"];
  if (
    step.type === "ServiceAccount" &&
    keepsPrevious({ organizationId: olds.organizationId }, { organizationId: news.organizationId, ...news })
  )
    return [...create(news), "keepPrevious"];
  if (step.type === "Delivered") return ["replaceDelivered"];
  if (step.type === "OrgUser" && !isPresent(news.adopt) && !isKept(ownershipOf(olds)))
    return [replacementOf(olds, news)];
  return step.deleteFirst ? [...remove(olds), ...create(news)] : [...create(news), ...remove(olds)];
}

/** The reason for the replacement of a membership. */
function replacementOf(olds: Properties, news: Properties): Action {
  if (news.organizationId !== olds.organizationId) return "changeOrganization";
  if (isPresent(olds.email) && isPresent(news.email))
    return olds.email === news.email ? "replaceMember" : "changeEmail";
  if (isPresent(olds.email) || isPresent(news.email)) return "changeKind";
  const hasNewPurpose = olds.firstName !== news.firstName || olds.lastName !== news.lastName;
  return hasNewPurpose ? "changePurpose" : "replaceMember";
}

interface Rules {
  readonly create: (news: Properties) => readonly Action[];
  readonly remove: (olds: Properties) => readonly Action[];
  readonly update: (olds: Properties, news: Properties, now: number) => readonly Action[];
}

const updateState = (): readonly Action[] => ["note"];

const rules: Readonly<Record<StepType, Rules>> = {
  OrgUser: {
    create: ({ adopt }) => [isPresent(adopt) ? "adopt" : "join"],
    remove: (olds) => [isKept(ownershipOf(olds)) ? "release" : "leave"],
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
    update: (olds, news, now) => [isRenewal(olds, news, now) ? "renewToken" : "note"],
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
    update: ({ status }, { running }) => {
      const move = serverMove(textOf(status) ?? null, typeof running === "boolean" ? running : undefined);
      return move === undefined ? ["note"] : [move === "start" ? "startServer" : "stopServer"];
    },
  },
  VectorTable: {
    create: ({ adopt }) => [adopt === true ? "adoptResource" : "createTable"],
    remove: ({ onDelete }) => [onDelete === "delete" ? "deleteTable" : "forget"],
    update: updateState,
  },
  VectorDatabase: {
    create: () => ["createDatabase"],
    remove: () => ["forget"],
    update: (_olds, { running }) => [running === false ? "stopDatabase" : "startDatabase"],
  },
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

function createsToken({ adopt, rotation, replaceExisting }: Properties): readonly Action[] {
  const isAdopted = adopt === true || typeof adopt === "string";
  if (adoptsToken({ adopt: isAdopted, rotation: isPresent(rotation) ? "given" : undefined }))
    return ["adoptToken"];
  return [revokesExisting({ replaceExisting: replaceExisting === true }) ? "replaceToken" : "issueToken"];
}

/** An update invites the people who are not invited yet; without any, it makes no call. */
function onboardingActions(olds: Properties | undefined, news: Properties): readonly Action[] {
  return [invitedBy(olds, news).length > 0 ? "onboard" : "note"];
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function ownershipOf({ adopted, onDelete }: Properties): Parameters<typeof isKept>[0] {
  return {
    adopted: adopted === true,
    onDelete: onDelete === "remove" || onDelete === "keep" ? onDelete : undefined,
  };
}

/** An unknown date counts as no later date; the results of the run then show the renewal. */
function isRenewal({ validUntil, tokenId, ...olds }: Properties, news: Properties, now: number): boolean {
  if (typeof validUntil !== "string") return false;
  return isRenewed({ ...datesIn(olds), validUntil, tokenId: textOf(tokenId) }, datesIn(news), now);
}

function datesIn(properties: Properties) {
  const { expirationToleranceMonths: months } = properties;
  return {
    expiresAt: textOf(properties.expiresAt),
    subscriptionExpiresAt: textOf(properties.subscriptionExpiresAt),
    renewBefore: textOf(properties.renewBefore),
    expirationToleranceMonths: typeof months === "number" ? months : undefined,
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** The maximum number of people who get emails: the service may refuse some of them. */
export function emailsSentBy(steps: readonly Step[]): number {
  return steps.reduce((sum, step) => sum + emailedBy(step), 0);
}

/** The actions after which the service sends the person an email, if the program wants it. */
const SEAT_EMAIL: ReadonlySet<Action> = new Set(["assignSeat"]);
const TOKEN_EMAIL: ReadonlySet<Action> = new Set(["issueToken", "reissueToken", "replaceToken"]);

/** The emails about new seats and new tokens that the program wants. @param now milliseconds since 1970 */
export function wantedEmails(steps: readonly Step[], now: number): { seats: number; tokens: number } {
  const count = (sending: ReadonlySet<Action>): number =>
    steps.filter(
      (step) => step.news?.sendEmail === true && actionsOf(step, now).some((action) => sending.has(action)),
    ).length;
  return { seats: count(SEAT_EMAIL), tokens: count(TOKEN_EMAIL) };
}

function emailedBy({ type, action, olds, news = {} }: Step): number {
  if (type !== "Onboarding" || action === "same" || action === "delete") return 0;
  return invitedBy(action === "update" ? olds : undefined, news).length;
}

const wantedSchema = z.object({
  emails: z.array(z.string()),
  retry: z.union([z.string(), z.number()]).transform(String).optional(),
});
const rememberedSchema = z.object({
  statuses: onboardingStatusesSchema.default({}),
  formerStatuses: onboardingStatusesSchema.default({}),
  retry: z.string().optional(),
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
