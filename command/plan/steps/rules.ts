/**
 * Changes that decide who keeps access, or who can read tokens, and send no request: each is an action with the old and
 * the new value, so that a plan shows it.
 */

import type { Action } from "../../../provider/resources/actions.ts";
import { isKept, ownershipOf } from "../../../provider/resources/members/removal.ts";
import { holdsUnknown } from "../../../provider/resources/unknown.ts";
import { previousIn } from "../../../provider/resources/user-token/operations.ts";
import { shortInstant } from "../../../provider/util/instants.ts";
import type { RosterFacts, RosterMarker } from "../../roster/roster.ts";
import type { Properties, Step } from "./steps.ts";

interface RuleChange {
  readonly action: Action;
  /** Such as `access_until 2026-12-31 -> none`. */
  readonly text: string;
}

/** The changed rules of an object that exists before and after the step. */
export function ruleChangesOf({ type, action, olds, news }: Step): RuleChange[] {
  if (news === undefined || action === "delete" || action === "same") return [];
  // A stack that gets its marker had no settings.
  if (type === "Roster") return settingsChanges(olds ?? {}, news);
  if (olds === undefined || action === "create") return [];
  if (type === "OrgUser")
    return [...accessEndChange(olds, news), ...(action === "update" ? onDeleteChange(olds, news) : [])];
  if (type !== "UserToken") return [];
  return [
    ...change("changeRotationRule", "rotate_every", textOf(olds.rotateEvery), textOf(news.rotateEvery)),
    ...change(
      "changeRotationRule",
      "keep_previous",
      textOf(olds.keepPreviousFor),
      textOf(news.keepPreviousFor),
    ),
  ];
}

/** The same step, which leaves a membership that a directory owns. */
export function withMembership(step: Step): Step {
  if (step.type !== "OrgUser" || (step.action !== "delete" && step.action !== "replace")) return step;
  return withOnDelete(step, "retain");
}

/** The same steps, of which the deletions of replaced tokens say whether the successor keeps the token: a killed run leaves them. */
export function withKeptTokens(steps: readonly Step[]): Step[] {
  const kept = new Set(
    steps
      .filter(({ type, action }) => type === "UserToken" && (action === "same" || action === "update"))
      .flatMap(({ olds = {} }) => previousIn(olds).map(({ tokenId }) => tokenId)),
  );
  return steps.map((step) => {
    const { type, action, isReplaced, olds } = step;
    const isKept =
      type === "UserToken" && action === "delete" && isReplaced && kept.has(String(olds?.tokenId));
    return isKept ? { ...step, isKept } : step;
  });
}

/** The removal of a membership or a seat with another rule than the state has. */
export function withOnDelete(step: Step, onDelete: "delete" | "retain"): Step {
  if (step.type !== "OrgUser" && step.type !== "SeatAssignment") return step;
  return { ...step, olds: { ...step.olds, onDelete } };
}

function accessEndChange(olds: Properties, news: Properties): RuleChange[] {
  const [before, after] = [textOf(olds.accessEnd), textOf(news.accessEnd)];
  return change(
    "changeAccessEnd",
    "access_until",
    before && shortInstant(before),
    after && shortInstant(after),
  );
}

function onDeleteChange(olds: Properties, news: Properties): RuleChange[] {
  const { adopted } = olds;
  const words = (properties: Properties): string =>
    isKept(ownershipOf({ ...properties, adopted })) ? "retain" : "delete";
  return change("changeOnDelete", "on_delete", words(olds), words(news));
}

/** @param olds and news as a marker keeps them */
function settingsChanges(olds: Properties, news: Properties): RuleChange[] {
  const before = olds.requireSealedTokens === true ? "true" : undefined;
  const after = news.requireSealedTokens === true ? "true" : undefined;
  return [
    ...change("changeModule", "deliver sha256", shortHash(olds.deliver), shortHash(news.deliver)),
    ...change("changeMembership", "membership", textOf(olds.membership), textOf(news.membership)),
    ...change(after === undefined ? "endSealing" : "requireSealing", "require_sealed_tokens", before, after),
  ];
}

function change(
  action: Action,
  name: string,
  before: string | undefined,
  after: string | undefined,
): RuleChange[] {
  return before === after ? [] : [{ action, text: `${name} ${before ?? "none"} -> ${after ?? "none"}` }];
}

/** As `sha256sum` begins. */
function shortHash(hash: unknown): string | undefined {
  const text = textOf(hash);
  return text === undefined || /^[0-9a-f]{64}$/.test(text) ? text?.slice(0, 16) : "(unreadable)";
}

function textOf(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  return holdsUnknown(value) ? "(known after apply)" : value;
}

/**
 * The marker of a roster as a step: what it keeps decides who can read tokens, so a plan shows a change of it. None for a marker that is
 * new without a setting, or that only learns public keys: the steps of the tokens show them.
 */
export function rosterSteps(stack: string, markers: readonly RosterMarker[]): Step[] {
  return taken(markers).flatMap(({ urn, rosterId, action, before, after }) => {
    if (action === "same" || action === "delete") return [];
    const [olds, news] = [settingsIn(before), settingsIn(after)];
    // In JSON, a setting that is not there is none.
    const isSame = JSON.stringify(action === "create" ? {} : olds) === JSON.stringify(news);
    if (isSame) return [];
    return {
      ...{ stack, urn, type: "Roster" as const, name: rosterId, member: rosterId, parent: undefined, action },
      ...{ id: action === "create" ? undefined : rosterId, olds: before && olds, news },
      ...{ isProtected: { before: false, after: false }, deleteFirst: false, isReplaced: false },
    };
  });
}

/** The run of a roster without an id takes the id of its stack, so a new marker beside one in the state stands for that one. */
function taken(markers: readonly RosterMarker[]): readonly RosterMarker[] {
  const [created, inState] = (["create", "delete"] as const).map((action) =>
    markers.find((marker) => marker.action === action),
  );
  if (created === undefined || inState === undefined) return markers;
  const others = markers.filter((marker) => marker !== created && marker !== inState);
  return [...others, { ...inState, action: "update", after: created.after }];
}

function settingsIn({ deliver, requireSealedTokens, membership }: RosterFacts = {}): Properties {
  return { deliver, requireSealedTokens, membership };
}
