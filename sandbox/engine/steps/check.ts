/** Checks the inputs of a registration. */
import type { ResourceState } from "../deployment/state.ts";
import { ignoreChanges } from "../diffs.ts";
import type { CheckFailure } from "../plugins/provider.ts";
import { parseUrn } from "../urn.ts";
import { type PropertyMap, toDisplay } from "../values.ts";
import type { Decisions } from "./decisions/decisions.ts";
import type { Goal } from "./goal.ts";
import { Bail } from "./step.ts";

/**
 * Asks the provider to check the inputs: against the old ones, or as for a new resource.
 * @param invalid whether an error about the resource was reported already
 * @throws Bail if the resource is invalid
 */
export async function checkInputs(
  decisions: Decisions,
  goal: Goal,
  state: ResourceState,
  old: ResourceState | undefined,
  invalid: boolean,
): Promise<PropertyMap> {
  const news = old ? ignoreChanges(old.inputs, goal.properties, goal.ignoreChanges) : goal.properties;
  let failed = invalid;
  let inputs = news;
  const provider = decisions.deployment.providerOf(state);
  if (provider) {
    const { urn } = state;
    const checked = await provider.check({
      urn,
      olds: old?.inputs ?? {},
      news,
      preview: decisions.deployment.dryRun,
    });
    inputs = checked.inputs;
    for (const failure of checked.failures) reportFailure(decisions, state, failure);
    failed ||= checked.failures.length > 0;
  }
  if (failed) throw new Bail(`resource ${state.urn} is invalid`);
  return inputs;
}

function reportFailure(decisions: Decisions, state: ResourceState, { property, reason }: CheckFailure): void {
  const { type, name } = parseUrn(state.urn);
  const value = toDisplay(state.inputs)[property];
  const about = property === "" ? "" : `property ${property} value ${asShown(value)} has a problem: `;
  decisions.error(
    state.urn,
    property === ""
      ? `${type} resource '${name}' has a problem: ${reason}`
      : `${type} resource '${name}': ${about}${reason}`,
  );
}

/** An input's value in the form of Pulumi's messages. */
function asShown(value: unknown): string {
  if (value === undefined || value === null) return "{<nil>}";
  if (Array.isArray(value)) return `{[${value.map(asShown).join(" ")}]}`;
  if (typeof value !== "object") return `{${value}}`;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{map[${entries.map(([key, inner]) => `${key}:${asShown(inner)}`).join(" ")}]}`;
}
