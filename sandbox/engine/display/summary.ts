/** The text below the steps of an operation: messages, outputs, and how much changed. */
import { changedProperties } from "../diffs.ts";
import type { EngineEvent } from "../events.ts";
import { type EngineStep, stepOps } from "../steps/step.ts";
import { containsUnknowns } from "../values.ts";
import { masked, PropertyPrinter } from "./properties.ts";
import { type DisplayOptions, prefixOf } from "./row.ts";
import type { Rows } from "./rows.ts";
import { duration } from "./table.ts";
import { colorOf, pastTense, signOf } from "./text.ts";

type Summary = Extract<EngineEvent, { kind: "summary" }>;

/** Messages by resource. */
export function diagnosticsText(rows: Rows, { paint }: DisplayOptions): string {
  const blocks = [...rows]
    .filter(({ diagnostics }) => diagnostics.length > 0)
    .map((row) => {
      const [type, name] = row.names;
      const lines = row.diagnostics.flatMap((one) => {
        const [head = "", ...rest] = one.message.trimEnd().split("\n");
        return [`    ${prefixOf(one, paint)}${head}`, ...rest.map((line) => `    ${line}`)];
      });
      return `  ${paint("cyan", `${type} (${name}):`)}\n${lines.map((line) => `${line.trimEnd()}\n`).join("")}\n`;
    });
  return blocks.length === 0 ? "" : `${paint("bold", "Diagnostics:")}\n${blocks.join("")}`;
}

/** The stack's outputs, and how they differ from before. */
export function stackOutputsText(rows: Rows, options: DisplayOptions): string {
  const step = rows.stack?.step;
  if (!step || step.op === "delete" || options.suppressOutputs) return "";
  const text = outputsText(step, options);
  return text === "" ? "" : `${options.paint("bold", "Outputs:")}\n${text}\n`;
}

/** All outputs after an update; of a preview only those that change. */
function outputsText({ old, new: now }: EngineStep, { paint, planning }: DisplayOptions): string {
  const printer = new PropertyPrinter(paint);
  const [before, after] = [masked(old?.outputs ?? {}), masked(now?.outputs ?? {})];
  if (Object.keys(before).length === 0) return printer.object(after);
  const changes = changedProperties(before, after);
  // A known output that may change is not worth a line of a preview.
  const uncertain = planning ? [...changes.keys()].filter((key) => containsUnknowns(after[key] ?? null)) : [];
  for (const key of uncertain) changes.delete(key);
  if (changes.size === 0) return planning ? "" : printer.object(after);
  const all = Object.keys({ ...before, ...after });
  return printer.diff(before, after, planning ? [...changes.keys()] : all);
}

const uncounted = ["same", "read", "discard", "read-replacement"];

export function summaryText(event: Summary, errored: number, { paint }: DisplayOptions): string {
  const changed = stepOps.filter((op) => event.changes[op] && !uncounted.includes(op));
  const counts = changed.map((op) => {
    const word = event.planning ? `to ${op}` : pastTense(op);
    return `    ${paint(colorOf(op), `${signOf(op)}${event.changes[op] ?? 0} ${word}`)}\n`;
  });
  const total = changed.reduce((sum, op) => sum + (event.changes[op] ?? 0), 0);
  const pieces = [
    ...(changed.length >= 2 ? [paint("bold", `${total} change${total === 1 ? "" : "s"}`)] : []),
    ...(event.changes.same ? [`${event.changes.same} unchanged`] : []),
  ];
  const seconds = Math.max(1, Math.ceil(event.durationSeconds));
  return [
    `${paint("bold", "Resources:")}\n`,
    ...counts,
    ...(pieces.length > 0 ? [`    ${pieces.join(". ")}\n`] : []),
    ...(errored > 0 ? [`    ${paint("red", `${errored} errored`)}\n`] : []),
    ...(event.planning ? [] : [`\n${paint("bold", "Duration:")} ${duration(seconds)}\n`]),
  ].join("");
}
