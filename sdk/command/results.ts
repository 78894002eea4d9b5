/** What a run prints at its end, and the exit code that goes with it. */

import { counted, people, shortList } from "../../provider/util/plural.ts";
import { shortStackName } from "../automation/engine/stack-names.ts";
import {
  describeResult,
  errorsWithoutResource,
  isSettled,
  type MemberResult,
} from "../automation/member-results.ts";
import { describeDrift } from "../automation/plan/drift.ts";
import { describeCreation } from "../automation/plan/earlier-creations.ts";
import { planToJson } from "../automation/plan/json.ts";
import { describeLeftOut, describeMoves, planToText } from "../automation/plan/text.ts";
import type { Preview, StackFailure } from "../automation/preview.ts";
import type { RosterEdit, UpResult } from "../automation/up.ts";

export const exitCodes = { done: 0, failed: 1, waiting: 2, stopped: 3 } as const;

/** @param tellWaiting whether changes that wait have a code of their own */
export function codeOfPreview({ plan, violations, failures, moving }: Preview, tellWaiting: boolean): number {
  if (violations.length > 0) return exitCodes.stopped;
  if (failures.length > 0) return exitCodes.failed;
  return (plan.hasChanges || moving.length > 0) && tellWaiting ? exitCodes.waiting : exitCodes.done;
}

export function codeOfRun({ status }: Pick<UpResult, "status">): number {
  if (status === "blocked") return exitCodes.stopped;
  return status === "succeeded" ? exitCodes.done : exitCodes.failed;
}

/** What `orgseat preview` prints. */
export function previewToText(preview: Preview): string {
  const { plan, violations, leftOut, rosterNote } = preview;
  return [
    planToText(plan, violations),
    ...(plan.isComplete ? besideInText(preview) : []),
    ...creationsInText(preview),
    ...(rosterNote === undefined ? [] : ["", rosterNote]),
    ...(leftOut.length === 0 ? [] : ["", describeLeftOut(shortList(leftOut))]),
    ...faultsInText(preview),
    ...messagesInText(preview, "warning"),
    ...(plan.isComplete ? ["", driftInText(preview)] : []),
  ].join("\n");
}

function besideInText({ otherChanges, moving }: Preview): string[] {
  return [
    ...(moving.length === 0 ? [] : ["", describeMoves(moving), `  ${shortList(moving)}`]),
    ...(otherChanges === 0
      ? []
      : [
          "",
          `Beside this, ${people(otherChanges)} ${otherChanges === 1 ? "waits" : "wait"} for \`orgseat up\`.`,
        ]),
  ];
}

function driftInText({ drift }: Preview): string {
  return `Held against the service: ${describeDrift(drift)} (no call lists people, seats or tokens).`;
}

function creationsInText({ creations }: Preview): string[] {
  return creations.length === 0 ? [] : ["", ...creations.map(describeCreation)];
}

function faultsInText({ failures, diagnostics }: Preview): string[] {
  if (failures.length === 0) return [];
  const about = new Map(failures.map(({ stack, text }) => [stack, [text]]));
  for (const { stack, severity, text, urn } of diagnostics) {
    if (severity === "error" && urn !== undefined && !about.get(stack)?.includes(text))
      about.get(stack)?.push(text);
  }
  return [...about].flatMap(([stack, texts]) => {
    const unseen = failures.filter((fault) => fault.stack === stack);
    const count = unseen.reduce((sum, { people: names }) => sum + names.length, 0);
    const more = texts.length - TEXTS;
    return [
      "",
      `cannot preview stack ${stack}${count === 0 ? "" : ` (${people(count)})`}; no change is made there:`,
      ...texts.slice(0, TEXTS).map((text) => `  ${text}`),
      ...(more > 0 ? [`  and ${counted(more, "error")} more`] : []),
      ...unseen.flatMap(leftAloneInText),
    ];
  });
}

/** How many errors of one stack are shown. */
const TEXTS = 20;

function leftAloneInText({ people: names }: StackFailure): string[] {
  return names.length === 0 ? [] : [`  Not looked at: ${shortList(names)}`];
}

function messagesInText({ diagnostics }: Preview, wanted: "warning"): string[] {
  const texts = new Set(diagnostics.filter(({ severity }) => severity === wanted).map(({ text }) => text));
  return texts.size === 0 ? [] : ["", "Warnings:", ...[...texts].map((text) => `  ${text}`)];
}

/**
 * What a run prints after its plan, which has been printed by then.
 * @param unchanged what is said where nothing of the plan was applied
 */
export function resultToText(result: UpResult, unchanged = "Nothing was changed."): string {
  const { moved = [], rosterEdit, configuredStack } = result;
  const told = outcomeInText(result, unchanged) + rosterEditInText(rosterEdit);
  if (moved.length === 0) return told;
  const configured =
    configuredStack === undefined
      ? ""
      : `The configuration went along, to stack ${configuredStack}. Commit its file Pulumi.${shortStackName(configuredStack)}.yaml.\n`;
  return `The states of ${people(moved.length)} were moved to other stacks, without a call.\n${configured}${told}`;
}

function rosterEditInText(edit: RosterEdit | undefined): string {
  if (edit === undefined) return "";
  const { rosterId, diff, error } = edit;
  const what =
    rosterId === ""
      ? "The stacks are empty and no longer marked as stacks of this roster."
      : "The stacks are marked with an id, by which they know this roster.";
  const next =
    error === undefined
      ? "Commit this change of the roster:"
      : `cannot write the roster: ${error}. Make this change and commit it:`;
  return `\n\n${what} ${next}\n\n${diff}`.trimEnd();
}

function outcomeInText(result: UpResult, unchanged: string): string {
  const { status, preview, applied } = result;
  if (applied === undefined) return unappliedInText(result, unchanged);
  const { results, warnings, cancelled } = applied;
  const told = new Set(results.map(({ text }) => text));
  // What stopped a stack has been told of the person whom it is about.
  const faults = applied.failures.filter(
    ({ text }) => ![...told].some((one) => one !== undefined && text.includes(one)),
  );
  const untold = errorsWithoutResource(preview.diagnostics);
  return [
    ...results.map(describeResult),
    ...(warnings.length === 0 ? [] : ["", "Warnings:", ...warnings.map((text) => `  ${text}`)]),
    ...faults.flatMap((fault) => [
      `\nStack ${fault.stack} did not end well: ${fault.text}`,
      ...leftAloneInText(fault),
    ]),
    ...untold,
    "",
    countsInText(results),
    ...(status === "succeeded" || (results.every(isSettled) && faults.length === 0)
      ? []
      : [nextStep(cancelled)]),
  ].join("\n");
}

function countsInText(verdicts: readonly MemberResult[]): string {
  const count = (wanted: MemberResult["status"]): number =>
    verdicts.filter(({ status }) => status === wanted).length;
  const gone = count("already-gone");
  return [
    `${people(count("succeeded"))} done`,
    ...(gone === 0 ? [] : [`${gone} already gone`]),
    `${count("failed")} failed`,
    `${count("skipped")} skipped.`,
  ].join(", ");
}

function unappliedInText({ status, cancelled }: UpResult, unchanged: string): string {
  if (status === "succeeded") return "";
  if (status === "declined") return "Cancelled. No changes were made.";
  return cancelled ? `It was stopped. ${unchanged}` : unchanged;
}

function nextStep(cancelled: boolean): string {
  return cancelled
    ? "It was stopped; run `orgseat up` again, which goes on from here."
    : "Mend what failed and run `orgseat up` again, which goes on from here.";
}

/** The form of `--json` of every run. */
export function resultToJson({ configuredStack, moved = [], rosterEdit, ...result }: UpResult) {
  const { status, preview, applied, cancelled } = result;
  return {
    status,
    plan: planToJson(preview.plan, preview.violations),
    failures: applied?.failures ?? preview.failures,
    results:
      applied?.results.map(({ text, place, code, ...result }) => ({
        ...result,
        place: place ?? null,
        text: text ?? null,
        code: code ?? null,
      })) ?? [],
    warnings: applied?.warnings ?? [],
    cancelled: cancelled ?? applied?.cancelled ?? false,
    swapped: applied?.swapped ?? false,
    creations: creationsInJson(preview),
    moved,
    rosterEdit: rosterEdit === undefined ? null : { ...rosterEdit, error: rosterEdit.error ?? null },
    configuredStack: configuredStack ?? null,
  };
}

function creationsInJson({ creations }: Preview) {
  return creations.map(({ key, label, stack, time, userId, next }) => ({
    ...{ key, who: label, stack, time, userId: userId ?? null, next },
  }));
}

export function previewToJson(preview: Preview) {
  const { plan, violations, failures, drift, otherChanges, leftOut, moving, rosterNote = null } = preview;
  return {
    ...planToJson(plan, violations),
    failures,
    drift,
    otherChanges,
    leftOut,
    moving,
    creations: creationsInJson(preview),
    rosterNote,
  };
}
