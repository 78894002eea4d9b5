import { peopleInJson, planToJson } from "../plan/texts/json.ts";
import { planToMarkdown } from "../plan/texts/markdown.ts";
import { describeCreation } from "../preview/creations.ts";
import type { Preview } from "../preview/preview.ts";
import type { UpResult } from "../verbs/up.ts";

export const exitCodes = { done: 0, failed: 1, changes: 2, blocked: 3 } as const;

/** @param reportChanges whether changes have a separate exit code */
export function codeOfPreview(
  { plan, violations, failures, stopped, moving }: Preview,
  reportChanges: boolean,
): number {
  if (violations.length > 0) return exitCodes.blocked;
  if (failures.length > 0 || stopped.length > 0) return exitCodes.failed;
  return (plan.hasChanges || moving.length > 0) && reportChanges ? exitCodes.changes : exitCodes.done;
}

export function codeOfRun({ status }: Pick<UpResult, "status">): number {
  if (status === "blocked") return exitCodes.blocked;
  return status === "succeeded" ? exitCodes.done : exitCodes.failed;
}

/** The form of `--json` of every run. */
export function resultToJson({ configuredStack, moved = [], rosterEdit, ...result }: UpResult) {
  const { status, preview, applied, cancelled } = result;
  return {
    status,
    digest: preview.document.digest,
    plan: planToJson(preview.plan, preview.violations),
    withheld: peopleInJson(preview.withheld),
    absent: preview.absent,
    stopped: stoppedInJson(preview),
    failures: applied?.failures ?? preview.failures,
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
    creations: creationsInJson(preview),
    moved,
    rosterEdit: rosterEdit === undefined ? null : { ...rosterEdit, error: rosterEdit.error ?? null },
    configuredStack: configuredStack ?? null,
  };
}

function creationsInJson({ creations }: Preview) {
  return creations.map(({ key, label, stack, time, userId }) => ({
    ...{ key, who: label, stack, time, userId: userId ?? null },
  }));
}

function stoppedInJson({ stopped }: Preview) {
  return stopped.map(({ place, ...one }) => ({ ...one, place: place ?? null }));
}

export function previewToJson(preview: Preview) {
  const {
    plan,
    document,
    violations,
    failures,
    drift,
    withheld,
    otherChanges,
    leftOut,
    absent,
    accessEnds,
    moving,
    warnings,
    rosterNote = null,
  } = preview;
  return {
    ...planToJson(plan, violations),
    plan: document,
    failures,
    drift,
    withheld: peopleInJson(withheld),
    otherChanges,
    leftOut,
    absent,
    stopped: stoppedInJson(preview),
    accessEnds,
    moving,
    warnings,
    creations: creationsInJson(preview),
    rosterNote,
  };
}

export function previewToMarkdown(preview: Preview): string {
  return planToMarkdown({ ...preview, undecided: preview.creations.map(describeCreation) });
}
