/** The rows of an operation: one for each resource, updated by events. */
import type { EngineDiagnostic, EngineEvent } from "../events.ts";
import type { EngineStep, StepOp } from "../steps/step.ts";
import { parseUrn, stackUrn } from "../urn.ts";
import { type DisplayOptions, DisplayRow } from "./row.ts";

/** A row for each resource of which an event was received. */
export class Rows {
  readonly #options: DisplayOptions;
  readonly #rows = new Map<string, DisplayRow>();

  constructor(options: DisplayOptions) {
    this.#options = options;
  }

  get rootUrn(): string {
    return stackUrn(this.#options.stack, this.#options.project);
  }

  [Symbol.iterator](): IterableIterator<DisplayRow> {
    return this.#rows.values();
  }

  get stack(): DisplayRow | undefined {
    return this.#rows.get(this.rootUrn);
  }

  #row(urn: string, parent = ""): DisplayRow {
    const known = this.#rows.get(urn);
    if (known) return known;
    const row = new DisplayRow(urn, parent);
    this.#rows.set(urn, row);
    return row;
  }

  /** Applies an event. @returns the row to print, if any */
  update(event: EngineEvent): DisplayRow | undefined {
    switch (event.kind) {
      case "pre":
        return event.internal ? undefined : this.#begin(event.step, event.planning);
      case "outputs":
        return event.internal ? undefined : this.#end(event.step, event.op, event.planning);
      case "failed": {
        const row = this.#row(event.step.urn, event.step.res.parent);
        row.end(event.step, event.step.op, "failed");
        row.hidden = false;
        return row;
      }
      case "diagnostic":
        return this.#diagnose(event.diagnostic);
      default:
        return undefined;
    }
  }

  #begin(step: EngineStep, planning: boolean): DisplayRow | undefined {
    if (reads.includes(step.op)) return this.#noteRead(step);
    const row = this.#row(step.urn, step.res.parent);
    row.begin(step, planning);
    if (isWorthShowing(step, step.op)) row.hidden = false;
    return row.hidden ? undefined : row;
  }

  #end(step: EngineStep, op: StepOp, planning: boolean): DisplayRow | undefined {
    if (reads.includes(op)) return undefined;
    const row = this.#row(step.urn, step.res.parent);
    const refreshed = row.op === "refresh";
    row.end(step, op, planning && op !== "refresh" ? "preview" : "done");
    if (isWorthShowing(step, op) || step.urn === this.rootUrn) row.hidden = false;
    // A preview prints a step when it begins, a component has no operation, and the stack ends last.
    const isNews = refreshed || (!planning && step.res.custom && op !== "same");
    return isNews && !row.hidden ? row : undefined;
  }

  /** A read is a passing message of the stack. */
  #noteRead({ op, urn }: EngineStep): DisplayRow | undefined {
    if (op !== "read") return undefined;
    const { type, name } = parseUrn(urn);
    return this.#diagnose({ urn: "", message: `read ${type} ${name}`, severity: "info", ephemeral: true });
  }

  #diagnose(diagnostic: EngineDiagnostic): DisplayRow | undefined {
    if (diagnostic.severity === "debug" || diagnostic.message.trim() === "") return undefined;
    const row = this.#row(diagnostic.urn || this.rootUrn);
    row.last = diagnostic;
    row.hidden = false;
    if (!diagnostic.ephemeral) row.diagnostics.push(diagnostic);
    return row;
  }
}

const reads: StepOp[] = ["read", "read-replacement", "discard"];

function isWorthShowing({ old, new: now }: EngineStep, op: StepOp): boolean {
  return op !== "same" || (old !== undefined && now !== undefined && old.protect !== now.protect);
}
