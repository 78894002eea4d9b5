/** The marker of a roster in its stacks: a resource by which a state remembers which roster its people come from. */

/** Pulumi's type of it. Its name is the id of the roster. */
export const MARKER_TYPE = "orgseat:index:Roster";

/** The marker in a preview or a run of one stack. */
export interface RosterMarker {
  readonly urn: string;
  readonly rosterId: string;
  /** `same`: the state has it and the program declares it; `delete`: the state alone; `create`: the program alone. */
  readonly action: "same" | "create" | "delete";
  /** Whether the action was carried out. False in previews. */
  readonly isDone: boolean;
}
