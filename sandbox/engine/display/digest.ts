/** `preview --json`: everything a preview found, as one object. */
import { type ResourceState, writeResource } from "../deployment/state.ts";
import type { EngineEvent, EventListener } from "../events.ts";
import type { Step } from "../steps/step.ts";
import { toDisplay } from "../values.ts";
import { detailedJson } from "./event-json.ts";

function stateJson(state: ResourceState) {
  return writeResource(state, (properties) => toDisplay(properties));
}

function stepJson(step: Step, op: string) {
  return {
    op,
    urn: step.urn,
    ...(step.res.provider !== "" && { provider: step.res.provider }),
    ...(step.old && { oldState: stateJson(step.old) }),
    ...(step.new && { newState: stateJson(step.new) }),
    ...(step.diffs.length > 0 && { diffReasons: step.diffs }),
    ...(step.keys.length > 0 && { replaceReasons: step.keys }),
    detailedDiff: detailedJson(step.detailed, "kind"),
  };
}

export class PreviewDigest {
  readonly #steps = new Map<string, ReturnType<typeof stepJson>>();
  readonly #diagnostics: object[] = [];
  #config: Record<string, string> = {};
  #summary: Extract<EngineEvent, { kind: "summary" }> | undefined;

  get listener(): EventListener {
    return (event) => {
      if (event.kind === "prelude") this.#config = event.config;
      else if (event.kind === "summary") this.#summary = event;
      else if (event.kind === "pre" && !event.internal) this.#add(event.step, event.step.op);
      else if (event.kind === "outputs" && event.step.op === "refresh") this.#add(event.step, event.op);
      else if (event.kind === "diagnostic") this.#diagnose(event);
    };
  }

  #add(step: Step, op: string): void {
    // Unchanged resources are left out, all but the stack itself.
    if (op === "same" && step.type !== "pulumi:pulumi:Stack") return;
    this.#steps.set(`${step.urn} ${step.op}`, stepJson(step, op));
  }

  #diagnose({
    diagnostic: { urn, message, severity, ephemeral },
  }: Extract<EngineEvent, { kind: "diagnostic" }>) {
    if (ephemeral || severity === "debug") return;
    const prefix = severity === "error" || severity === "warning" ? `${severity}: ` : "";
    this.#diagnostics.push({ ...(urn !== "" && { urn }), message: `${prefix}${message}\n`, severity });
  }

  toString(): string {
    const digest = {
      config: this.#config,
      steps: [...this.#steps.values()],
      ...(this.#diagnostics.length > 0 && { diagnostics: this.#diagnostics }),
      // In nanoseconds, as Go writes a duration.
      duration: Math.round((this.#summary?.durationSeconds ?? 0) * 1e9),
      changeSummary: this.#summary?.changes ?? {},
    };
    return JSON.stringify(digest, null, 4);
  }
}
