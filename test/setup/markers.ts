/** Markers of rosters as an engine without Pulumi keeps them. */
import { isDeepStrictEqual } from "node:util";
import type { Program } from "../../command/engine/engine.ts";
import { nameOf } from "../../command/plan/steps/steps.ts";
import { readFacts } from "../../command/roster/facts.ts";
import { MARKER_TYPE, type RosterFacts, type RosterMarker } from "../../command/roster/roster.ts";
import type { StateEntry } from "../../command/stacks/stack-state.ts";

/** A marker in a state or a program. */
export interface HeldMarker {
  readonly rosterId: string;
  readonly facts: RosterFacts;
}

export function markerUrn(stack: string, project: string, rosterId: string): string {
  return `urn:pulumi:${stack}::${project}::${MARKER_TYPE}::${rosterId}`;
}

/** Of a state. */
export function markerIn(entries: readonly StateEntry[]): HeldMarker | undefined {
  const entry = entries.find(({ type }) => type === MARKER_TYPE);
  return entry && { rosterId: nameOf(entry.urn), facts: readFacts(entry.inputs) };
}

/** Of a program. */
export function declaredMarker(program: Program): HeldMarker | undefined {
  if (program.roster.id === undefined) return undefined;
  return { rosterId: program.roster.id, facts: readFacts(program.facts) };
}

/** What a run tells of markers. @param held in the state @param declared in the program */
export function markersOf(
  urnOf: (rosterId: string) => string,
  held: HeldMarker | undefined,
  declared: HeldMarker | undefined,
  isDone: boolean,
): RosterMarker[] {
  const before = held?.facts;
  const after = declared?.facts;
  if (held !== undefined && held.rosterId === declared?.rosterId) {
    const { rosterId } = held;
    const action = isDeepStrictEqual(before, after) ? "same" : "update";
    return [{ urn: urnOf(rosterId), rosterId, action, isDone, before, after }];
  }
  const marker = (one: HeldMarker | undefined, rest: Pick<RosterMarker, "action" | "before" | "after">) =>
    one === undefined ? [] : [{ urn: urnOf(one.rosterId), rosterId: one.rosterId, isDone, ...rest }];
  return [...marker(declared, { action: "create", after }), ...marker(held, { action: "delete", before })];
}
