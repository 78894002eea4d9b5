/** What the provider's report and the diagnostics say about a method of a step. */

import type { ReportEntry, ReportedFailure } from "../../provider/runtime/run-report.ts";
import type { ErrorCode } from "../../provider/util/error-codes.ts";
import { folded } from "../../provider/util/text.ts";
import type { StackOutcome, StepState } from "../engine/engine.ts";
import {
  methodKey,
  nameOf,
  type Properties,
  replacedKey,
  type Step,
  type StepMethod,
  stepTypeOf,
  typeOf,
} from "../plan/steps/steps.ts";

/** Why a step failed. */
export interface StepFailure {
  /** The sentence of the provider or the engine. */
  readonly text: string;
  /** That of the provider's diagnostic, for an error without a report. */
  readonly code?: ErrorCode | undefined;
  /** What the provider reported; undefined if it failed outside of the provider. */
  readonly failure?: ReportedFailure | undefined;
  /** The user whom it is about, if that is known. */
  readonly userId?: string | undefined;
}

/** The last report of a method; undefined if there is none, or if several fit. */
export function reportEntryOf(
  { type, id, news = {}, madeId }: Step,
  { kind }: StepMethod,
  report: readonly ReportEntry[],
  isFailed: boolean,
): ReportEntry | undefined {
  const fitting = report.filter(
    (entry) =>
      entry.type === type &&
      entry.operation === kind &&
      (kind === "create" ? isAbout(entry, news) : entry.id === id),
  );
  if (kind !== "create" || fitting.length === 1) return fitting.at(-1);
  const ended = fitting.filter((entry) =>
    madeId === undefined ? (entry.result === "failed") === isFailed : entry.id === madeId,
  );
  return ended.length === 1 ? ended[0] : undefined;
}

function isAbout(entry: ReportEntry, news: Properties): boolean {
  const same = (key: "email" | "purpose" | "firstName" | "lastName" | "userId"): boolean => {
    const value = news[key];
    return folded(entry[key] ?? "") === (typeof value === "string" ? folded(value) : "");
  };
  return typeof news.email === "string"
    ? same("email")
    : same("purpose") && same("firstName") && same("lastName") && same("userId");
}

/** Without the words that Pulumi puts before the sentence of a provider. */
export function sentenceIn(text: string): string {
  const lines = text.split("\n").map((line) => line.replace(/^\s*\*?\s*/, "").trim());
  const said = lines.filter((line) => line !== "" && !/^\d+ errors? occurred:$/.test(line));
  return said[0]?.replace(/^(?:\S+ )?(?:creat|updat|delet|replac)ing urn:\S+: /, "").trim() ?? text;
}

/** For a delivered resource, with its name: its provider may not say what failed. */
export function sentenceOf(urn: string, text: string): string {
  const sentence = sentenceIn(text);
  const isDelivered = stepTypeOf(typeOf(urn), urn) === "Delivered";
  return isDelivered ? `cannot deliver ${nameOf(urn)} (${typeOf(urn)}): ${sentence}` : sentence;
}

/** The engine has the state of a deletion under the URN. */
export function statesByOperation(
  steps: readonly Step[],
  byStep: StackOutcome["states"],
): Map<string, StepState> {
  const deleted = steps.filter(({ action }) => action === "delete");
  const removals = new Map(deleted.map((step) => [methodKey(step), replacedKey(step.urn, step.id)]));
  return new Map([...byStep].map(([key, state]) => [removals.get(key) ?? key, state]));
}
