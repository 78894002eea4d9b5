/** The state of one resource while an operation runs, and the parts of the line about it. */
import { type ChangeKind, changedProperties, parsePath } from "../diffs.ts";
import type { EngineDiagnostic } from "../events.ts";
import type { EngineStep, StepOp } from "../steps/step.ts";
import { parseUrn, stackType } from "../urn.ts";
import { masked } from "./properties.ts";
import { colorOf, type Paint, type Phase, signOf, wordOf } from "./text.ts";

export interface DisplayOptions {
  write: (text: string) => void;
  paint: Paint;
  stack: string;
  project: string;
  planning: boolean;
  /** What the operation does, such as "updating". */
  action: string;
  /** The title, such as "Updating (dev):". */
  title: string;
  suppressOutputs: boolean;
  suppressProgress: boolean;
}

const counted = ["error", "warning", "info"] as const;
const nouns = { error: "error", warning: "warning", info: "message" };

export class DisplayRow {
  readonly urn: string;
  readonly parent: string;
  step: EngineStep | undefined;
  op: StepOp = "same";
  phase: Phase = "running";
  /** Whether the step has ended. */
  ended = false;
  /** Whether the display leaves the row out. */
  hidden = true;
  /** The step that replaces the resource, once it is known. */
  replaces: EngineStep | undefined;
  readonly diagnostics: EngineDiagnostic[] = [];
  last: EngineDiagnostic | undefined;
  #started = performance.now();
  #stopped: number | undefined;

  constructor(urn: string, parent: string) {
    this.urn = urn;
    this.parent = parent;
  }

  begin(step: EngineStep, planning: boolean): void {
    this.step = step;
    this.op = step.op;
    this.phase = planning ? "preview" : "running";
    this.ended = false;
    if (step.op === "replace") this.replaces = step;
    this.#started = performance.now();
    this.#stopped = undefined;
  }

  end(step: EngineStep, op: StepOp, phase: Phase): void {
    this.step = step;
    this.op = op;
    this.phase = phase;
    this.ended = true;
    if (op === "replace") this.replaces = step;
    this.#stopped = performance.now();
  }

  get errors(): number {
    return this.#count("error");
  }

  #count(severity: (typeof counted)[number]): number {
    return this.diagnostics.filter((one) => one.severity.replace("#err", "") === severity).length;
  }

  /** How many messages of each kind there were. */
  counts(paint: Paint): string {
    const parts = counted.flatMap((severity) => {
      const count = this.#count(severity);
      const noun = severityPaint(paint, severity, `${nouns[severity]}${count === 1 ? "" : "s"}`);
      return count === 0 ? [] : [`${count} ${noun}`];
    });
    return parts.join("; ");
  }

  sign(paint: Paint): string {
    return paint(colorOf(this.op), signOf(this.op));
  }

  /** Type and name of the resource. */
  get names(): [type: string, name: string] {
    const { type, name } = parseUrn(this.urn);
    return [type, name];
  }

  /** @param over whether the whole operation has ended: a step that still runs was interrupted */
  status({ paint, planning }: DisplayOptions, over: boolean): string {
    const { op, phase, step } = this;
    if (!step) return "";
    const isStack = step.type === stackType;
    if (phase === "failed" || (over && !planning && this.errors > 0))
      return paint("red", `**${wordOf(op, "failed")}**`);
    if (isStack && op === "same") return over ? "" : "running";
    if (phase === "running" && over && step.res.custom)
      return paint("yellow", `${wordOf(op, "running")} (interrupted)`);
    // The stack is done when all is.
    const open = isStack && !over && phase === "done";
    const shown = open ? "running" : over && phase === "running" ? "done" : phase;
    const word = withRetained(wordOf(op, shown), step);
    return word === "" ? "" : paint(colorOf(op), planning ? word : `${word}${this.#time(shown)}`);
  }

  #time(phase: Phase): string {
    const seconds = ((this.#stopped ?? performance.now()) - this.#started) / 1000;
    if (phase === "running") return ` (${Math.floor(seconds)}s)`;
    return seconds < 1 ? ` (${seconds.toFixed(2)}s)` : ` (${Math.floor(seconds)}s)`;
  }

  /** What changes, in one bracket. */
  changes(options: DisplayOptions): string {
    const halves: StepOp[] = ["create-replacement", "delete-replaced"];
    const step = halves.includes(this.op) ? (this.replaces ?? this.step) : this.step;
    const text = step ? shortDiff(step, options) : "";
    return text === "" ? "" : `[diff: ${text}]`;
  }
}

function severityPaint(paint: Paint, severity: (typeof counted)[number], text: string): string {
  if (severity === "error") return paint("red", text);
  return severity === "warning" ? paint("yellow", text) : text;
}

export function prefixOf({ severity }: EngineDiagnostic, paint: Paint): string {
  if (severity === "error") return paint("red", "error: ");
  return severity === "warning" ? paint("yellow", "warning: ") : "";
}

/** What changes in the inputs, and changes that no input shows. */
function changesOf(step: EngineStep): Map<string, ChangeKind> {
  const { old, new: now, op, diffs } = step;
  if (!old || !now) return new Map();
  const changes = new Map<string, ChangeKind>();
  if (op !== "same" && op !== "refresh") {
    const all = step.detailed
      ? detailedKeys(step.detailed)
      : changedProperties(masked(old.inputs), masked(now.inputs));
    for (const [key, kind] of all) if (!key.startsWith("__")) changes.set(key, kind);
  }
  for (const key of ["provider", "protect", "taint"] as const)
    if (old[key] !== now[key]) changes.set(key, "update");
  return new Map([...changes].filter(([key]) => diffs.length === 0 || diffs.includes(key)));
}

/** The properties that a structured diff is about. */
function detailedKeys(detailed: NonNullable<EngineStep["detailed"]>): Map<string, ChangeKind> {
  const keys = new Map<string, ChangeKind>();
  for (const [path, { kind }] of [...detailed].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const [key = path, ...inner] = partsOf(path);
    const whole = kind.startsWith("add") ? "add" : kind.startsWith("delete") ? "delete" : "update";
    keys.set(String(key), inner.length > 0 ? "update" : whole);
  }
  return keys;
}

function partsOf(path: string): (string | number)[] {
  try {
    return parsePath(path);
  } catch {
    // A provider may write what is not a path.
    return [path];
  }
}

const kindSigns = { add: ["green", "+"], delete: ["red", "-"], update: ["yellow", "~"] } as const;

/** The changed keys, by the kind of their change. */
function shortDiff(step: EngineStep, { paint }: DisplayOptions): string {
  const changes = [...changesOf(step)];
  return (["add", "delete", "update"] as const)
    .map((kind) => {
      const keys = changes.filter(([, its]) => its === kind).map(([key]) => key);
      const [color, sign] = kindSigns[kind];
      return keys.length > 0 ? paint(color, `${sign}${keys.sort().join(",")}`) : "";
    })
    .join("");
}

/** The text with "[retain]" where the operation leaves a resource behind. */
function withRetained(text: string, { op, old }: EngineStep): string {
  const leaves = ["delete", "replace", "create-replacement", "delete-replaced"].includes(op);
  return leaves && old?.retainOnDelete ? `${text}[retain]` : text;
}
