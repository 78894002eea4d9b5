/** Whether, and how, a resource differs from what is asked for. */
import type { Deployment } from "../deployment/deployment.ts";
import { changedInputs, ignoreChanges, parsePath, pathContains } from "../diffs.ts";
import type { Diff } from "../rpc/provider.ts";
import type { PropertyMap } from "../values.ts";

/** A decided difference: never left open. */
export interface DecidedDiff extends Diff {
  changes: boolean;
}

export const noDiff: DecidedDiff = {
  changes: false,
  replaceKeys: [],
  changedKeys: [],
  deleteBeforeReplace: false,
};

/** A replacement that the engine itself decided on. */
export function replaceFor(key: string): DecidedDiff {
  return { ...noDiff, changes: true, replaceKeys: [key] };
}

export interface DiffRequest {
  urn: string;
  id: string;
  oldInputs: PropertyMap;
  oldOutputs: PropertyMap;
  newInputs: PropertyMap;
  provider: string;
  ignoreChanges: string[];
}

/** Asks the provider; where it does not know, inputs are compared with inputs. */
export async function diffResource(deployment: Deployment, request: DiffRequest): Promise<DecidedDiff> {
  const provider = deployment.providers.get(request.provider);
  if (!provider) throw new Error(`unknown provider '${request.provider}' for resource ${request.urn}`);
  const diff = await provider.diff(request);
  if (diff.changes !== undefined) return { ...diff, changes: diff.changes };
  const news = ignoreChanges(request.oldInputs, request.newInputs, request.ignoreChanges);
  const changed = [...changedInputs(request.oldInputs, news).keys()];
  return { ...diff, changes: changed.length > 0, changedKeys: changed };
}

/** The pseudo property that stands for "the last operation failed halfway". */
const initErrorKey = "#initerror";

/** Turns changes of the properties that `replaceOnChanges` names into replacements. */
export function applyReplaceOnChanges(
  diff: DecidedDiff,
  paths: string[],
  hasInitErrors: boolean,
): DecidedDiff {
  if ((!diff.changes && !hasInitErrors) || paths.length === 0) return diff;
  const patterns = paths.map(parsePath);
  const matches = (key: string) => patterns.some((pattern) => pathContains(pattern, [key]));
  const keys = new Set([...diff.replaceKeys, ...diff.changedKeys.filter(matches)]);
  let changes = diff.changes;
  if (hasInitErrors && matches(initErrorKey)) {
    keys.add(initErrorKey);
    changes = true;
  }
  return { ...diff, changes, replaceKeys: [...keys] };
}
