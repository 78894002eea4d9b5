/** What stands below every display of an operation: messages, outputs, and how much changed. */
import type { EngineEvent } from "../events.ts";
import { stepOps } from "../steps/step.ts";
import { outputsText } from "./diff.ts";
import type { DisplayOptions } from "./options.ts";
import { PropertyPrinter, shownProperties } from "./properties.ts";
import { prefixOf, type Rows } from "./rows.ts";
import { duration } from "./table.ts";
import { colorOf, pastTense, signOf } from "./text.ts";

type Summary = Extract<EngineEvent, { kind: "summary" }>;

/** Messages by resource, the last of all that a person reads of what went wrong. */
export function diagnosticsText(rows: Rows, { paint, urns }: DisplayOptions): string {
  const blocks = [...rows]
    .filter(({ diagnostics }) => diagnostics.length > 0)
    .map((row) => {
      const [first = "", name] = row.names({ urns });
      const title = name === undefined ? `${first}:` : `${first} (${name}):`;
      const lines = row.diagnostics.flatMap((one) => {
        const [head = "", ...rest] = one.message.trimEnd().split("\n");
        return [`    ${prefixOf(one, paint)}${head}`, ...rest.map((line) => `    ${line}`)];
      });
      return `  ${paint("cyan", title)}\n${lines.map((line) => `${line.trimEnd()}\n`).join("")}\n`;
    });
  return blocks.length === 0 ? "" : `${paint("bold", "Diagnostics:")}\n${blocks.join("")}`;
}

/** What the program exports, and how it differs from before. */
export function stackOutputsText(rows: Rows, options: DisplayOptions): string {
  const step = rows.stack?.step;
  if (!step || step.op === "delete" || options.suppressOutputs) return "";
  const { paint, planning, showSecrets, truncate } = options;
  const text = outputsText(step, {
    printer: new PropertyPrinter({ paint, truncate, changesOnly: false }),
    ...{ planning, refresh: false, indent: 1 },
    showSames: options.showSames || !planning,
    mark: "same",
    properties: (all) => shownProperties(all, showSecrets),
  });
  return text === "" ? "" : `${paint("bold", "Outputs:")}\n${text}\n`;
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

/** The configuration, where it was asked for. */
export function configText(
  { config }: Extract<EngineEvent, { kind: "prelude" }>,
  options: DisplayOptions,
): string {
  if (!options.showConfig) return "";
  const lines = Object.entries(config)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `    ${key}: ${value}\n`);
  return `${options.paint("dim", "Configuration:")}\n${lines.join("")}`;
}
