/** Makes steps. Each does the same as the Pulumi engine's step of that name. */
import type { DeploymentState } from "../deployment/deployment.ts";
import type { ResourceState } from "../deployment/state.ts";
import { ProviderError } from "../plugins/provider.ts";
import { isProviderType } from "../urn.ts";
import { type DecidedDiff, diffRequest } from "./diff.ts";
import { type Answer, type EngineStep, PartialFailure, ProtectedError, type StepOp } from "./step.ts";

export function now(): string {
  return new Date().toISOString();
}

type Base = Pick<EngineStep, "op" | "urn" | "type" | "res" | "logical" | "keys" | "diffs">;

export function base(op: StepOp, res: ResourceState, logical: boolean): Base {
  return { op, urn: res.urn, type: res.type, res, logical, keys: [], diffs: [] };
}

export function answers(state: ResourceState, answer: Answer | undefined, unknown = false) {
  return {
    complete: () => answer?.({ state, result: "success", ...(unknown && { unknown }) }),
    fail: () => answer?.({ state, result: "fail" }),
    skip: () => answer?.({ state, result: "skip" }),
  };
}

/** Replaces the old state by the new one, without a call. */
export function sameStep(
  deployment: DeploymentState,
  old: ResourceState,
  state: ResourceState,
  answer?: Answer,
  targeted = true,
): EngineStep {
  return {
    ...base("same", state, true),
    old,
    new: state,
    ...answers(state, answer),
    apply: async () => {
      state.id = old.id;
      state.outputs = old.outputs;
      if (isProviderType(state.type) && targeted) await deployment.providers.same(state, old.inputs);
    },
  };
}

/** A resource that the targets or a destroy do not create. */
export function skippedCreateStep(state: ResourceState, answer: Answer): EngineStep {
  return {
    ...base("same", state, true),
    old: state,
    new: state,
    skippedCreate: true,
    ...answers(state, answer, true),
    apply: async () => {},
  };
}

/** The reasons of a step; empty if the engine decided. */
type Reasons = Partial<Pick<DecidedDiff, "replaceKeys" | "changedKeys" | "detailed">>;

function reasons({ replaceKeys = [], changedKeys = [], detailed }: Reasons) {
  return { keys: replaceKeys, diffs: changedKeys, ...(detailed && { detailed }) };
}

interface CreateOptions {
  /** The resource that the new one replaces. */
  replaces?: { old: ResourceState; why: Reasons; deleteLater: boolean };
}

export function createStep(
  deployment: DeploymentState,
  state: ResourceState,
  answer: Answer | undefined,
  { replaces }: CreateOptions = {},
): EngineStep {
  return {
    ...base(replaces ? "create-replacement" : "create", state, !replaces),
    ...(replaces && { old: replaces.old, ...reasons(replaces.why) }),
    new: state,
    ...answers(state, answer),
    apply: async () => {
      const failure = await create(deployment, state);
      state.created = state.modified = now();
      if (replaces?.deleteLater) {
        replaces.old.delete = true;
        deployment.snapshots?.changed(replaces.old);
      }
      if (failure) throw failure;
    },
  };
}

async function create(
  deployment: DeploymentState,
  state: ResourceState,
): Promise<PartialFailure | undefined> {
  const provider = deployment.providerOf(state);
  if (!provider) return undefined;
  const { urn, inputs } = state;
  try {
    const asked = { urn, inputs, preview: deployment.dryRun, timeout: state.timeout("create") };
    const created = await provider.create(asked);
    state.id = created.id;
    state.outputs = created.outputs;
    return undefined;
  } catch (error) {
    if (error instanceof ProviderError && error.partial) state.id = error.partial.id;
    return keepPartialResult(state, error);
  }
}

/** Keeps the outputs of an operation that failed halfway. @throws the error itself if there are none */
export function keepPartialResult(state: ResourceState, error: unknown): PartialFailure {
  if (!(error instanceof ProviderError) || !error.partial) throw error;
  state.outputs = error.partial.properties;
  state.initErrors = error.partial.reasons;
  return new PartialFailure(error.message);
}

export function updateStep(
  deployment: DeploymentState,
  old: ResourceState,
  state: ResourceState,
  answer: Answer,
  why: Reasons,
  ignored: string[],
): EngineStep {
  return {
    ...base("update", state, true),
    old,
    new: state,
    ...reasons({ ...why, replaceKeys: [] }),
    ...answers(state, answer),
    apply: async () => {
      state.id = old.id;
      state.created = old.created;
      state.modified = old.modified;
      const failure = await update(deployment, old, state, ignored);
      if (state.custom) state.modified = now();
      if (failure) throw failure;
    },
  };
}

async function update(
  deployment: DeploymentState,
  old: ResourceState,
  state: ResourceState,
  ignored: string[],
): Promise<PartialFailure | undefined> {
  const provider = deployment.providerOf(state);
  if (!provider) return undefined;
  try {
    state.outputs = await provider.update({
      ...diffRequest(state.urn, old, state.inputs, ignored),
      preview: deployment.dryRun,
      timeout: state.timeout("update"),
    });
    return undefined;
  } catch (error) {
    return keepPartialResult(state, error);
  }
}

/** Shows a replacement as one step; it makes no call. */
export function replaceStep(old: ResourceState, state: ResourceState, why: Reasons = {}): EngineStep {
  return { ...base("replace", state, true), old, new: state, ...reasons(why), apply: async () => {} };
}

/** Removes from the state a resource that an earlier run has deleted for its replacement. */
export function removePendingReplaceStep(old: ResourceState): EngineStep {
  return { ...base("remove-pending-replace", old, false), old, apply: async () => {} };
}

interface DeleteOptions {
  /** The deletion is half of a replacement. */
  replacing?: boolean;
  /** The resource stays in the state until its replacement exists. */
  pendingReplacement?: boolean;
  /** URNs of all deletions of the run, for `deletedWith`. */
  deletions: ReadonlySet<string>;
}

export function deleteStep(
  deployment: DeploymentState,
  old: ResourceState,
  options: DeleteOptions,
): EngineStep {
  const { replacing = false, pendingReplacement = false, deletions } = options;
  const external = replacing ? "discard-replaced" : "discard";
  const owned = replacing ? "delete-replaced" : "delete";
  return {
    ...base(old.external ? external : owned, old, !replacing),
    old,
    apply: async () => {
      const guarded = old.protect;
      if (!replacing && guarded) throw new ProtectedError(protectedMessage(old.urn));
      const untouched = old.external || old.retainOnDelete || deletions.has(old.deletedWith);
      if (!deployment.dryRun && !untouched) {
        const { urn, id, inputs, outputs } = old;
        const asked = { urn, id, inputs, outputs, timeout: old.timeout("delete") };
        await deployment.providerOf(old)?.delete(asked);
      }
      if (pendingReplacement) {
        old.pendingReplacement = true;
        deployment.snapshots?.changed(old);
      }
    },
  };
}

function protectedMessage(urn: string): string {
  return (
    `resource "${urn}" cannot be deleted\nbecause it is protected. To unprotect the resource, either remove the ` +
    "`protect` flag from the resource in your Pulumi program and run `pulumi up`, or use the command:\n" +
    `\`pulumi state unprotect '${urn}'\``
  );
}
