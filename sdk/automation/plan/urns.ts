/** Pulumi's names of resources: `urn:pulumi:<stack>::<project>::<types>::<name>`; a name may contain `::`. */

import { MARKER_TYPE } from "../roster/marker.ts";
import { type ResourceType, resourceTypes } from "./steps.ts";

/** The prefix of the type tokens of orgseat's resources. */
export const TYPE_PREFIX = "pulumi-nodejs:orgseat:";
/** The type of the component of a member. */
const MEMBER_TYPE = "orgseat:index:OrgMember";

/** Undefined for types that orgseat does not manage. @param token of Pulumi */
export function resourceTypeOf(token: string): ResourceType | undefined {
  return resourceTypes.find((type) => token === TYPE_PREFIX + type);
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
function typeOf(urn: string): string {
  return urn.split("::")[2]?.split("$").at(-1) ?? "";
}

/** The name of the member of a resource; its own name without one. */
export function memberOf(urn: string, parent: string | undefined): string {
  return parent !== undefined && typeOf(parent) === MEMBER_TYPE ? nameOf(parent) : nameOf(urn);
}
