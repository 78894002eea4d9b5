/** A step: one operation of the engine on one resource. */
import type { ResourceState } from "../deployment/state.ts";
import type { ProviderDiff } from "../plugins/provider.ts";

/** Every kind of step, in the order in which a summary names them. */
export const stepOps = [
  "same",
  "create",
  "update",
  "delete",
  "replace",
  "create-replacement",
  "delete-replaced",
  "read",
  "read-replacement",
  "refresh",
  "discard",
  "discard-replaced",
  "remove-pending-replace",
] as const;

export type StepOp = (typeof stepOps)[number];

/** The answer to a registration. */
export interface RegisterResult {
  state: ResourceState;
  result: "success" | "fail" | "skip";
  /** The resource was left out of the operation: its outputs are not known. */
  unknown?: boolean;
}

export type Answer = (result: RegisterResult) => void;

export interface EngineStep {
  op: StepOp;
  urn: string;
  type: string;
  /** The state the step works on: the new one if there is one. */
  res: ResourceState;
  old?: ResourceState;
  new?: ResourceState;
  /** Counts as its own change: the halves of a replacement do not. */
  logical: boolean;
  /** Keys that caused a replacement. */
  keys: string[];
  /** Keys that changed, where the provider or the engine named them. */
  diffs: string[];
  /** The changes by property path, where the provider or the engine named them. */
  detailed?: ProviderDiff["detailed"];
  /** A create that the targets leave out. */
  skippedCreate?: boolean;
  /** The result of a refresh. */
  resultOp?: StepOp;
  /** Does the work. @throws PartialFailure after a partial result, with the new state set */
  apply(): Promise<void>;
  /** Answers the program after the state is stored. */
  complete?: () => void;
  /** Answers the program with --continue-on-error, after the step or one of its dependencies failed. */
  fail?: () => void;
  skip?: () => void;
}

/** The operation failed, but the resource exists: its state is kept with the reasons. */
export class PartialFailure extends Error {
  override name = "PartialFailure";
}

/** An error that was already reported. */
export class Bail extends Error {
  override name = "Bail";
}

/** A protected resource cannot be deleted: other deletions go on. */
export class ProtectedError extends Error {
  override name = "ProtectedError";
}
