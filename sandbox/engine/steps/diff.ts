/** Whether, and how, a resource differs from its goal. */
import type { ResourceState } from "../deployment/state.ts";
import { changedInputs, detailedDiff, ignoreChanges, type Path, parsePath, pathContains } from "../diffs.ts";
import type { DiffKind, DiffRequest, PropertyDiff, Provider, ProviderDiff } from "../plugins/provider.ts";
import type { PropertyMap } from "../values.ts";

/** A difference with `changes` decided. */
export interface DecidedDiff extends ProviderDiff {
  changes: boolean;
}

export const noDiff: DecidedDiff = {
  changes: false,
  replaceKeys: [],
  changedKeys: [],
  deleteBeforeReplace: false,
  detailed: undefined,
};

/** A replacement that the engine decides. */
export function replaceFor(key: string): DecidedDiff {
  return { ...noDiff, changes: true, replaceKeys: [key] };
}

export function diffRequest(
  urn: string,
  old: ResourceState,
  newInputs: PropertyMap,
  ignoreChanges: string[],
): DiffRequest {
  return { urn, id: old.id, oldInputs: old.inputs, oldOutputs: old.outputs, newInputs, ignoreChanges };
}

/** The provider's difference; if it has none, the difference of the inputs. */
export async function diffResource(provider: Provider, request: DiffRequest): Promise<DecidedDiff> {
  const diff = await provider.diff(request);
  if (diff.changes !== undefined) return { ...diff, changes: diff.changes };
  const news = ignoreChanges(request.oldInputs, request.newInputs, request.ignoreChanges);
  const changed = [...changedInputs(request.oldInputs, news).keys()];
  if (changed.length === 0) return { ...diff, changes: false };
  return { ...diff, changes: true, changedKeys: changed, detailed: detailedDiff(request.oldInputs, news) };
}

function detailedWithReplacements(
  { detailed }: DecidedDiff,
  patterns: Path[],
  keys: ReadonlySet<string>,
): DecidedDiff["detailed"] {
  if (!detailed) return undefined;
  const found = new Map<string, PropertyDiff>(detailed);
  for (const [path, { kind, inputDiff }] of detailed) {
    if (patterns.some((pattern) => pathContains(pattern, parsePath(path)))) {
      found.set(path, { kind: asReplacement(kind), inputDiff });
    }
  }
  if (keys.has(initErrorKey)) found.set(initErrorKey, { kind: "update-replace", inputDiff: false });
  return found;
}

function asReplacement(kind: DiffKind): DiffKind {
  return kind === "add" || kind === "delete" || kind === "update" ? `${kind}-replace` : kind;
}

/** The pseudo property of a resource whose last operation failed halfway. */
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
  return {
    ...diff,
    changes,
    replaceKeys: [...keys],
    detailed: detailedWithReplacements(diff, patterns, keys),
  };
}
