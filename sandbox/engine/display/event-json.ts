/** Engine events in the JSON of Pulumi's event logs, as the Automation API reads them. */
import type { ResourceState } from "../deployment/state.ts";
import type { EngineDiagnostic, EngineEvent, EventListener, FailureStatus } from "../events.ts";
import type { EngineStep, StepOp } from "../steps/step.ts";
import { toEvent } from "../values.ts";

function stateJson(state: ResourceState | undefined) {
  if (!state) return null;
  return {
    type: state.type,
    urn: state.urn,
    ...(state.custom && { custom: true }),
    ...(state.delete && { delete: true }),
    id: state.id,
    parent: state.parent,
    ...(state.protect && { protect: true }),
    ...(state.taint && { taint: true }),
    ...(state.external && { external: true }),
    ...(state.retainOnDelete && { retainOnDelete: true }),
    inputs: toEvent(state.inputs),
    outputs: toEvent(state.outputs),
    provider: state.provider,
    ...(state.initErrors.length > 0 && { initErrors: state.initErrors }),
  };
}

function metadata(step: EngineStep, op: StepOp) {
  return {
    op,
    urn: step.urn,
    type: step.type,
    old: stateJson(step.old),
    new: stateJson(step.new),
    ...(step.keys.length > 0 && { keys: step.keys }),
    ...(step.diffs.length > 0 && { diffs: step.diffs }),
    detailedDiff: detailedJson(step.detailed),
    ...(step.logical && { logical: true }),
    provider: step.res.provider,
  };
}

function detailedJson(detailed: EngineStep["detailed"]) {
  if (!detailed) return null;
  const sorted = [...detailed].sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(
    sorted.map(([path, { kind, inputDiff }]) => [path, { diffKind: kind, inputDiff }]),
  );
}

const statusCodes = { untouched: 0, partial: 1, unknown: 2 } as const satisfies Record<FailureStatus, number>;

function payload(event: EngineEvent, maybeCorrupt: boolean): Record<string, unknown> | undefined {
  switch (event.kind) {
    case "prelude":
      return { preludeEvent: { config: event.config } };
    case "pre":
      return {
        resourcePreEvent: {
          metadata: metadata(event.step, event.step.op),
          ...(event.planning && { planning: true }),
        },
      };
    case "outputs":
      return {
        resOutputsEvent: {
          metadata: metadata(event.step, event.op),
          ...(event.planning && { planning: true }),
        },
      };
    case "failed":
      return {
        resOpFailedEvent: {
          metadata: metadata(event.step, event.step.op),
          status: statusCodes[event.status],
          steps: event.stepsBefore,
        },
      };
    case "diagnostic":
      return diagnosticJson(event.diagnostic);
    case "summary":
      return summaryJson(event, maybeCorrupt);
    case "stdout":
      return { stdoutEvent: { message: event.message, color: "never" } };
    case "cancel":
      return { cancelEvent: {} };
  }
}

function diagnosticJson({ urn, message, severity, ephemeral }: EngineDiagnostic) {
  // The SDK's debug messages contain all properties, secrets included.
  if (severity === "debug") return undefined;
  const prefix = severity === "error" || severity === "warning" ? `${severity}: ` : "";
  return {
    diagnosticEvent: {
      ...(urn !== "" && { urn }),
      ...(prefix !== "" && { prefix }),
      message: message.endsWith("\n") ? message : `${message}\n`,
      color: "never",
      severity,
      ...(ephemeral && { ephemeral }),
    },
  };
}

function summaryJson(event: Extract<EngineEvent, { kind: "summary" }>, maybeCorrupt: boolean) {
  return {
    summaryEvent: {
      maybeCorrupt,
      durationSeconds: Math.ceil(event.durationSeconds),
      resourceChanges: event.changes,
      PolicyPacks: {},
      isPreview: event.planning,
      result: event.failed ? "failed" : "succeeded",
    },
  };
}

/** A receiver of the event log. */
export interface EventSink {
  write: (line: string) => void;
  /** Resolves when everything has arrived. */
  close: () => Promise<void>;
}

/** Writes each event as one line of JSON. */
export function eventLines(write: (line: string) => void): EventListener {
  let sequence = 0;
  let maybeCorrupt = false;
  return (event) => {
    if (event.kind === "failed" && event.status === "unknown") maybeCorrupt = true;
    const content = payload(event, maybeCorrupt);
    if (!content) return;
    const stamp = { sequence: sequence++, timestamp: Math.floor(Date.now() / 1000) };
    write(JSON.stringify({ ...stamp, ...content }));
  };
}
