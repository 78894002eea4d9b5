/** One step of a preview or a run: what happens to one resource, in the terms of Pulumi. */

/** The types that orgseat manages, as in the type token `pulumi-nodejs:orgseat:<type>`. */
export const resourceTypes = [
  "ServiceAccount",
  "OrgUser",
  "SeatAssignment",
  "UserToken",
  "Onboarding",
  "ModelServer",
  "VectorTable",
] as const;
export type ResourceType = (typeof resourceTypes)[number];

export type Properties = Readonly<Record<string, unknown>>;

/** One resource of one stack in a preview or a run. */
export interface Step {
  readonly stack: string;
  readonly urn: string;
  readonly type: ResourceType;
  /** The resource's name in the program. */
  readonly name: string;
  /** The name of its OrgMember; its own name without one. */
  readonly member: string;
  /** The URN of its parent component. */
  readonly parent: string | undefined;
  readonly action: "same" | "create" | "update" | "replace" | "delete";
  /** The id of the object at the service before the step; undefined for a creation. */
  readonly id: string | undefined;
  /** The previous outputs; secrets are masked. */
  readonly olds: Properties | undefined;
  /** The new inputs; secrets are masked, and unknown values have the engine's marker. */
  readonly news: Properties | undefined;
  /** Whether Pulumi refuses to remove it, before and after the step. */
  readonly isProtected: { readonly before: boolean; readonly after: boolean };
  /** Whether a replacement deletes the old object before it creates the new one. */
  readonly deleteFirst: boolean;
  /** Whether it deletes an object that an earlier run replaced: the object with the same URN stays. */
  readonly isReplaced: boolean;
}

/** The key for the progress of a step: its URN, unless the URN belongs to its successor. */
export function trackOf({ urn, id, isReplaced }: Pick<Step, "urn" | "id" | "isReplaced">): string {
  return isReplaced ? trackOfReplaced(urn, id) : urn;
}

/** The key of a replaced object. */
export function trackOfReplaced(urn: string, id: string | undefined): string {
  return `${urn} ${id ?? ""}`;
}

/** Whether the step changes anything, including the state alone. */
export function isChange({ action, isProtected }: Step): boolean {
  return action !== "same" || isProtected.before !== isProtected.after;
}
