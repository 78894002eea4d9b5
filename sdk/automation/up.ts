/** `orgseat up`: previews all stacks, asks the guards, and applies exactly what the preview showed. */
import { type Applied, apply } from "./apply.ts";
import { dropSettled, mentionsPendingOperations, openCreations, prepareCreations } from "./creations.ts";
import { isSettled, type MemberResult } from "./member-results.ts";
import { noteNames } from "./names.ts";
import type { Organization } from "./organization.ts";
import { describeDecision } from "./plan/earlier-creations.ts";
import { idsInStates } from "./plan/ownership.ts";
import { type GuardChoice, type Preview, type PreviewOptions, previewOf } from "./preview.ts";
import { type RosterEdit, writeRosterId } from "./roster-id.ts";

export interface UpOptions extends PreviewOptions {
  /** Sees the plan before it is applied; false leaves everything as it is. Default: go on. */
  readonly confirm?: ((preview: Preview) => Promise<boolean>) | undefined;
  /** Is waited for before the first write. */
  readonly onApply?: ((preview: Preview) => void | Promise<void>) | undefined;
}

export interface UpResult {
  /** `done`, also where there was nothing to do; `stopped` by a guard; `declined` by whoever was asked. */
  readonly status: "done" | "failed" | "stopped" | "declined";
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
  if (violations.length > 0) return { status: "stopped", preview, applied: undefined };
  const { listener, signal } = options;
  const cancelled = { status: "failed", preview, applied: undefined, cancelled: true } as const;
  if (signal?.aborted) return cancelled;
  const failed = failures.length > 0;
  const ids = idsInStates(preview.owners);
  if (!plan.hasChanges) {
    const rosterEdit = await keptId(organization, preview, ids);
    return { status: failed ? "failed" : "done", preview, applied: undefined, rosterEdit };
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
    status: well ? "done" : "failed",
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
