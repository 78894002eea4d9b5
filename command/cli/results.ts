/** The text at the end of a preview or a run. */

import { withCode } from "../../provider/util/error-codes.ts";
import { countedPeople, cut, grouped, limitOf, moreLines, shortList } from "../../provider/util/text.ts";
import { describeAccessEnds } from "../plan/access-ends.ts";
import { describeDrift, describeUnreadTokens, driftInText } from "../plan/drift.ts";
import {
  describeAbsent,
  describeLeftOut,
  describeStopped,
  describeWithheld,
  planDetails,
  planSummary,
  type TextOptions,
} from "../plan/texts/text.ts";
import { byCause, unnamedIn, type Warning } from "../plan/texts/warnings.ts";
import type { Preview } from "../preview/preview.ts";
import { isSettled, type MemberResult } from "../run/member-results.ts";
import type { RosterEdit, UpResult } from "../verbs/up.ts";
import { describeResult, nameOfResult, RESULT_INDENT } from "./result-lines.ts";

/** The text of `orgseat preview`: the summary, then the lists. */
export function previewToText(preview: Preview, options: TextOptions = {}): string {
  const { plan, violations, leftOut, rosterNote, drift } = preview;
  const limit = limitOf(options);
  return [
    ...planSummary(plan),
    ...(plan.isComplete ? [describeDrift(drift), ...describeUnreadTokens(drift)] : []),
    ...(plan.isComplete && drift.members !== null ? driftInText(drift.members, limit) : []),
    ...planDetails(plan, violations, options),
    ...(plan.isComplete ? withheldInText(preview, limit) : []),
    ...(plan.isComplete ? otherChangesInText(preview) : []),
    ...undecidedInText(preview, limit),
    ...(rosterNote === undefined ? [] : ["", rosterNote]),
    ...stoppedInText(preview, limit),
    ...listsInText([...describeAbsent(preview.absent), ...describeAccessEnds(preview.accessEnds)], limit),
    ...(leftOut.length === 0 ? [] : ["", describeLeftOut(shortList(leftOut, limit))]),
    ...warningsInText(preview.warnings, limit),
  ]
    .join("\n")
    .trimStart();
}

function withheldInText({ withheld }: Preview, limit: number): string[] {
  if (withheld.length === 0) return [];
  const { title, lines } = describeWithheld(withheld);
  const shown = lines.map(({ who, what }) => `  ${who}: ${what}`);
  return ["", `${title}:`, ...cut(shown, limit)];
}

function otherChangesInText({ otherChanges }: Preview): string[] {
  if (otherChanges === 0) return [];
  return ["", `In addition, \`orgseat up\` has changes for ${countedPeople(otherChanges)}.`];
}

function listsInText(lists: ReturnType<typeof describeAbsent>, limit: number): string[] {
  return lists.flatMap(({ title, people }) => [
    "",
    `${title} (${grouped(people.length)}): ${shortList(people, limit)}`,
  ]);
}

function stoppedInText({ stopped }: Preview, limit: number): string[] {
  if (stopped.length === 0) return [];
  const lines = stopped.map(({ who, text }) => `  ${who}: ${text}`);
  return ["", `${describeStopped(stopped)}:`, ...cut(lines, limit)];
}

function undecidedInText({ undecided, undecidedOverride }: Preview, limit: number): string[] {
  if (undecided.length === 0) return [];
  const names = shortList(
    undecided.map(({ who }) => who),
    limit,
  );
  return [
    "",
    `If none of these users exist in the service (${names}), add them with \`orgseat up --approve ${undecidedOverride}\`.`,
  ];
}

function warningsInText(warnings: readonly Warning[], limit: number): string[] {
  if (warnings.length === 0) return [];
  const shown = warnings.map((warning) => {
    const people = unnamedIn(warning);
    return `  ${warning.text}${people.length === 0 ? "" : `\n    ${shortList(people, limit)}`}`;
  });
  return ["", "Warnings:", ...cut(shown, limit)];
}

/**
 * The text of a run after its plan, which is printed before.
 * @param unchanged the sentence for a run that applied nothing of the plan
 */
export function resultToText(
  result: UpResult,
  options: TextOptions = {},
  unchanged = "No changes were made.",
): string {
  return outcomeInText(result, options, unchanged) + rosterEditInText(result.rosterEdit);
}

function rosterEditInText(edit: RosterEdit | undefined): string {
  if (edit === undefined) return "";
  const { rosterId, diff, error } = edit;
  const what =
    rosterId === ""
      ? "The stack is empty and no longer marked with the id of this roster."
      : "The stack is marked with the id of this roster.";
  if (error === undefined) return rosterChangeInText(diff, what);
  return rosterChangeInText(diff, `${what} cannot write the roster: ${error}.`, TO_DO);
}

/** What the user does with a change of the roster that a command wrote, or left. */
const WRITTEN = "Commit this roster change:";
export const TO_DO = "Make this roster change and commit it:";

/** A change of the roster as a diff, of every command alike. @param why before the diff */
export function rosterChangeInText(diff: string, why: string, next = WRITTEN): string {
  return diff === "" && next === WRITTEN ? "" : `\n\n${why} ${next}\n\n${diff}`.trimEnd();
}

function outcomeInText(result: UpResult, options: TextOptions, unchanged: string): string {
  const { status, preview, applied } = result;
  if (applied === undefined) return unappliedInText(result, unchanged);
  const { results, warnings, cancelled } = applied;
  const limit = limitOf(options);
  // The result of a person already says why the run failed on that person.
  const isSaid = results.some(({ text }) => text !== undefined && applied.failure?.text.includes(text));
  const failure = isSaid ? undefined : applied.failure;
  const isSettledRun = status === "succeeded" || (results.every(isSettled) && failure === undefined);
  return [
    countsInText(results),
    "",
    ...resultLines(results, options),
    ...(failure === undefined
      ? []
      : [withCode(`\nstack ${failure.stack} failed: ${failure.text}`, failure.code, options.paint)]),
    ...(failure === undefined || failure.people.length === 0
      ? []
      : [`  Skipped: ${shortList(failure.people, limit)}`]),
    ...warningsInText(
      // The preview, which is printed before, has the others.
      warnings.filter(({ text }) => !preview.warnings.some((one) => one.text === text)),
      limit,
    ),
    ...(isSettledRun ? [] : ["", nextStep(cancelled, options.resume)]),
  ].join("\n");
}

/** The results by status, the failed ones first. A reason that several people share is said once, and each list is cut. */
function resultLines(
  results: readonly MemberResult[],
  { paint = (text) => text, ...options }: TextOptions,
): string[] {
  const limit = limitOf(options);
  const causes = [...Map.groupBy(results, ({ status }) => status).values()].map((group) => byCause(group));
  const shown = causes.flatMap((group) => group.slice(0, limit).flatMap(({ all }) => all.slice(0, limit)));
  const width = Math.max(0, ...shown.map((one) => nameOfResult(one).length));
  return causes.flatMap((group) => {
    const left = group.slice(limit).reduce((sum, { all }) => sum + all.length, 0);
    return [
      ...group.slice(0, limit).flatMap(({ text, all }) => {
        const tone = all[0]?.status === "failed" ? "failed" : "other";
        const isShared = all.length > 1 && text !== "";
        const lines = all
          .slice(0, limit)
          .map((one) =>
            isShared
              ? describeResult({ ...one, text: undefined }, width)
              : withCode(describeResult(one, width), one.code, paint),
          );
        const shared = isShared ? [withCode(`${RESULT_INDENT}${text}`, all[0]?.code, paint)] : [];
        const rest = [...moreLines(all.length - limit, RESULT_INDENT), ...shared];
        return [...lines, ...rest].map((line) => paint(line, tone));
      }),
      ...moreLines(left, RESULT_INDENT),
    ];
  });
}

function countsInText(results: readonly MemberResult[]): string {
  const count = (wanted: MemberResult["status"]): number =>
    results.filter(({ status }) => status === wanted).length;
  const gone = count("already-gone");
  return [
    `${grouped(count("succeeded"))} succeeded`,
    ...(gone === 0 ? [] : [`${grouped(gone)} already gone`]),
    `${grouped(count("failed"))} failed`,
    `${grouped(count("skipped"))} skipped`,
  ].join(", ");
}

function unappliedInText({ status, cancelled }: UpResult, unchanged: string): string {
  if (status === "succeeded") return "";
  if (status === "declined") return "Cancelled. No changes were made.";
  return cancelled ? `Interrupted. ${unchanged}` : unchanged;
}

function nextStep(cancelled: boolean, verb = "up"): string {
  const again = `run \`orgseat ${verb}\` again; it resumes where it stopped.`;
  return cancelled ? `Interrupted. ${again.replace("run", "Run")}` : `Fix the errors above and ${again}`;
}
