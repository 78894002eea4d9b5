/** From flags to the options of a deployment. */
import { availableParallelism } from "node:os";
import type { StackName } from "../backend/backend.ts";
import { readSnapshot } from "../deployment/checkpoint.ts";
import type { DeploymentOptions } from "../deployment/deployment.ts";
import { DependencyGraph } from "../deployment/graph.ts";
import { UserError } from "../errors.ts";
import { maskedState } from "../secrets.ts";
import { urnMatcher } from "../urn.ts";
import { type OperationOptions, switched } from "./operation-flags.ts";
import type { Session } from "./session.ts";

export type OperationKind = "update" | "refresh" | "destroy";

export function deploymentOptions(
  { env }: Pick<Session, "env">,
  kind: OperationKind,
  options: OperationOptions,
  dryRun: boolean,
): DeploymentOptions {
  const withProgram = switched(options.runProgram, env.PULUMI_RUN_PROGRAM);
  const runProgram = kind === "update" || withProgram;
  const parallel = options.parallel ?? (Number(env.PULUMI_PARALLEL) || availableParallelism() * 4);
  const targetPatterns = [...options.target, ...options.targetReplace];
  const refresh = kind === "refresh" || options.refresh === true;
  return {
    dryRun,
    parallel: Math.max(1, parallel),
    skipCheckpoints: switched(undefined, env.PULUMI_SKIP_CHECKPOINTS),
    continueOnError: switched(options.continueOnError, env.PULUMI_CONTINUE_ON_ERROR),
    refresh,
    refreshOnly: kind === "refresh",
    refreshByProgram: refresh && withProgram,
    mode: kind !== "update" && runProgram ? kind : "update",
    runProgram,
    targets: urnMatcher(targetPatterns),
    targetPatterns,
    targetDependents: options.targetDependents === true,
    excludes: urnMatcher(options.exclude),
    replaceTargets: urnMatcher([...options.replace, ...options.targetReplace]),
  };
}

/** The URNs of the protected resources and of all their dependencies, and the number of the other resources. */
export function protectedUrns(session: Session, name: StackName): { urns: string[]; others: number } {
  const { resources } = readSnapshot(session.state(name), maskedState);
  const graph = new DependencyGraph(resources);
  const guarded = resources.filter(({ protect }) => protect);
  const kept = new Set(guarded.flatMap((one) => [one, ...graph.transitiveDependenciesOf(one)]));
  return { urns: [...kept].map(({ urn }) => urn), others: resources.length - kept.size };
}

/** Refuses flags that contradict each other, and a question if there is no terminal. */
export function checkOptions(session: Session, options: OperationOptions, previewCommand: boolean): void {
  if (previewCommand) return;
  const { yes, skipPreview, previewOnly, excludeProtected, target } = options;
  if (!session.interactive && !yes && !previewOnly) {
    throw new UserError(
      "--yes or --skip-preview or --preview-only must be passed in to proceed when running in non-interactive mode",
      2,
    );
  }
  if (skipPreview && previewOnly)
    throw new UserError("--skip-preview and --preview-only cannot be used together");
  if (yes && previewOnly) throw new UserError("--yes and --preview-only cannot be used together");
  if (excludeProtected && target.length > 0)
    throw new UserError("you cannot specify --target and --exclude-protected");
}
