/** `preview --json`: everything a preview found, as one object. */
import { type ResourceState, writeResource } from "../deployment/state.ts";
import type { EngineEvent, EventListener } from "../events.ts";
import type { Step } from "../steps/step.ts";
import { stackType } from "../urn.ts";
import { toDisplay } from "../values.ts";
import { detailedJson } from "./event-json.ts";
import { type DisplayOptions, isShown } from "./options.ts";

export class PreviewDigest {
  readonly #options: DisplayOptions;
  readonly #steps: ReturnType<PreviewDigest["stepJson"]>[] = [];
  readonly #seen = new Map<string, string>();
  readonly #diagnostics: object[] = [];
  #config: Record<string, string> = {};
  #summary: Extract<EngineEvent, { kind: "summary" }> | undefined;

  constructor(options: DisplayOptions) {
    this.#options = options;
  }

  get listener(): EventListener {
    return (event) => {
      if (event.kind === "prelude") this.#config = event.config;
      else if (event.kind === "summary") this.#summary = event;
      else if (event.kind === "pre" && !event.internal) this.#before(event.step);
      else if (event.kind === "outputs" && !event.internal) this.#refreshed(event);
      else if (event.kind === "diagnostic") this.#diagnose(event);
      else if (event.kind === "stdout") this.#diagnostics.push({ message: event.message, severity: "info" });
    };
  }

  #before(step: Step): void {
    if (!isShown(step, step.op, this.#options) && step.type !== stackType) return;
    this.#seen.set(step.urn, step.op);
    this.#steps.push(this.stepJson(step, step.op));
  }

  /** What a refresh found takes the place of the refresh itself. */
  #refreshed({ step, op }: Extract<EngineEvent, { kind: "outputs" }>): void {
    const found = (op === "update" && step.detailed !== undefined) || op === "delete";
    if (this.#seen.get(step.urn) !== "refresh" || !found) return;
    const index = this.#steps.findIndex(({ urn }) => urn === step.urn);
    this.#steps.splice(index, 1, this.stepJson(step, op));
  }

  #diagnose({
    diagnostic: { urn, message, severity, ephemeral },
  }: Extract<EngineEvent, { kind: "diagnostic" }>): void {
    if (ephemeral || severity === "debug") return;
    const prefix = severity === "error" || severity === "warning" ? `${severity}: ` : "";
    const ended = message.endsWith("\n") ? message : `${message}\n`;
    this.#diagnostics.push({ ...(urn !== "" && { urn }), message: `${prefix}${ended}`, severity });
  }

  stepJson(step: Step, op: string) {
    const { provider } = step.res;
    return {
      op,
      urn: step.urn,
      ...(provider !== "" && { provider }),
      ...(step.old && { oldState: this.#stateJson(step.old) }),
      ...(step.new && { newState: this.#stateJson(step.new) }),
      ...(step.diffs.length > 0 && { diffReasons: step.diffs }),
      ...(step.keys.length > 0 && { replaceReasons: step.keys }),
      detailedDiff: detailedJson(step.detailed, "kind"),
    };
  }

  #stateJson(state: ResourceState): Record<string, unknown> {
    const hidden = this.#options.suppressOutputs && state.type === stackType;
    const { inputs, outputs, ...rest } = writeResource(state, (properties) => toDisplay(properties));
    return hidden
      ? rest
      : { ...rest, ...(inputs !== undefined && { inputs }), ...(outputs !== undefined && { outputs }) };
  }

  toString(): string {
    const digest = {
      ...(Object.keys(this.#config).length > 0 && { config: this.#config }),
      steps: this.#steps,
      ...(this.#diagnostics.length > 0 && { diagnostics: this.#diagnostics }),
      // In nanoseconds, as Go writes a duration.
      duration: Math.round((this.#summary?.durationSeconds ?? 0) * 1e9),
      changeSummary: this.#summary?.changes ?? {},
    };
    return JSON.stringify(digest, null, 4);
  }
}
