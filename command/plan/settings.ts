/** Changes of what the state keeps of a whole roster: they decide who can read tokens, so a plan shows them. Pure. */
import { type Action, stateOperation } from "../members/action-table.ts";
import type { PlanEntry } from "../members/entries.ts";
import type { StateMarker } from "../members/state.ts";
import type { RosterFacts } from "../roster/roster.ts";
import { type SettingChange, settingChange } from "./plan.ts";

/** @param marker in the state; undefined of a stack that gets its marker, which had no settings */
export function settingChanges(
  stack: string,
  rosterId: string,
  marker: StateMarker | undefined,
  after: RosterFacts,
): SettingChange[] {
  const before = marker?.facts ?? {};
  const sealed = (facts: RosterFacts) => (facts.requireSealedTokens === true ? "true" : undefined);
  const isEnding = sealed(after) === undefined;
  const found = [
    ...change("changeMembership", "membership", before.membership, after.membership),
    ...change(
      isEnding ? "endSealing" : "requireSealing",
      "require_sealed_tokens",
      sealed(before),
      sealed(after),
    ),
  ];
  if (found.length === 0) return [];
  const entries = found.map(
    ({ action, text }): PlanEntry => ({
      ...{ stack, urn: marker?.urn ?? rosterId, type: "Roster", key: rosterId, who: `Roster ${rosterId}` },
      ...{ action, operation: stateOperation(action), id: marker?.rosterId ?? null, unit: "", index: 0 },
      facts: { reasons: [text] },
    }),
  );
  return [settingChange(rosterId, entries)];
}

function change(action: Action, name: string, before: string | undefined, after: string | undefined) {
  return before === after ? [] : [{ action, text: `${name} ${before ?? "none"} -> ${after ?? "none"}` }];
}
