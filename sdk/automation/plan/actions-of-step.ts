/** From a step of the engine to what it does at the service, by the provider's own decisions. */
import { isAssignedAgain, isRenewed, revokesExisting } from "../../../provider/resources/effects.ts";
import { isKept } from "../../../provider/resources/removal.ts";
import type { Action } from "./actions.ts";
import { invitedBy } from "./emails.ts";
import type { Properties, ResourceType, Step } from "./steps.ts";

/** What a step does, in the order in which it is done. @param now milliseconds since 1970 */
export function actionsOf(step: Step, now: number): readonly Action[] {
  return [...serviceDeeds(step, now), ...protection(step)];
}

/** The protection of a member is told once, of the membership. */
function protection({ type, action, isProtected: { before, after } }: Step): readonly Action[] {
  if (before === after || action === "replace" || (type !== "OrgUser" && type !== "ServiceAccount"))
    return [];
  return [after ? "protect" : "unprotect"];
}

function serviceDeeds(step: Step, now: number): readonly Action[] {
  if (step.action === "same") return [];
  const { made, gone, changed } = rules[step.type];
  const olds = step.olds ?? {};
  const news = step.news ?? {};
  if (step.action === "create") return made(news);
  if (step.action === "delete") return gone(olds);
  if (step.action === "update") return changed(olds, news, now);
  if (step.type === "UserToken") return ["reissueToken"];
  if (step.type === "OrgUser" && !isThere(news.adopt) && !isKept(holdingOf(olds)))
    return [replacementOf(olds, news)];
  return step.deleteFirst ? [...gone(olds), ...made(news)] : [...made(news), ...gone(olds)];
}

/** Why one membership ends and another begins. */
function replacementOf(olds: Properties, news: Properties): Action {
  if (news.organizationId !== olds.organizationId) return "changeOrganization";
  if (isThere(olds.email) && isThere(news.email))
    return olds.email === news.email ? "replaceMember" : "changeEmail";
  if (isThere(olds.email) || isThere(news.email)) return "changeKind";
  const hasNewPurpose = olds.firstName !== news.firstName || olds.lastName !== news.lastName;
  return hasNewPurpose ? "changePurpose" : "replaceMember";
}

interface Rules {
  readonly made: (news: Properties) => readonly Action[];
  readonly gone: (olds: Properties) => readonly Action[];
  readonly changed: (olds: Properties, news: Properties, now: number) => readonly Action[];
}

const noted = (): readonly Action[] => ["note"];

const rules: Readonly<Record<ResourceType, Rules>> = {
  OrgUser: {
    made: ({ adopt }) => [isThere(adopt) ? "adopt" : "join"],
    gone: (olds) => [isKept(holdingOf(olds)) ? "release" : "leave"],
    changed: noted,
  },
  SeatAssignment: {
    made: ({ adopt }) => [adopt === true ? "adoptSeat" : "assignSeat"],
    gone: (olds) => [isKept(holdingOf(olds)) ? "keepSeat" : "returnSeat"],
    changed: ({ confirmed }) => [isAssignedAgain({ confirmed: confirmed !== false }) ? "assignSeat" : "note"],
  },
  UserToken: {
    made: ({ replaceExisting }) => [
      revokesExisting({ replaceExisting: replaceExisting === true }) ? "replaceToken" : "issueToken",
    ],
    gone: () => ["revokeToken"],
    changed: ({ validUntil }, news, now) => [isRenewal(validUntil, news, now) ? "renewToken" : "note"],
  },
  ServiceAccount: { made: () => ["createAccount"], gone: () => ["deleteAccount"], changed: noted },
  Onboarding: {
    made: (news) => onboardingDeeds(undefined, news),
    gone: () => ["forget"],
    changed: onboardingDeeds,
  },
  ModelServer: {
    made: () => ["adoptResource"],
    gone: ({ onDelete }) => [onDelete === "delete" ? "deleteServer" : "forget"],
    changed: noted,
  },
  VectorTable: {
    made: ({ adopt }) => [adopt === true ? "adoptResource" : "createTable"],
    gone: () => ["forget"],
    changed: noted,
  },
};

/** Update sends what was not sent yet; where that is nobody, no call is made. */
function onboardingDeeds(olds: Properties | undefined, news: Properties): readonly Action[] {
  return [invitedBy(olds, news).length > 0 ? "onboard" : "note"];
}

function isThere(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function holdingOf({ adopted, onDelete }: Properties): Parameters<typeof isKept>[0] {
  return {
    adopted: adopted === true,
    onDelete: onDelete === "remove" || onDelete === "keep" ? onDelete : undefined,
  };
}

/** A date that is not known before the run compares as no later one: what the run did then tells. */
function isRenewal(validUntil: unknown, news: Properties, now: number): boolean {
  if (typeof validUntil !== "string") return false;
  const dates = {
    expiresAt: textOf(news.expiresAt),
    subscriptionExpiresAt: textOf(news.subscriptionExpiresAt),
    renewBefore: textOf(news.renewBefore),
  };
  return isRenewed({ validUntil }, dates, now);
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
