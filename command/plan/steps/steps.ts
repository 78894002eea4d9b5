/** Resources as Pulumi names them, and the steps of a preview or a run: what happens to one resource. */

import {
  type ResourceType,
  resourceTypes,
  rosterTypeOf,
} from "../../../provider/resources/resource-types.ts";
import { MEMBER_TYPE } from "../../roster/parts/member-parts.ts";
import { MARKER_TYPE, personName } from "../../roster/roster.ts";

export type { ResourceType };

/**
 * `Delivered`: a resource of another provider inside of a member, such as a secret in a store. `Roster`: the marker of a
 * roster, whose inputs are settings that no request has.
 */
export type StepType = ResourceType | "Delivered" | "Roster";

export type Properties = Readonly<Record<string, unknown>>;

/** The name of a member in the inputs or outputs of an OrgUser. */
export function nameIn(properties?: Properties): string | undefined {
  const [email, purpose, firstName, lastName] = ["email", "purpose", "firstName", "lastName"].map((key) =>
    textIn(properties, key),
  );
  return personName({ email, purpose, firstName, lastName });
}

export function textIn(properties: Properties | undefined, key: string): string | undefined {
  const value = properties?.[key];
  return typeof value === "string" ? value : undefined;
}

export interface Undecided {
  /** When the creation was requested, a timestamp. */
  readonly time: string;
  /** The user whom the audit log shows, and no state has; undefined if the state shows the creation. */
  readonly userId?: string | undefined;
}

/** One resource of one stack in a preview or a run. */
export interface Step {
  readonly stack: string;
  readonly urn: string;
  readonly type: StepType;
  /** The resource's name in the program. */
  readonly name: string;
  /** The name of its member; its own name without one. */
  readonly member: string;
  /** The URN of its parent component. */
  readonly parent: string | undefined;
  readonly action: "same" | "create" | "update" | "replace" | "delete";
  /** The id of the object in the service before the step; undefined for a creation. */
  readonly id: string | undefined;
  /** The previous outputs; secrets are masked. Of a delivered resource undefined, as the inputs. */
  readonly olds: Properties | undefined;
  /** The new inputs; secrets are masked, and unknown values have the engine's marker. */
  readonly news: Properties | undefined;
  /** Whether Pulumi refuses to remove it, before and after the step. */
  readonly isProtected: { readonly before: boolean; readonly after: boolean };
  /** Of a replacement, the inputs that cause it, as the provider names them. Default: unknown. */
  readonly causes?: readonly string[] | undefined;
  /** Whether a replacement deletes the old object before it creates the new one. */
  readonly deleteFirst: boolean;
  /** Of a creation: whether it completes a replacement of which an earlier run deleted the old object. Default: false. */
  readonly isHalfDone?: boolean | undefined;
  /** Of a seat or token: whether the service has none to adopt or to replace. Default: unknown. */
  readonly lacksObject?: boolean | undefined;
  /** Of the deletion of a replaced token: whether its successor keeps it for now. Default: false. */
  readonly isKept?: boolean | undefined;
  /** Of a creation: whether the service has the member or a token in no state, so that a run refuses it. Default: unknown. */
  readonly isRefused?: boolean | undefined;
  /** Of a machine user that may exist already: no run touches it before a decision. Default: undefined. */
  readonly undecided?: Undecided | undefined;
  /** Of a creation: the id under which the state has no user, but that its creation got no answer. */
  readonly placeholder?: string | undefined;
  /** Whether it deletes an object that an earlier run replaced: the object with the same URN stays. */
  readonly isReplaced: boolean;
  /** After a run, the id of the object that it created. Default: unknown. */
  readonly madeId?: string | undefined;
}

/** The key for the progress of a step: its URN, unless the URN belongs to its successor. */
export function methodKey({ urn, id, isReplaced }: Pick<Step, "urn" | "id" | "isReplaced">): string {
  return isReplaced ? replacedKey(urn, id) : urn;
}

/** The key of a replaced object. */
export function replacedKey(urn: string, id: string | undefined): string {
  return `${urn} ${id ?? ""}`;
}

/** What one method of the provider does for a step: for a replacement, it creates the new object and deletes the old one. */
export interface StepMethod {
  readonly kind: Exclude<Step["action"], "replace">;
  readonly key: string;
}

/** A deletion has the key of its object: a pass with targets can delete an object alone that the preview showed as replaced. */
export function methodsOf({ urn, id, action }: Step): StepMethod[] {
  const removal = { kind: "delete", key: replacedKey(urn, id) } as const;
  if (action === "delete") return [removal];
  return action === "replace" ? [{ kind: "create", key: urn }, removal] : [{ kind: action, key: urn }];
}

export function methodKeys(step: Step): string[] {
  return methodsOf(step).map(({ key }) => key);
}

/** The member of a step, unique over all stacks. */
export function memberPath({ stack, member }: Pick<Step, "stack" | "member">): string {
  return `${stack}/${member}`;
}

/** Whether the step changes anything, including the state alone. */
export function isChange({ action, isProtected }: Step): boolean {
  return action !== "same" || isProtected.before !== isProtected.after;
}

/** The prefix of the type tokens of orgseat's resources. */
export const TYPE_PREFIX = "pulumi-nodejs:orgseat:";

/** The type token of a resource of a roster. */
export function rosterTokenOf(type: ResourceType): string {
  return TYPE_PREFIX + rosterTypeOf(type);
}

const typesByToken: ReadonlyMap<string, ResourceType> = new Map(
  resourceTypes.flatMap((type) => [TYPE_PREFIX + type, rosterTokenOf(type)].map((token) => [token, type])),
);

/** Seat and token of a roster have the types of a program's. Undefined for types that orgseat does not manage. @param token of Pulumi */
export function resourceTypeOf(token: string): ResourceType | undefined {
  return typesByToken.get(token);
}

/** Undefined for types that no member has. @param token of Pulumi */
export function stepTypeOf(token: string, urn: string): StepType | undefined {
  if (isInsideMember(urn) && !isOrgseatType(token)) return "Delivered";
  return resourceTypeOf(token);
}

/** Whether a member is among the parents of the resource. */
function isInsideMember(urn: string): boolean {
  return (urn.split("::")[2] ?? "").split("$").slice(0, -1).includes(MEMBER_TYPE);
}

/** Whether the program of a roster can have resources of the type, including those of Pulumi itself. @param token of Pulumi */
export function isOrgseatType(token: string): boolean {
  return (
    resourceTypeOf(token) !== undefined ||
    token === MEMBER_TYPE ||
    token === MARKER_TYPE ||
    token.startsWith("pulumi:")
  );
}

export function nameOf(urn: string): string {
  return urn.split("::").slice(3).join("::");
}

/** The type of the resource, without those of its parents. */
export function typeOf(urn: string): string {
  return urn.split("::")[2]?.split("$").at(-1) ?? "";
}

/**
 * The name of the member of a resource; its own name without one.
 * @param parentOf the parents of components inside of members. Default: unknown
 */
export function memberOf(
  urn: string,
  parent: string | undefined,
  parentOf?: ReadonlyMap<string, string>,
): string {
  for (let one = parent; one !== undefined; one = parentOf?.get(one)) {
    if (typeOf(one) === MEMBER_TYPE) return nameOf(one);
  }
  return nameOf(urn);
}
