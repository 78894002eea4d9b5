/** The guard of `up --plan`: refuses a plan that is not the approved one. */
import { counted } from "../../../../provider/util/text.ts";
import { differenceOf, type PlanDifference, type PlanDocument, shortDigest } from "../document.ts";
import type { Violation } from "./violation.ts";

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
      guard: "plan",
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
  allowRemovals: "override",
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
