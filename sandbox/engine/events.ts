/** Events of an operation, for displays and event logs. */
import type { EngineStep, StepOp } from "./steps/step.ts";

export type Severity = "debug" | "info" | "info#err" | "warning" | "error";

export interface EngineDiagnostic {
  urn: string;
  message: string;
  severity: Severity;
  /** Only for progress lines: not repeated at the end. */
  ephemeral?: boolean;
}

/** Steps by their operation, as a summary counts them. */
export type ResourceChanges = Partial<Record<StepOp, number>>;

/** The state of a resource after a failure: unchanged, partly changed, or unknown. */
export type FailureStatus = "untouched" | "partial" | "unknown";

export type EngineEvent =
  | { kind: "prelude"; config: Record<string, string> }
  | { kind: "pre"; step: EngineStep; planning: boolean; internal: boolean }
  | { kind: "outputs"; step: EngineStep; op: StepOp; planning: boolean; internal: boolean }
  | { kind: "failed"; step: EngineStep; status: FailureStatus; stepsBefore: number }
  | { kind: "diagnostic"; diagnostic: EngineDiagnostic }
  | { kind: "stdout"; message: string }
  | { kind: "summary"; planning: boolean; changes: ResourceChanges; durationSeconds: number; failed: boolean }
  | { kind: "cancel" };

export type EventListener = (event: EngineEvent) => void;

/** Hands events to every listener, in order. */
export class EventBus {
  readonly #listeners: EventListener[] = [];
  #errors = 0;
  #masked: string[] = [];

  listen(listener: EventListener): void {
    this.#listeners.push(listener);
  }

  emit(event: EngineEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  /** Whether anything was reported as an error. */
  get errored(): boolean {
    return this.#errors > 0;
  }

  /** Masks these texts in every later message: a program may print its configuration. */
  maskTexts(texts: string[]): void {
    // Short texts occur everywhere; the Pulumi CLI leaves them out too.
    this.#masked = texts.filter((text) => text.length > 2);
  }

  diagnose(severity: Severity, urn: string, text: string, ephemeral = false): void {
    if (severity === "error") this.#errors++;
    const message = this.#masked.reduce((masked, secret) => masked.replaceAll(secret, "[secret]"), text);
    this.emit({
      kind: "diagnostic",
      diagnostic: { urn, message, severity, ...(ephemeral && { ephemeral }) },
    });
  }

  warn(urn: string, message: string): void {
    this.diagnose("warning", urn, message);
  }

  error(urn: string, message: string): void {
    this.diagnose("error", urn, message);
  }
}
