/** The text of the result of one member, in a line. */
import { actions as definitions, operationNames } from "../members/action-table.ts";
import { describeDone, describeOperation, describePlanned } from "../plan/actions.ts";
import {
  type EntryResult,
  isSettled,
  type MemberResult,
  type ResultEntry,
  withoutNote,
} from "../run/member-results.ts";

const titles: Readonly<Record<MemberResult["status"], string>> = {
  succeeded: "ok",
  "already-gone": "gone",
  failed: "failed",
  skipped: "skipped",
};
const TITLE_WIDTH = 7;
/** The columns in front of the names. */
export const RESULT_INDENT = " ".repeat(TITLE_WIDTH + 2);

/** `ok       ada@acme.example  added, seat assigned`; what to check is on a second line. @param width of the names */
export function describeResult(result: MemberResult, width = 0): string {
  const { status, text } = result;
  const title = `${titles[status].padEnd(TITLE_WIDTH)}  ${nameOfResult(result).padEnd(width)}  `;
  if (!isSettled(result)) return title + describeUnfinished(result);
  const note = text === undefined ? "" : `\n${RESULT_INDENT}${text}`;
  return title + describeSettled(result) + note;
}

/** What another run or a person did since the preview is not what this run did. */
function describeSettled({ actions, alreadyGone, entries, withoutTokenMs }: MemberResult): string {
  const gap =
    withoutTokenMs === undefined ? "" : ` (no valid token for ${(withoutTokenMs / 1000).toFixed(1)} s)`;
  const unneeded = alreadyGone.flatMap((action) => operationNames(action));
  const unsent = operationsWith(entries, "not sent").filter((operation) => !unneeded.includes(operation));
  if (actions.every((action) => alreadyGone.includes(action)) || unsent.length === 0)
    return describeDone(withoutNote(actions), alreadyGone) + gap;
  const done = operationsWith(entries, "done").map(describeOperation);
  return [...(done.length === 0 ? [] : [done.join(", ")]), `already done: ${unsent.join(", ")}`].join("; ");
}

/** What was done, what was not, and why. */
function describeUnfinished({ status, actions, entries, text }: MemberResult): string {
  const reason = text === undefined ? [] : [text];
  if (status === "skipped" || entries.length === 0)
    return [describePlanned(actions), ...reason].filter((part) => part !== "").join("; ");
  const others = (["failed", "unknown", "not sent"] as const).flatMap((result) => {
    const unnamed = withoutUpdate(operationsWith(entries, result)).filter(
      (operation) => text === undefined || !(REFUSALS.has(operation) || text.includes(operation)),
    );
    return unnamed.length === 0 ? [] : `${result}: ${unnamed.join(", ")}`;
  });
  const done = operationsWith(entries, "done").map(describeOperation).join(", ");
  return [...(done === "" ? [] : [done]), ...others, ...reason].join("; ");
}

function withoutUpdate(operations: readonly string[]): readonly string[] {
  const others = operations.filter((operation) => operation !== "update state");
  return others.length === 0 ? operations : others;
}

/** The text says what the provider refused, and why. */
const REFUSALS: ReadonlySet<string> = new Set(
  [definitions.refuseToken, definitions.refuseExpiry, definitions.undecided].flatMap(
    ({ inState }) => inState ?? [],
  ),
);

function operationsWith(entries: readonly ResultEntry[], result: EntryResult): string[] {
  return [...new Set(entries.filter((entry) => entry.result === result).map(({ operation }) => operation))];
}

/** The name in a list of results, with the row of the roster unless all is done. */
export function nameOfResult({ who, status, place }: MemberResult): string {
  return status === "succeeded" || place === undefined ? who : `${who} (${place})`;
}
