/** The display of an operation: one line a step as it happens, then messages, outputs and a summary. */
import { type ChangeKind, changedKeys, parsePath } from "../diffs.ts";
import type { Diagnostic, EngineEvent, EventListener } from "../events.ts";
import { type Step, type StepOp, stepOps } from "../steps/step.ts";
import { parseUrn, stackType } from "../urn.ts";
import { type PropertyMap, Secret } from "../values.ts";
import { renderDiff, renderOutputs } from "./properties.ts";
import { colorOf, type Paint, type Phase, pastTense, signOf, wordOf } from "./text.ts";

export interface ProgressOptions {
  write: (text: string) => void;
  paint: Paint;
  stack: string;
  project: string;
  planning: boolean;
  /** The title, such as "Updating (dev):". */
  title: string;
  showSecrets: boolean;
  /** Show every changed property under its resource. */
  diff: boolean;
  showSames: boolean;
  suppressOutputs: boolean;
}

export class ProgressDisplay {
  readonly #options: ProgressOptions;
  readonly #started = new Map<string, number>();
  readonly #diagnostics = new Map<string, Diagnostic[]>();
  readonly #lastStatus = new Map<string, string>();
  #stackStep: Step | undefined;
  /** Resources with errors; the stack is one of them. */
  readonly #errored = new Set<string>();

  constructor(options: ProgressOptions) {
    this.#options = options;
    options.write(`${options.paint("magenta", options.title)}\n\n`);
  }

  get listener(): EventListener {
    return (event) => this.#handle(event);
  }

  #handle(event: EngineEvent): void {
    switch (event.kind) {
      case "pre":
        if (!event.internal) this.#started.set(event.step.urn, performance.now());
        if (!event.internal) this.#step(event.step, event.step.op, event.planning ? "preview" : "running");
        break;
      case "outputs":
        if (!event.internal) this.#step(event.step, event.op, event.planning ? "preview" : "done");
        break;
      case "failed":
        this.#errored.add(event.step.urn);
        this.#step(event.step, event.step.op, "failed");
        break;
      case "diagnostic":
        this.#diagnostic(event.diagnostic);
        break;
      case "summary":
        this.#end(event);
        break;
      default:
    }
  }

  #step(step: Step, op: StepOp, phase: Phase): void {
    if (step.type === stackType) this.#stackStep = step;
    const unchanged = op === "same" || (op === "refresh" && phase === "done");
    if (unchanged && !this.#options.showSames && phase !== "failed") return;
    const { paint } = this.#options;
    const { type, name } = parseUrn(step.urn);
    const word = phase === "failed" ? paint("red", `**${wordOf(op, phase)}**`) : wordOf(op, phase);
    const status = `${word}${this.#time(step, phase)}${shortDiff(step)}`;
    if (this.#lastStatus.get(step.urn) === `${op} ${status}`) return;
    this.#lastStatus.set(step.urn, `${op} ${status}`);
    this.#options.write(` ${paint(colorOf(op), signOf(op))} ${type} ${name} ${status}\n`);
    if (this.#options.diff && phase !== "running" && step.op !== "replace") {
      this.#options.write(renderDiff(step, paint, this.#options.showSecrets));
    }
  }

  #time(step: Step, phase: Phase): string {
    if (phase === "running") return " (0s)";
    if (phase === "preview") return "";
    const started = this.#started.get(step.urn);
    if (started === undefined) return "";
    const seconds = (performance.now() - started) / 1000;
    return seconds < 1 ? ` (${seconds.toFixed(2)}s)` : ` (${Math.floor(seconds)}s)`;
  }

  #diagnostic(diagnostic: Diagnostic): void {
    if (diagnostic.severity === "debug" || diagnostic.message.trim() === "") return;
    const key = diagnostic.urn || this.#rootUrn;
    if (diagnostic.severity === "error") this.#errored.add(key);
    if (!diagnostic.ephemeral) {
      const list = this.#diagnostics.get(key) ?? [];
      list.push(diagnostic);
      this.#diagnostics.set(key, list);
    }
    const { type, name } = parseUrn(key);
    const [first = ""] = diagnostic.message.trim().split("\n");
    this.#options.write(`    ${type} ${name}  ${this.#prefix(diagnostic)}${first}\n`);
  }

  get #rootUrn(): string {
    const { stack, project } = this.#options;
    return `urn:pulumi:${stack}::${project}::${stackType}::${project}-${stack}`;
  }

  #prefix({ severity }: Diagnostic): string {
    const { paint } = this.#options;
    if (severity === "error") return paint("red", "error: ");
    return severity === "warning" ? paint("yellow", "warning: ") : "";
  }

  #end(event: Extract<EngineEvent, { kind: "summary" }>): void {
    const { write, paint } = this.#options;
    this.#writeDiagnostics();
    this.#writeOutputs();
    write(`${paint("bold", "Resources:")}\n`);
    const changed = stepOps.filter(
      (op) => event.changes[op] && !["same", "read", "discard", "read-replacement"].includes(op),
    );
    let total = 0;
    for (const op of changed) {
      const count = event.changes[op] ?? 0;
      total += count;
      const word = event.planning ? `to ${op}` : pastTense(op);
      write(`    ${paint(colorOf(op), `${signOf(op)}${count} ${word}`)}\n`);
    }
    const pieces: string[] = [];
    if (changed.length >= 2) pieces.push(`${total} change${total === 1 ? "" : "s"}`);
    if (event.changes.same) pieces.push(`${event.changes.same} unchanged`);
    if (pieces.length > 0) write(`    ${pieces.join(". ")}\n`);
    if (this.#errored.size > 0) write(`    ${this.#errored.size} errored\n`);
    write("\n");
    if (!event.planning) write(`${paint("bold", "Duration:")} ${duration(event.durationSeconds)}\n\n`);
  }

  #writeDiagnostics(): void {
    if (this.#diagnostics.size === 0) return;
    const { write, paint } = this.#options;
    write(`${paint("bold", "Diagnostics:")}\n`);
    for (const [urn, diagnostics] of this.#diagnostics) {
      const { type, name } = parseUrn(urn);
      write(`  ${paint("cyan", `${type} (${name}):`)}\n`);
      for (const diagnostic of diagnostics) {
        const lines = diagnostic.message.trimEnd().split("\n");
        write(
          `${lines.map((line, index) => `    ${index === 0 ? this.#prefix(diagnostic) : ""}${line}`).join("\n")}\n`,
        );
      }
      write("\n");
    }
  }

  #writeOutputs(): void {
    const step = this.#stackStep;
    if (!step || step.op === "delete" || this.#options.suppressOutputs) return;
    const olds = step.op === "create" || !step.old ? {} : step.old.outputs;
    const news = step.new?.outputs ?? {};
    const text = renderOutputs(olds, news, this.#options);
    if (text !== "") this.#options.write(`${this.#options.paint("bold", "Outputs:")}\n${text}\n`);
  }
}

function duration(seconds: number): string {
  const whole = Math.max(1, Math.round(seconds));
  return whole < 60 ? `${whole}s` : `${Math.floor(whole / 60)}m${whole % 60}s`;
}

/** Which inputs a step changes, in one bracket. */
function shortDiff(step: Step): string {
  if (!step.old || !step.new || step.op === "same" || step.op === "refresh") return "";
  const changes = step.detailed
    ? toldKeys(step.detailed)
    : changedKeys(visible(step.old.inputs), visible(step.new.inputs));
  const wanted = [...changes].filter(([key]) => step.diffs.length === 0 || step.diffs.includes(key));
  if (wanted.length === 0) return "";
  const signs = { add: "+", delete: "-", update: "~" } as const;
  const groups = Object.entries(signs).map(([kind, sign]) => {
    const keys = wanted.filter(([, its]) => its === kind).map(([key]) => key);
    return keys.length > 0 ? sign + keys.join(",") : "";
  });
  return ` [diff: ${groups.join("")}]`;
}

function partsOf(path: string): (string | number)[] {
  try {
    return parsePath(path);
  } catch {
    // A provider may write what is no path.
    return [path];
  }
}

/** The properties that a structured diff is about. */
function toldKeys(detailed: NonNullable<Step["detailed"]>): Map<string, ChangeKind> {
  const keys = new Map<string, ChangeKind>();
  for (const [path, { kind }] of [...detailed].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const [key = path, ...inner] = partsOf(path);
    const whole = kind.startsWith("add") ? "add" : kind.startsWith("delete") ? "delete" : "update";
    keys.set(String(key), inner.length > 0 ? "update" : whole);
  }
  return keys;
}

/** What may be told of inputs: nothing of Pulumi's own, and of secrets only that there is one. */
function visible(properties: PropertyMap): PropertyMap {
  const entries = Object.entries(properties).filter(([key]) => !key.startsWith("__"));
  return Object.fromEntries(
    entries.map(([key, value]) => [key, value instanceof Secret ? "[secret]" : value]),
  );
}
