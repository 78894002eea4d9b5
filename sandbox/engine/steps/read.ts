/** Steps that read: `X.get` in a program, and refresh. */
import type { DeploymentState } from "../deployment/deployment.ts";
import type { ResourceState } from "../deployment/state.ts";
import { deepEqual } from "../diffs.ts";
import {
  type DiffKind,
  type Provider,
  type ProviderDiff,
  ProviderError,
  type ReadResult,
} from "../plugins/provider.ts";
import { isProviderType } from "../urn.ts";
import { unknownSentinel } from "../values.ts";
import { diffRequest, diffResource } from "./diff.ts";
import { answers, base, keepPartialResult, now } from "./make.ts";
import type { Answer, EngineStep, PartialFailure, StepOp } from "./step.ts";

/** Reads a resource that the program does not manage. */
export function readStep(
  deployment: DeploymentState,
  old: ResourceState | undefined,
  state: ResourceState,
  answer: Answer,
  replacing: boolean,
): EngineStep {
  return {
    ...base(replacing ? "read-replacement" : "read", state, !replacing),
    ...(old && { old }),
    new: state,
    ...answers(state, answer),
    apply: () => read(deployment, old, state, replacing),
  };
}

async function read(
  deployment: DeploymentState,
  old: ResourceState | undefined,
  state: ResourceState,
  replacing: boolean,
): Promise<void> {
  let failure: PartialFailure | undefined;
  if (state.id !== unknownSentinel) {
    const provider = deployment.providerOf(state);
    if (!provider) throw new Error(`unknown provider '${state.provider}' for resource ${state.urn}`);
    try {
      const { urn, id, inputs } = state;
      const found = await provider.read({ urn, id, inputs, state: inputs, timeout: state.timeout("read") });
      if (!found.outputs) throw new Error(`resource '${id}' does not exist`);
      state.outputs = found.outputs;
      if (found.id !== "") state.id = found.id;
    } catch (error) {
      failure = keepPartialResult(state, error);
    }
  }
  if (old) {
    state.created = old.created;
    state.modified = old.modified;
    const changed = !deepEqual(state.inputs, old.inputs) || !deepEqual(state.outputs, old.outputs);
    if (changed) state.modified = now();
    if (replacing) {
      old.delete = true;
      deployment.snapshots?.changed(old);
    }
  }
  if (failure) throw failure;
}

/** Updates the state of one resource; without an id in the response the resource does not exist. */
export function refreshStep(deployment: DeploymentState, old: ResourceState): EngineStep {
  // A new state even without changes, because the old one is removed from the file.
  const same = old.copy();
  const step: EngineStep = {
    ...base("refresh", same, false),
    old,
    new: same,
    apply: () => refresh(deployment, step, old),
  };
  return step;
}

async function refresh(deployment: DeploymentState, step: EngineStep, old: ResourceState): Promise<void> {
  step.resultOp = "same";
  if (!old.custom || isProviderType(old.type) || old.pendingReplacement) return;
  const provider = deployment.providerOf(old);
  if (!provider) throw new Error(`unknown provider '${old.provider}' for resource ${old.urn}`);
  const { urn, id, inputs } = old;
  const found = await readForRefresh(deployment, old, () =>
    provider.read({ urn, id, inputs, state: old.outputs, timeout: old.timeout("read") }),
  );
  if (found.id === "" || !found.outputs) {
    delete step.new;
    step.res = old;
    step.resultOp = "delete";
    return;
  }
  const state = old.copy({
    id: found.id,
    initErrors: found.initErrors,
    inputs: found.inputs ?? old.inputs,
    outputs: found.outputs,
  });
  const changed = !deepEqual(state.inputs, old.inputs) || !deepEqual(state.outputs, old.outputs);
  if (changed) state.modified = now();
  step.new = state;
  step.res = state;
  step.resultOp = await resultOf(provider, step, old, state);
}

async function readForRefresh(
  deployment: DeploymentState,
  old: ResourceState,
  call: () => Promise<ReadResult>,
): Promise<ReadResult & { initErrors: string[] }> {
  try {
    return { ...(await call()), initErrors: [] };
  } catch (error) {
    if (!(error instanceof ProviderError) || !error.partial) throw error;
    const { id, properties, inputs, reasons } = error.partial;
    deployment.events.warn(
      old.urn,
      `Refreshed resource is in an unhealthy state:\n* ${reasons.join("\n* ")}`,
    );
    return { id, outputs: properties, inputs, initErrors: reasons };
  }
}

/** Whether a refreshed resource differs from its program, by the provider's comparison. */
async function resultOf(
  provider: Provider,
  step: EngineStep,
  old: ResourceState,
  state: ResourceState,
): Promise<StepOp> {
  if (old.external) return deepEqual(state.outputs, old.outputs) ? "same" : "update";
  const request = diffRequest(state.urn, state, old.inputs, old.ignoreChanges);
  const diff = await diffResource(provider, request);
  step.diffs = diff.changedKeys;
  step.detailed = inverted(diff.detailed);
  return diff.changes ? "update" : "same";
}

/** The comparison goes from the refreshed state to the program; a refresh shows the opposite direction. */
function inverted(detailed: ProviderDiff["detailed"]): ProviderDiff["detailed"] {
  if (!detailed) return undefined;
  const entries = [...detailed].map(([path, diff]) => [path, { ...diff, kind: inverse[diff.kind] }] as const);
  return new Map(entries);
}

const inverse = {
  add: "delete",
  "add-replace": "delete-replace",
  delete: "add",
  "delete-replace": "add-replace",
  update: "update",
  "update-replace": "update-replace",
} as const satisfies Record<DiffKind, DiffKind>;
