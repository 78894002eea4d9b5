/** What a run prints at its end, and the exit code that goes with it. */

import { shortStackName } from "../automation/engine/stack-names.ts";
import { driftInWords } from "../automation/plan/drift.ts";
import { creationInWords } from "../automation/plan/earlier-creations.ts";
import { inJson } from "../automation/plan/json.ts";
import { counted, people, shortList } from "../automation/plan/plural.ts";
import { inText, leftOutInWords, movingInWords } from "../automation/plan/words.ts";
import type { Preview, StackFault } from "../automation/preview.ts";
import type { RosterEdit } from "../automation/roster-id.ts";
import type { UpResult } from "../automation/up.ts";
import { errorsWithoutResource, isSettled, type Verdict, verdictInWords } from "../automation/verdicts.ts";

export const exitCodes = { done: 0, failed: 1, waiting: 2, stopped: 3 } as const;

/** @param tellWaiting whether changes that wait have a code of their own */
export function codeOfPreview({ plan, stops, faults, moving }: Preview, tellWaiting: boolean): number {
  if (stops.length > 0) return exitCodes.stopped;
  if (faults.length > 0) return exitCodes.failed;
  return (plan.waits || moving.length > 0) && tellWaiting ? exitCodes.waiting : exitCodes.done;
}

export function codeOfRun({ status }: Pick<UpResult, "status">): number {
  if (status === "stopped") return exitCodes.stopped;
  return status === "done" ? exitCodes.done : exitCodes.failed;
}

/** What `orgseat preview` prints. */
export function previewInText(preview: Preview): string {
  const { plan, stops, leftOut, rosterNote } = preview;
  return [
    inText(plan, stops),
    ...(plan.isComplete ? besideInText(preview) : []),
    ...creationsInText(preview),
    ...(rosterNote === undefined ? [] : ["", rosterNote]),
    ...(leftOut.length === 0 ? [] : ["", leftOutInWords(shortList(leftOut))]),
    ...faultsInText(preview),
    ...messagesInText(preview, "warning"),
    ...(plan.isComplete ? ["", driftInText(preview)] : []),
  ].join("\n");
}

function besideInText({ others, moving }: Preview): string[] {
  return [
    ...(moving.length === 0 ? [] : ["", movingInWords(moving), `  ${shortList(moving)}`]),
    ...(others === 0
      ? []
      : ["", `Beside this, ${people(others)} ${others === 1 ? "waits" : "wait"} for \`orgseat up\`.`]),
  ];
}

function driftInText({ drift }: Preview): string {
  return `Held against the service: ${driftInWords(drift)} (no call lists people, seats or tokens).`;
}

function creationsInText({ creations }: Preview): string[] {
  return creations.length === 0 ? [] : ["", ...creations.map(creationInWords)];
}

function faultsInText({ faults, messages }: Preview): string[] {
  if (faults.length === 0) return [];
  const about = new Map(faults.map(({ stack, text }) => [stack, [text]]));
  for (const { stack, severity, text, urn } of messages) {
    if (severity === "error" && urn !== undefined && !about.get(stack)?.includes(text))
      about.get(stack)?.push(text);
  }
  return [...about].flatMap(([stack, texts]) => {
    const unseen = faults.filter((fault) => fault.stack === stack);
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

function leftAloneInText({ people: names }: StackFault): string[] {
  return names.length === 0 ? [] : [`  Not looked at: ${shortList(names)}`];
}

function messagesInText({ messages }: Preview, wanted: "warning"): string[] {
  const texts = new Set(messages.filter(({ severity }) => severity === wanted).map(({ text }) => text));
  return texts.size === 0 ? [] : ["", "Warnings:", ...[...texts].map((text) => `  ${text}`)];
}

/**
 * What a run prints after its plan, which has been printed by then.
 * @param unchanged what is said where nothing of the plan was applied
 */
export function runInText(result: UpResult, unchanged = "Nothing was changed."): string {
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
  const { verdicts, warnings, cancelled } = applied;
  const told = new Set(verdicts.map(({ text }) => text));
  // What stopped a stack has been told of the person whom it is about.
  const faults = applied.faults.filter(
    ({ text }) => ![...told].some((one) => one !== undefined && text.includes(one)),
  );
  const untold = errorsWithoutResource(preview.messages);
  return [
    ...verdicts.map(verdictInWords),
    ...(warnings.length === 0 ? [] : ["", "Warnings:", ...warnings.map((text) => `  ${text}`)]),
    ...faults.flatMap((fault) => [
      `\nStack ${fault.stack} did not end well: ${fault.text}`,
      ...leftAloneInText(fault),
    ]),
    ...untold,
    "",
    countsInText(verdicts),
    ...(status === "done" || (verdicts.every(isSettled) && faults.length === 0) ? [] : [nextStep(cancelled)]),
  ].join("\n");
}

function countsInText(verdicts: readonly Verdict[]): string {
  const count = (wanted: Verdict["verdict"]): number =>
    verdicts.filter(({ verdict }) => verdict === wanted).length;
  const gone = count("already-gone");
  return [
    `${people(count("done"))} done`,
    ...(gone === 0 ? [] : [`${gone} already gone`]),
    `${count("failed")} failed`,
    `${count("skipped")} skipped.`,
  ].join(", ");
}

function unappliedInText({ status, cancelled }: UpResult, unchanged: string): string {
  if (status === "done") return "";
  if (status === "declined") return "Cancelled. No changes were made.";
  return cancelled ? `It was stopped. ${unchanged}` : unchanged;
}

function nextStep(cancelled: boolean): string {
  return cancelled
    ? "It was stopped; run `orgseat up` again, which goes on from here."
    : "Mend what failed and run `orgseat up` again, which goes on from here.";
}

/** The form of `--json` of every run. */
export function runInJson({ configuredStack, moved = [], rosterEdit, ...result }: UpResult) {
  const { status, preview, applied, cancelled } = result;
  return {
    status,
    plan: inJson(preview.plan, preview.stops),
    faults: applied?.faults ?? preview.faults,
    verdicts:
      applied?.verdicts.map(({ text, place, code, ...verdict }) => ({
        ...verdict,
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

export function previewInJson(preview: Preview) {
  const { plan, stops, faults, drift, others, leftOut, moving, rosterNote = null } = preview;
  return {
    ...inJson(plan, stops),
    faults,
    drift,
    others,
    leftOut,
    moving,
    creations: creationsInJson(preview),
    rosterNote,
  };
}
