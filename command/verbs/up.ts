/** `orgseat up`: previews all stacks, checks the guards, and applies exactly what the preview shows. */

import { CodedError } from "../../provider/util/error-codes.ts";
import { countedPeople, messageOf } from "../../provider/util/text.ts";
import { type Applied, apply } from "../apply/apply.ts";
import { isSettled } from "../apply/member-results.ts";
import type { PlanEntry } from "../plan/entries.ts";
import { idsInStates } from "../plan/guards/ownership.ts";
import type { Plan } from "../plan/plan.ts";
import { nameOf } from "../plan/steps/steps.ts";
import type { GuardChoice } from "../preview/guard-context.ts";
import {
  keysOf,
  type Preview,
  type PreviewOptions,
  previewOf,
  previewWithMoves,
  withDirectory,
} from "../preview/preview.ts";
import { diffOf, setHeader } from "../roster/edit/edit.ts";
import { readRosterText, rewriteRoster } from "../roster/formats/roster-text.ts";
import { dropOffboarded } from "../roster/offboarded.ts";
import { among } from "../roster/roster.ts";
import { refreshStates, withServiceMembers } from "../service/service-members.ts";
import type { Declaration, Files, Organization } from "../stacks/organization.ts";
import { moveMembers, refuseMoves } from "../stacks/reshard.ts";
import { placePeople, ShardMismatch } from "../stacks/shards.ts";
import { settleByList } from "./resolve.ts";

export interface UpOptions extends PreviewOptions {
  /** Gets the plan before the run applies it; false leaves everything as it is. Default: continue. */
  readonly confirm?: ((preview: Preview) => Promise<boolean>) | undefined;
  /** Runs before the first write. */
  readonly onApply?: ((preview: Preview) => void | Promise<void>) | undefined;
}

export interface UpResult {
  /** `succeeded`, even without changes; `blocked` by a guard; `declined` by `confirm`. */
  readonly status: "succeeded" | "failed" | "blocked" | "declined";
  readonly preview: Preview;
  /** Undefined if nothing was applied. */
  readonly applied: Applied | undefined;
  /** Whether the signal stopped it before anything was applied. */
  readonly cancelled?: boolean | undefined;
  /** Keys of the people whose state was first moved to another stack, without a call. */
  readonly moved?: readonly string[] | undefined;
  /** The id that the run wrote into the roster. Commit it. */
  readonly rosterEdit?: RosterEdit | undefined;
  /** The stack to which the configuration of a former one was copied. */
  readonly configuredStack?: string | undefined;
}

/** Applies what a preview shows, unless a guard, the signal or `confirm` stops it. */
export async function applyTo(
  organization: Organization,
  options: UpOptions,
  { environment, revokedTokens, ...choice }: GuardChoice & UpExtras = {},
): Promise<UpResult> {
  const preview = await previewOf(organization, options, choice);
  const stopped = stopBefore(preview, options.signal);
  if (stopped !== undefined) return stopped;
  const { plan, failures, owners, rosterId } = preview;
  const isWhole = [failures, preview.undelivered, preview.stopped].every(({ length }) => length === 0);
  const ids = idsInStates(owners);
  if (plan.hasChanges) {
    const declined = await declinedBy(preview, options);
    if (declined !== undefined) return declined;
    await options.onApply?.(preview);
  }
  if (!(await refreshBefore(organization, preview, options)))
    return { status: "failed", preview, applied: undefined, cancelled: true };
  if (!plan.hasChanges) {
    const rosterEdit = await keptId(organization, preview, ids);
    return { status: isWhole ? "succeeded" : "failed", preview, applied: undefined, rosterEdit };
  }
  const { listener, signal } = options;
  const extras = { environment, revokedTokens, listener, signal };
  const applied = await apply({ ...organization, rosterId }, preview, extras);
  const isDone = isWhole && applied.failures.length === 0 && applied.results.every(isSettled);
  return {
    status: isDone ? "succeeded" : "failed",
    preview,
    applied: { ...applied, failures: [...failures, ...applied.failures] },
    rosterEdit: await keptId(organization, preview, ids.union(applied.markedWith)),
  };
}

/** The states then say what the preview shows. @returns false if the signal stopped it */
async function refreshBefore(
  organization: Organization,
  { failures, drift, parts }: Preview,
  { refresh, signal }: UpOptions,
): Promise<boolean> {
  const isRead = drift.members === null || drift.members.findings.length > 0;
  if (!refresh || !isRead) return true;
  const failed = failures.map(({ stack }) => stack);
  const unchanged = [...parts].flatMap(([stack, { targets }]) => (targets.length === 0 ? stack : []));
  return refreshStates(organization, [...failed, ...unchanged], signal);
}

/** The result if a guard or the signal stops a plan. */
function stopBefore(preview: Preview, signal: AbortSignal | undefined): UpResult | undefined {
  const nothing = { preview, applied: undefined } as const;
  if (preview.violations.length > 0) return { ...nothing, status: "blocked" };
  return signal?.aborted ? { ...nothing, status: "failed", cancelled: true } : undefined;
}

/** The result if the user declines a plan. */
async function declinedBy(preview: Preview, { confirm, signal }: UpOptions): Promise<UpResult | undefined> {
  if (confirm && !(await confirm(preview))) return { status: "declined", preview, applied: undefined };
  return stopBefore(preview, signal);
}

/** Writes the id into a roster without one, once a state has it: a run that dies before leaves no trace. */
async function keptId(
  organization: Declaration & Files,
  { rosterId }: Preview,
  inStates: ReadonlySet<string>,
): Promise<RosterEdit | undefined> {
  if (organization.roster.id !== undefined || rosterId === undefined) return undefined;
  return inStates.has(rosterId) ? writeRosterId(organization, rosterId) : undefined;
}

interface UpExtras {
  /** More variables for the provider. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Ids of users whose token this command revoked before the run. */
  readonly revokedTokens?: ReadonlySet<string>;
}

/** An edit of the roster that a run made, or could not make. */
export interface RosterEdit {
  /** The id that the roster has now; empty after `destroy`. */
  readonly rosterId: string;
  /** A unified diff. */
  readonly diff: string;
  /** Why the file was not written; undefined if it was. */
  readonly error: string | undefined;
}

/** @param rosterId empty to clear it @returns undefined if the file has it already */
export async function writeRosterId(
  { file, roster }: Declaration & Files,
  rosterId: string,
): Promise<RosterEdit | undefined> {
  // The command itself may have edited the file since it read it.
  let diff = "";
  try {
    const before = await readRosterText(file, roster.file);
    const after = setHeader(before, "roster", rosterId);
    diff = diffOf(before, after);
    if (diff === "") return undefined;
    await rewriteRoster(file, before, after);
    return { rosterId, diff, error: undefined };
  } catch (error) {
    return { rosterId, diff, error: messageOf(error) };
  }
}

export async function upAll(organization: Organization, given: UpOptions): Promise<UpResult> {
  const options = withDirectory(organization, given);
  await settleByList(organization, options.signal);
  const opened = options.refresh ? await withServiceMembers(organization, options) : organization;
  const result = await applyHere(opened, options);
  const error = await settleOffboarded(organization, result).catch((reason: unknown) => reason);
  if (error === undefined) return result;
  const { applied } = result;
  if (applied === undefined) throw error;
  const text = messageOf(error);
  return { ...result, applied: { ...applied, warnings: [...applied.warnings, { text, people: [] }] } };
}

/** Drops offboarded people who are in neither the roster nor a state, so that they can join again. */
async function settleOffboarded(
  { offboarded, offboardedFile, roster }: Declaration & Files,
  { status, preview, applied }: UpResult,
): Promise<void> {
  if (offboarded.length === 0 || status !== "succeeded") return;
  const isInRoster = among(roster.people);
  const left = new Set(applied?.results.filter(isSettled).map(({ key }) => key));
  const still = preview.plan.members.filter(({ isManaged, key }) => isManaged && !left.has(key));
  const isInState = among(
    still.flatMap(({ key, userId, names }) => names.map((email) => ({ key, userId, email }))),
  );
  const gone = offboarded.filter((person) => !isInRoster(person) && !isInState(person));
  await dropOffboarded(offboardedFile, gone);
}

async function applyHere(organization: Organization, options: UpOptions): Promise<UpResult> {
  try {
    return await applyTo(organization, options);
  } catch (error) {
    if (!(error instanceof ShardMismatch)) throw error;
    return applyAndMove(organization, options);
  }
}

/** Previews people if they are, and moves their states only after the guards and the user have seen the plan. */
async function applyAndMove(organization: Organization, options: UpOptions): Promise<UpResult> {
  const before = await placePeople(organization);
  const { moves, states } = before;
  refuseMoves(organization, moves, states);
  const preview = await previewWithMoves(before, options);
  const stopped = stopBefore(preview, options.signal);
  if (stopped !== undefined) return stopped;
  // The second preview could show changes of a stack that this one did not.
  if (preview.failures.length > 0) return { status: "failed", preview, applied: undefined };
  const declined = await declinedBy(preview, options);
  if (declined !== undefined) return declined;
  const isConfigCopied = await moveMembers(organization, moves);
  const moved = keysOf(moves);
  const confirm = async (second: Preview): Promise<boolean> => {
    if (isSamePlan(preview.plan, second.plan)) return true;
    throw new CodedError(
      "plan-changed",
      `the plan changed after you confirmed it: ${countedPeople(moved.length)} moved to other stacks, and no other changes were made. Run \`orgseat up\` again`,
    );
  };
  // The moves create their target stacks only.
  const newStacks = organization.newStacks.filter((stack) => moves.every(({ to }) => to !== stack));
  // The first preview was compared with an approved plan, and the second one with the first.
  const inPlace = { ...options, confirm, approvedPlan: undefined };
  const result = await applyTo({ ...organization, newStacks, staleStacks: [] }, inPlace);
  return { ...result, moved, configuredStack: isConfigCopied ? organization.stacks[0] : undefined };
}

/** Whether two plans have the same entries, in whatever stacks. Each stack has a marker, new ones with the same settings. */
function isSamePlan(one: Plan, other: Plan): boolean {
  const [first, second] = [one, other].map(({ entries }) => {
    const [markers = [], own = []] = [true, false].map((isMarker) =>
      entries.filter(({ type }) => (type === "Roster") === isMarker),
    );
    const settings = markers.flatMap((entry) => (entry.id === null ? [] : describeEntry(entry)));
    return [...new Set(settings), ...own.map(describeEntry)].toSorted();
  });
  return JSON.stringify(first) === JSON.stringify(second);
}

function describeEntry({ urn, type, key, operation, id, facts }: PlanEntry): string {
  return JSON.stringify([type, nameOf(urn), key, operation, id, facts]);
}
