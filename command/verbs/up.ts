/** `orgseat up`: shows the plan, asks, and applies it. */

import { setTimeout as pause } from "node:timers/promises";
import { tryCredentials } from "../../provider/direct/try-credentials.ts";
import { messageOf, shortList, withoutStop } from "../../provider/util/text.ts";
import type { Progress } from "../engine/engine.ts";
import type { Plan } from "../plan/plan.ts";
import { describeLeftOut } from "../plan/texts/text.ts";
import type { PlanChoice } from "../preview/choice.ts";
import type { PreviewOptions } from "../preview/options.ts";
import { type Preview, previewOf } from "../preview/preview.ts";
import { diffOf, setHeader } from "../roster/edit/edit.ts";
import { readRosterText, rewriteRoster } from "../roster/formats/roster-text.ts";
import { dropOffboarded } from "../roster/offboarded.ts";
import { among } from "../roster/roster.ts";
import { type Applied, apply } from "../run/apply.ts";
import { isSettled, type MemberResult } from "../run/member-results.ts";
import type { Connection, Declaration, Files, Organization } from "../stacks/organization.ts";

export interface UpOptions extends PreviewOptions {
  /** Gets the start and the end of the changes of members. */
  readonly listener?: ((progress: Progress) => void) | undefined;
  /** Gets the plan before the run applies it; false leaves everything as it is. Default: continue. */
  readonly confirm?: ((preview: Preview) => Promise<boolean>) | undefined;
  /** Runs before the first write. */
  readonly onApply?: ((preview: Preview) => void | Promise<void>) | undefined;
}

export interface UpResult {
  /** `succeeded`, even without changes; `failed` also for ignored rows; `blocked` by a guard; `declined` by `confirm`. */
  readonly status: "succeeded" | "failed" | "blocked" | "declined";
  readonly preview: Preview;
  /** Undefined if nothing was applied. */
  readonly applied: Applied | undefined;
  /** Whether the signal stopped it before anything was applied. */
  readonly cancelled?: boolean | undefined;
  /** The id that the run wrote into the roster. Commit it. */
  readonly rosterEdit?: RosterEdit | undefined;
}

/** Applies what a preview shows, unless a guard, the signal or `confirm` stops it. */
export async function applyTo(
  organization: Organization,
  options: UpOptions,
  choice: PlanChoice = {},
): Promise<UpResult> {
  const preview = await previewOf(organization, options, choice);
  const stopped = stopBefore(preview, options.signal);
  if (stopped !== undefined) return stopped;
  const { plan, rosterId, owner } = preview;
  const isWhole = preview.stopped.length === 0;
  const isKnown = rosterId !== undefined && owner.rosterIds.includes(rosterId);
  if (!plan.hasChanges) {
    const rosterEdit = await keptId(organization, preview, isKnown);
    return { status: isWhole ? "succeeded" : "failed", preview, applied: undefined, rosterEdit };
  }
  const declined = await declinedBy(preview, options);
  if (declined !== undefined) return declined;
  await options.onApply?.(preview);
  const applied = await apply(organization, preview, options);
  const isDone = isWhole && applied.failure === undefined && applied.results.every(isSettled);
  return {
    ...{ status: isDone ? "succeeded" : "failed", preview, applied },
    rosterEdit: await keptId(organization, preview, isKnown || applied.isMarked),
  };
}

const LOCK_TIMEOUT_MS = 600_000;
const RETRY_MS = 2000;

/** Tries again as long as another run holds the lock of the stack. @param options `lockTimeoutMs`: default: ten minutes */
export async function applyWhenUnlocked(
  organization: Organization,
  options: UpOptions & { readonly lockTimeoutMs?: number | undefined },
  choice: PlanChoice,
): Promise<UpResult> {
  const until = organization.now() + (options.lockTimeoutMs ?? LOCK_TIMEOUT_MS);
  let before: UpResult | undefined;
  for (;;) {
    const last = await applyTo(organization, options, choice);
    const result = before === undefined ? last : mergeResults(before, last);
    const isLocked = last.applied?.locked === true;
    if (!isLocked || options.signal?.aborted || organization.now() + RETRY_MS > until) return result;
    before = result;
    await pause(RETRY_MS, undefined, { signal: options.signal }).catch(() => undefined);
  }
}

/** With the results of an earlier try, which the last one does not have. */
function mergeResults(before: UpResult, last: UpResult): UpResult {
  const earlier = before.applied?.results.filter(isSettled) ?? [];
  const applied =
    last.applied ?? (before.applied && { ...before.applied, results: [], failures: [], locked: false });
  if (applied === undefined || earlier.length === 0) return last;
  const nameOf = ({ stack, key, who }: MemberResult): string => `${stack} ${key} ${who}`;
  const now = new Set(applied.results.map(nameOf));
  const results = [...applied.results, ...earlier.filter((one) => !now.has(nameOf(one)))];
  return { ...last, applied: { ...applied, results } };
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

/** Writes the id into a roster without one, once the state has it: a run that dies before leaves no trace. */
async function keptId(
  organization: Declaration & Files,
  { rosterId }: Preview,
  isInState: boolean,
): Promise<RosterEdit | undefined> {
  if (organization.roster.id !== undefined || rosterId === undefined || !isInState) return undefined;
  return writeRosterId(organization, rosterId);
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

export async function upAll(organization: Organization, options: UpOptions): Promise<UpResult> {
  const result = await applyTo(organization, options);
  const error = await settleOffboarded(organization, result).catch((reason: unknown) => reason);
  if (error !== undefined && result.applied === undefined) throw error;
  const settled = error === undefined ? result : withWarning(result, messageOf(error));
  const missing = missingAmong(result.preview);
  if (result.status !== "succeeded" || missing.length === 0) return settled;
  return { ...withWarning(settled, describeLeftOut(shortList(missing))), status: "failed" };
}

/** The people whose rows were ignored and whom the state does not have: someone may wait for them, and no run adds them. */
function missingAmong({ plan, withheld, leftOut }: Preview): string[] {
  const members = [...plan.members, ...withheld].filter(({ isManaged }) => isManaged);
  const held = new Set(members.flatMap(({ key, names }) => [key, ...names]));
  return leftOut.filter((who) => !held.has(who));
}

/** After the results; the plan says it if nothing was applied. */
function withWarning({ applied, ...result }: UpResult, text: string): UpResult {
  if (applied === undefined) return { ...result, applied };
  return { ...result, applied: { ...applied, warnings: [...applied.warnings, { text, people: [] }] } };
}

/** Drops offboarded people who are in neither the roster nor the state, so that they can join again. */
async function settleOffboarded(
  { offboarded, offboardedFile, roster }: Declaration & Files,
  { status, preview, applied }: UpResult,
): Promise<void> {
  if (offboarded.length === 0 || status !== "succeeded") return;
  const isInRoster = among(roster.people);
  const left = new Set(applied?.results.filter(isSettled).map(({ key }) => key));
  const members = [...preview.plan.members, ...preview.withheld];
  const still = members.filter(({ isManaged, key }) => isManaged && !left.has(key));
  const isInState = among(
    still.flatMap(({ key, userId, names }) => names.map((email) => ({ key, userId, email }))),
  );
  const gone = offboarded.filter((person) => !isInRoster(person) && !isInState(person));
  await dropOffboarded(offboardedFile, gone);
}

/** Requests one access token if the plan needs calls. @throws Error that names the address */
export async function requireCredentials(
  { config: values, environment, roster }: Declaration & Connection,
  { members }: Plan,
): Promise<void> {
  const needsCalls = members.some(({ steps }) =>
    steps.plan.units.some((unit) => unit.steps.some(({ call }) => call !== undefined)),
  );
  if (!needsCalls) return;
  try {
    const known = new Map([["orgseat:organizationId", roster.organizationId], ...values]);
    await tryCredentials({ config: (key) => known.get(key), environment });
  } catch (error) {
    const reason = messageOf(error);
    const text = `cannot apply this plan: ${withoutStop(reason)}. No changes were made`;
    throw new Error(text, { cause: error });
  }
}
