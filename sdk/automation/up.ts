/** `orgseat up`: previews all stacks, asks the guards, and applies exactly what the preview showed. */

import { people } from "../../provider/util/plural.ts";
import { type Applied, apply } from "./apply.ts";
import {
  describeDecision,
  dropSettled,
  mentionsPendingOperations,
  openCreations,
  prepareCreations,
} from "./creations.ts";
import type { GuardChoice } from "./guard-context.ts";
import { isSettled, type MemberResult } from "./member-results.ts";
import { noteNames } from "./names.ts";
import type { Organization } from "./organization.ts";
import { idsInStates } from "./plan/ownership.ts";
import type { Plan } from "./plan/plan.ts";
import { isChange, type Step } from "./plan/steps.ts";
import { keysOf, type Preview, type PreviewOptions, previewOf, previewPlaced } from "./preview.ts";
import { moveMembers, refuseMoves } from "./reshard.ts";
import { setHeader } from "./roster/edit.ts";
import { dropLeavers, withoutSettled } from "./roster/leavers.ts";
import { readText, rewriteText } from "./roster/text-file.ts";
import { placePeople, ShardMismatch } from "./shards.ts";

export interface UpOptions extends PreviewOptions {
  /** Sees the plan before it is applied; false leaves everything as it is. Default: go on. */
  readonly confirm?: ((preview: Preview) => Promise<boolean>) | undefined;
  /** Is waited for before the first write. */
  readonly onApply?: ((preview: Preview) => void | Promise<void>) | undefined;
}

export interface UpResult {
  /** `done`, also where there was nothing to do; `stopped` by a guard; `declined` by whoever was asked. */
  readonly status: "succeeded" | "failed" | "blocked" | "declined";
  readonly preview: Preview;
  /** Undefined where nothing was applied. */
  readonly applied: Applied | undefined;
  /** Whether it was stopped on request before anything was applied. */
  readonly cancelled?: boolean | undefined;
  /** Whose state was moved to another stack first, by keys. Nobody notices it. */
  readonly moved?: readonly string[] | undefined;
  /** The roster's id that the run wrote into the file. Commit it. */
  readonly rosterEdit?: RosterEdit | undefined;
  /** The stack to which the configuration of a former one was copied. */
  readonly configuredStack?: string | undefined;
}

export async function upTo(
  organization: Organization,
  options: UpOptions,
  { environment, revokedTokens, ...choice }: GuardChoice & UpExtras = {},
): Promise<UpResult> {
  const preview = await previewOf(organization, options, choice);
  const { plan, violations, failures, targets } = preview;
  if (violations.length > 0) return { status: "blocked", preview, applied: undefined };
  const { listener, signal } = options;
  const cancelled = { status: "failed", preview, applied: undefined, cancelled: true } as const;
  if (signal?.aborted) return cancelled;
  const failed = failures.length > 0;
  const ids = idsInStates(preview.owners);
  if (!plan.hasChanges) {
    const rosterEdit = await keptId(organization, preview, ids);
    return { status: failed ? "failed" : "succeeded", preview, applied: undefined, rosterEdit };
  }
  if (options.confirm && !(await options.confirm(preview))) {
    return { status: "declined", preview, applied: undefined };
  }
  if (signal?.aborted) return cancelled;
  await options.onApply?.(preview);
  await prepareCreations(organization, preview.creations, plan.steps);
  const notNoted = await noteNames(organization.namesFile, plan.steps);
  const without = failures.map(({ stack }) => stack);
  const applied = await apply({ ...organization, rosterId: preview.rosterId }, plan, {
    partly: targets !== undefined,
    markers: preview.owners,
    without,
    environment,
    revokedTokens,
    listener,
    signal,
  });
  const verdicts = withDecisions(applied.results, preview, organization);
  if (applied.warnings.some(mentionsPendingOperations)) await dropSettled(organization);
  const well = !failed && applied.failures.length === 0 && applied.results.every(isSettled);
  return {
    status: well ? "succeeded" : "failed",
    preview,
    applied: {
      ...applied,
      results: verdicts,
      failures: [...failures, ...applied.failures],
      warnings: [...applied.warnings, ...(notNoted === undefined ? [] : [notNoted])],
    },
    rosterEdit: await keptId(organization, preview, ids.union(applied.markedWith)),
  };
}

/** A provider process that was killed says nothing of what it had sent; the record says it. */
function withDecisions(
  verdicts: readonly MemberResult[],
  { plan }: Preview,
  organization: Organization,
): MemberResult[] {
  const open = openCreations(organization, plan.steps);
  return verdicts.map((verdict) => {
    const { key, code, text = "" } = verdict;
    if (verdict.status !== "failed" || code !== undefined || !open.has(key)) return verdict;
    return { ...verdict, text: `${text} ${describeDecision(key)}`.trim() };
  });
}

/** Writes the roster's id into a file that has none, as soon as a state has it: a run that dies before leaves no trace. */
async function keptId(
  organization: Organization,
  { rosterId }: Preview,
  inStates: ReadonlySet<string>,
): Promise<RosterEdit | undefined> {
  if (organization.roster.id !== undefined || rosterId === undefined) return undefined;
  return inStates.has(rosterId) ? writeRosterId(organization, rosterId) : undefined;
}

interface UpExtras {
  /** More variables for the provider. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Ids of users whose token this command has revoked before. */
  readonly revokedTokens?: ReadonlySet<string>;
}

/** An edit of the roster that a run has made, or could not make. */
export interface RosterEdit {
  /** The id that the roster has now; empty where its stacks are. */
  readonly rosterId: string;
  /** A unified diff. */
  readonly diff: string;
  /** Why the file was not written; undefined where it was. */
  readonly error: string | undefined;
}

/** @param rosterId empty to forget it @returns undefined where the file says so already */
export async function writeRosterId(
  { file, roster }: Organization,
  rosterId: string,
): Promise<RosterEdit | undefined> {
  // Others may have edited it since it was read, such as the command itself.
  const before = await readText(file);
  const { text, diff } = setHeader(before, roster.file, "roster", rosterId);
  if (diff === "") return undefined;
  try {
    await rewriteText(file, before, text);
    return { rosterId, diff, error: undefined };
  } catch (error) {
    return { rosterId, diff, error: error instanceof Error ? error.message : String(error) };
  }
}

export async function upAll(organization: Organization, options: UpOptions): Promise<UpResult> {
  const result = await upInPlace(organization, options);
  await settleLeavers(organization, result);
  return result;
}

/** Whoever is out of the roster and of every state needs no entry any more, and may be hired again. */
async function settleLeavers(
  { leavers, leaversFile, roster, program }: Organization,
  { status, preview, applied }: UpResult,
): Promise<void> {
  if (leavers.length === 0 || program !== undefined || status !== "succeeded") return;
  const needed = new Set(withoutSettled(leavers, roster.people));
  const still = preview.plan.members.filter(({ isManaged }) => isManaged);
  const left = new Set(applied?.results.filter(isSettled).map(({ key }) => key));
  const gone = leavers.filter(
    (leaver) => !needed.has(leaver) && !still.some(({ key }) => key === leaver.key && !left.has(key)),
  );
  await dropLeavers(leaversFile, gone);
}

async function upInPlace(organization: Organization, options: UpOptions): Promise<UpResult> {
  try {
    return await upTo(organization, options);
  } catch (error) {
    if (!(error instanceof ShardMismatch)) throw error;
    return upWithMoves(organization, options);
  }
}

/** Previews people where they are, and moves their states only after the guards and the user have seen the plan. */
async function upWithMoves(organization: Organization, options: UpOptions): Promise<UpResult> {
  const before = await placePeople(organization);
  const { moves, states } = before;
  refuseMoves(organization, moves, states);
  const preview = await previewPlaced(before, options);
  const nothing = { preview, applied: undefined } as const;
  if (preview.violations.length > 0) return { ...nothing, status: "blocked" };
  const isStopped = (): boolean => options.signal?.aborted === true;
  if (isStopped()) return { ...nothing, status: "failed", cancelled: true };
  // Whoever could not be looked at would be a surprise of the second preview.
  if (preview.failures.length > 0) return { ...nothing, status: "failed" };
  if (options.confirm && !(await options.confirm(preview))) return { ...nothing, status: "declined" };
  if (isStopped()) return { ...nothing, status: "failed", cancelled: true };
  const isConfigCopied = await moveMembers(organization, moves);
  const moved = keysOf(moves);
  const confirm = async (second: Preview): Promise<boolean> => {
    if (isSamePlan(preview.plan, second.plan)) return true;
    throw new Error(
      `the plan changed after you confirmed it: ${people(moved.length)} moved to other stacks, and no other changes were made. Run \`orgseat up\` again`,
    );
  };
  // A stack to which nobody moved is not there yet.
  const newStacks = organization.newStacks.filter((stack) => moves.every(({ to }) => to !== stack));
  const result = await upTo({ ...organization, newStacks, staleStacks: [] }, { ...options, confirm });
  return { ...result, moved, configuredStack: isConfigCopied ? organization.stacks[0] : undefined };
}

/** Whether two plans change the same of the same people, in whatever stacks. */
function isSamePlan(one: Plan, other: Plan): boolean {
  const [first, second] = [one, other].map(({ steps }) => steps.filter(isChange).map(changeOf).toSorted());
  return JSON.stringify(first) === JSON.stringify(second);
}

function changeOf({ type, name, member, action, id, news, isProtected, isReplaced }: Step): string {
  return JSON.stringify([type, name, member, action, id, news, isProtected, isReplaced]);
}
