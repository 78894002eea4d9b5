/** `--diff`: each step with its properties, old against new, below its resource. */
import type { ResourceState } from "../deployment/state.ts";
import { type ChangeKind, changedKeys, deepEqual } from "../diffs.ts";
import type { EngineEvent } from "../events.ts";
import type { Step, StepOp } from "../steps/step.ts";
import { parseReference, parseUrn, stackType } from "../urn.ts";
import { containsUnknowns, type PropertyMap } from "../values.ts";
import { type DisplayOptions, isShown, withRetained } from "./options.ts";
import { type Mark, PropertyPrinter, shownProperties } from "./properties.ts";
import { colorOf, signOf } from "./text.ts";

/** By the mark that whole properties of such a step get. */
const marks: Partial<Record<StepOp, Mark>> = {
  create: "add",
  "create-replacement": "add",
  delete: "delete",
  "delete-replaced": "delete",
  discard: "delete",
  "discard-replaced": "delete",
};

interface Seen {
  op: StepOp;
  step: Step;
}

export class DiffView {
  readonly #options: DisplayOptions;
  readonly #printer: PropertyPrinter;
  readonly #summary: boolean;
  readonly #seen = new Map<string, Seen>();

  /** @param summary only what changes, as whoever is to decide about a preview wants it */
  constructor(options: DisplayOptions, summary: boolean) {
    this.#options = options;
    this.#summary = summary;
    const { paint, truncate } = options;
    this.#printer = new PropertyPrinter({ paint, truncate: truncate && !summary, changesOnly: summary });
  }

  /** What an event adds; nothing for most. Called at once: the states go on changing. */
  text(event: EngineEvent): string {
    if (event.kind === "pre" && !event.internal) return this.#before(event.step);
    if (event.kind === "outputs" && !event.internal) return this.#after(event.step, event.op, event.planning);
    return "";
  }

  #before(step: Step): string {
    this.#seen.set(step.urn, { op: step.op, step });
    if (step.op === "refresh" || !this.#shows(step, step.op)) return "";
    return this.#header(step, step.op) + (step.op === "same" ? "" : this.#details(step));
  }

  #after(step: Step, op: StepOp, planning: boolean): string {
    const refresh = this.#seen.get(step.urn)?.op === "refresh";
    if (!this.#shows(step, op)) return "";
    if (refresh && op === "update") return this.#header(step, op) + this.#details(step);
    const text = this.#outputs(step, op, planning, refresh);
    const header =
      refresh && (op !== "refresh" || text !== "" || step.type === stackType) ? this.#header(step, op) : "";
    if (this.#options.suppressOutputs || text === "") return header;
    const title = `${"    ".repeat(this.#indent(step) + 1)}--outputs:--`;
    return `${header}${this.#options.paint(colorOf(op), title)}\n${text}`;
  }

  #shows(step: Step, op: StepOp): boolean {
    return isShown(step, op, this.#options) || step.type === stackType;
  }

  /** By how many parents it is shown. */
  #indent({ res }: Step): number {
    let indent = 0;
    for (let parent = this.#seen.get(res.parent); parent; parent = this.#seen.get(parent.step.res.parent)) {
      if (this.#shows(parent.step, parent.op)) indent++;
    }
    return indent;
  }

  #header(step: Step, op: StepOp): string {
    const { paint, urns } = this.#options;
    const indent = this.#indent(step);
    const inner = "    ".repeat(indent + 1);
    const { old, new: now } = step;
    const lock = old?.protect && now && !now.protect ? " 🔓" : old?.protect || now?.protect ? " 🔒" : "";
    const name = urns ? step.urn : step.type;
    const title = `${signOf(op)}${name}: (${withRetained(op, step)})${lock}`;
    const lines = [`${"    ".repeat(indent)}${paint(colorOf(op), title)}`];
    if (old?.id) lines.push(`${inner}[id=${old.id}]`);
    if (!urns) lines.push(`${inner}[urn=${step.urn}]`);
    const provider = step.res.provider;
    if (old && now && old.provider !== now.provider)
      lines.push(`${inner}[provider: ${old.provider} => ${now.provider}]`);
    else if (provider !== "" && parseUrn(parseReference(provider).urn).name !== "default")
      lines.push(`${inner}[provider=${provider}]`);
    return `${lines.join("\n")}\n`;
  }

  #details(step: Step): string {
    const { old, new: now } = step;
    const indent = this.#indent(step) + 1;
    const whole = { indent, mark: marks[step.op] ?? "same", signed: false } as const;
    if (!old && now) return this.#printer.object(this.#of(hasOutputs(now) ? now.outputs : now.inputs), whole);
    if (old && !now) return this.#summary ? "" : this.#printer.object(this.#of(old.inputs), whole);
    if (!old || !now) return "";
    const byOutputs = hasOutputs(now) && !step.detailed;
    const [before, after] = byOutputs ? [old.outputs, now.outputs] : [old.inputs, now.inputs];
    const [olds, news] = [this.#of(before), this.#of(after)];
    if (visibleChanges(olds, news).size === 0)
      return this.#printer.object(news, { indent, mark: "same", signed: true });
    const only = byOutputs || step.diffs.length === 0 ? undefined : step.diffs;
    return this.#printer.diff(olds, news, indent, only);
  }

  /** Outputs that are no inputs, or differ from before. */
  #outputs(step: Step, op: StepOp, planning: boolean, refresh: boolean): string {
    const isStack = step.type === stackType;
    const isRead = op === "read" || op === "read-replacement";
    if ((planning && !refresh && !isRead && !isStack) || (step.old?.initErrors.length ?? 0) > 0) return "";
    const showSames = this.#options.showSames || (!planning && isStack);
    return outputsText(step, {
      ...{ printer: this.#printer, planning, refresh, showSames },
      indent: this.#indent(step) + 1,
      mark: marks[op] ?? "same",
      properties: (all) => this.#of(all),
    });
  }

  #of(properties: PropertyMap): PropertyMap {
    return shownProperties(properties, this.#options.showSecrets);
  }
}

function visibleChanges(olds: PropertyMap, news: PropertyMap): Map<string, ChangeKind> {
  return new Map([...changedKeys(olds, news)].filter(([key]) => !key.startsWith("__")));
}

function hasOutputs(state: ResourceState): boolean {
  return Object.keys(state.outputs).length > 0;
}

interface OutputOptions {
  printer: PropertyPrinter;
  planning: boolean;
  refresh: boolean;
  showSames: boolean;
  indent: number;
  mark: Mark;
  properties: (all: PropertyMap) => PropertyMap;
}

/** A step's outputs as both displays show them. */
export function outputsText({ old, new: now, type }: Step, options: OutputOptions): string {
  const { printer, planning, refresh, showSames, indent, mark, properties } = options;
  const outputs = properties(now?.outputs ?? {});
  const inputs = now?.inputs ?? {};
  const before = properties(old?.outputs ?? {});
  const compared = old !== undefined && Object.keys(before).length > 0;
  const changes = visibleChanges(before, outputs);
  // That a known output may become another is no news.
  const uncertain = [...changes.keys()].filter((key) => containsUnknowns(outputs[key] ?? null));
  const silent = new Set(compared && planning && type === stackType ? uncertain : []);
  for (const key of silent) changes.delete(key);
  if (compared && changes.size === 0 && !showSames) return "";
  const keys = Object.keys({ ...before, ...outputs }).filter((key) => {
    if (key.startsWith("__") || silent.has(key)) return false;
    const isInput = key in inputs && deepEqual(now?.outputs[key] ?? null, inputs[key] ?? null);
    if (isInput && !refresh) return false;
    return !compared || showSames || changes.has(key);
  });
  if (compared && changes.size > 0)
    return printer.diff(before, outputs, indent, keys, Object.keys({ ...before, ...outputs }));
  return printer.object(outputs, { indent, mark, signed: false }, keys);
}
