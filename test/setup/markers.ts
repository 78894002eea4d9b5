/** Markers of rosters as an engine without Pulumi keeps them. */
import { MARKER_TYPE, type RosterMarker } from "../../sdk/automation/roster/roster.ts";

export function markerUrn(stack: string, project: string, rosterId: string): string {
  return `urn:pulumi:${stack}::${project}::${MARKER_TYPE}::${rosterId}`;
}

/** What a run tells of markers. @param held the id in the state @param declared the id in the program */
export function markersOf(
  urnOf: (rosterId: string) => string,
  held: string | undefined,
  declared: string | undefined,
  isDone: boolean,
): RosterMarker[] {
  const marker = (rosterId: string | undefined, action: RosterMarker["action"]): RosterMarker[] =>
    rosterId === undefined ? [] : [{ urn: urnOf(rosterId), rosterId, action, isDone }];
  if (held === declared) return marker(held, "same");
  return [...marker(declared, "create"), ...marker(held, "delete")];
}
