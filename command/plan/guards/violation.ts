/** The finding of a guard: one reason why a run does not begin. */

import type { ErrorCode } from "../../../provider/util/error-codes.ts";
import { counted, countedPeople } from "../../../provider/util/text.ts";
import { differenceOf, type PlanDifference, type PlanDocument, shortDigest } from "../document.ts";
import type { Member } from "../members.ts";

/** The names of the guards, which are error codes. */
export const guardNames = [
  "plan-changed",
  "wrong-organization",
  "another-roster",
  "other-resources",
  "missing-roster-id",
  "unrelated-roster",
  "new-stack",
  "empty-roster",
  "short-roster",
  "address-in-use",
  "wrong-user-id",
  "machine-user-exists",
  "foreign-key",
  "unsealed-token",
  "protected-person",
  "administrator-removal",
  "removal-limit",
  "no-seats",
] as const satisfies readonly ErrorCode[];

export interface Violation {
  readonly guard: (typeof guardNames)[number];
  /** The reason and what to do next, without names of people. */
  readonly text: string;
  /** The emails or purposes of the people that it is about. */
  readonly people: readonly string[];
  /** The same with the reason for each, if the reasons differ: one line per person. */
  readonly details?: readonly string[] | undefined;
  /** The value of `--approve` that allows exactly this plan, if there is one and nothing else blocks the plan. */
  readonly override: string | undefined;
}

export function violation(
  guard: Violation["guard"],
  text: string,
  about: readonly Member[] = [],
  override?: string,
): Violation[] {
  return [{ guard, text, people: about.map(({ label }) => label), override }];
}

/** One with a reason for each person; none without people. @param textOf what it says of their number */
export function violationAbout(
  guard: Violation["guard"],
  found: readonly { readonly member: Member; readonly detail: string }[],
  textOf: (people: string, isOne: boolean) => string,
  override?: string,
): Violation[] {
  if (found.length === 0) return [];
  const text = textOf(countedPeople(found.length), found.length === 1);
  const people = found.map(({ member }) => member.label);
  return [{ guard, text, people, details: found.map(({ detail }) => detail), override }];
}

/** The violations with the advice to pass an override, which is given only where the override allows the whole plan. */
export function withOverrideAdvice(violations: readonly Violation[]): Violation[] {
  const isEnough = violations.every(({ override }) => override !== undefined);
  return violations.map((one) => {
    if (one.override === undefined) return one;
    const purpose =
      one.guard === "machine-user-exists"
        ? "If it is another machine user,"
        : "To remove exactly these people,";
    const advice = isEnough
      ? `${purpose} run again with --approve ${one.override}`
      : "No override allows this plan: first correct the other violations.";
    return { ...one, text: `${one.text} ${advice}`, override: isEnough ? one.override : undefined };
  });
}

/** @param approved undefined if any plan may be applied */
export function changedPlan(approved: PlanDocument | undefined, current: PlanDocument): Violation[] {
  const difference = approved && differenceOf(approved, current);
  if (approved === undefined || difference === undefined) return [];
  const { added, changed, missing, fields } = difference;
  const lines = [...linesOf("added", added), ...linesOf("changed", changed), ...linesOf("missing", missing)];
  const parts = [
    ...(lines.length === 0 ? [] : [counted(lines.length, "entry", "entries")]),
    ...(fields.length === 0 ? [] : [`different ${fields.map((name) => LABELS[name] ?? name).join(", ")}`]),
  ];
  return [
    {
      guard: "plan-changed",
      text: `the plan changed since its approval: ${parts.join("; ")}. Approved: ${shortDigest(approved)}. Now: ${shortDigest(current)}. Run \`orgseat preview --plan FILE\` again and have the new plan approved.`,
      people: lines.map(({ name }) => name),
      details: lines.map(({ text }) => text),
      override: undefined,
    },
  ];
}

/** How the text calls fields whose names do not say it. */
const LABELS: Readonly<Record<string, string>> = {
  rosterId: "roster id",
  organizationId: "organization",
  isApplicable: "result of the guards",
  approve: "override",
};

function linesOf(
  what: "added" | "changed" | "missing",
  entries: PlanDifference["added"],
): { readonly name: string; readonly text: string }[] {
  return entries.map(({ who, operation, urn }) => ({
    name: `${what} ${urn} ${operation}`,
    text: `${what}: ${who}: ${operation}`,
  }));
}
