import { peopleInJson, planToJson } from "../plan/texts/json.ts";
import { planToMarkdown } from "../plan/texts/markdown.ts";
import type { Preview } from "../preview/preview.ts";
import type { UpResult } from "../verbs/up.ts";

export const exitCodes = { done: 0, failed: 1, changes: 2, blocked: 3 } as const;

/** @param reportChanges whether changes have a separate exit code */
export function codeOfPreview({ plan, violations, stopped }: Preview, reportChanges: boolean): number {
  if (violations.length > 0) return exitCodes.blocked;
  if (stopped.length > 0) return exitCodes.failed;
  return plan.hasChanges && reportChanges ? exitCodes.changes : exitCodes.done;
}

export function codeOfRun({ status }: Pick<UpResult, "status">): number {
  if (status === "blocked") return exitCodes.blocked;
  return status === "succeeded" ? exitCodes.done : exitCodes.failed;
}

/** The form of `--json` of every run. */
export function resultToJson({ rosterEdit, ...result }: UpResult) {
  const { status, preview, applied, cancelled } = result;
  return {
    status,
    digest: preview.document.digest,
    plan: planToJson(preview.plan, preview.violations),
    withheld: peopleInJson(preview.withheld),
    leftOut: preview.leftOut,
    absent: preview.absent,
    stopped: stoppedInJson(preview),
    failure: applied?.failure ?? null,
    results:
      applied?.results.map(({ text, place, code, ...result }) => ({
        ...result,
        place: place ?? null,
        text: text ?? null,
        code: code ?? null,
      })) ?? [],
    warnings: applied?.warnings ?? preview.warnings,
    cancelled: cancelled ?? applied?.cancelled ?? false,
    swapped: applied?.swapped ?? false,
    ...undecidedInJson(preview),
    rosterEdit: rosterEdit === undefined ? null : { ...rosterEdit, error: rosterEdit.error ?? null },
  };
}

function undecidedInJson({ undecided, undecidedOverride }: Preview) {
  return { undecided, undecidedOverride: undecidedOverride ?? null };
}

function stoppedInJson({ stopped }: Preview) {
  return stopped.map(({ place, ...one }) => ({ ...one, place: place ?? null }));
}

export function previewToJson(preview: Preview) {
  const {
    plan,
    document,
    violations,
    drift,
    withheld,
    otherChanges,
    leftOut,
    absent,
    accessEnds,
    warnings,
    rosterNote = null,
  } = preview;
  return {
    ...planToJson(plan, violations),
    plan: document,
    drift,
    withheld: peopleInJson(withheld),
    otherChanges,
    leftOut,
    absent,
    stopped: stoppedInJson(preview),
    accessEnds,
    warnings,
    ...undecidedInJson(preview),
    rosterNote,
  };
}

export function previewToMarkdown(preview: Preview): string {
  return planToMarkdown({ ...preview, undecided: preview.undecided.map(({ text }) => text) });
}
