/** What a run does, or would do, to one resource: the engine's own words, without what depends on the engine. */

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
  /** The name of the OrgMember it belongs to; its own name where it stands alone. */
  readonly member: string;
  /** The URN of the component that it lies in. */
  readonly parent: string | undefined;
  readonly action: "same" | "create" | "update" | "replace" | "delete";
  /** The object at the service that is there before the step; undefined where the step makes it. */
  readonly id: string | undefined;
  /** The outputs of before; secrets are masked. */
  readonly olds: Properties | undefined;
  /** The inputs that shall be; secrets are masked, and what is not known yet is the engine's mark for that. */
  readonly news: Properties | undefined;
  /** Whether Pulumi refuses to remove it, before and after the step. */
  readonly isProtected: { readonly before: boolean; readonly after: boolean };
  /** Whether the old one goes before the new one is made, of a replacement. */
  readonly deleteFirst: boolean;
  /** Whether it is an old one that goes by itself: what its URN names may be there already, and stays. */
  readonly isReplaced: boolean;
}

/** By what a run tells how far the step got: its URN, unless that names its successor. */
export function trackOf({ urn, id, isReplaced }: Pick<Step, "urn" | "id" | "isReplaced">): string {
  return isReplaced ? trackOfReplaced(urn, id) : urn;
}

/** The same, of an old one that is replaced. */
export function trackOfReplaced(urn: string, id: string | undefined): string {
  return `${urn} ${id ?? ""}`;
}

/** Whether a run does anything about it, if only in the state. */
export function isChange({ action, isProtected }: Step): boolean {
  return action !== "same" || isProtected.before !== isProtected.after;
}
