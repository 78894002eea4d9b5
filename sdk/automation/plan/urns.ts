/** Pulumi's names of resources: `urn:pulumi:<stack>::<project>::<types>::<name>`, of which a name may hold `::`. */

import { MARKER_TYPE } from "../roster/marker.ts";
import { type ResourceType, resourceTypes } from "./steps.ts";

/** What the type tokens of orgseat's resources begin with. */
export const TYPE_PREFIX = "pulumi-nodejs:orgseat:";
/** The type of the component that a member's resources lie in. */
const MEMBER_TYPE = "orgseat:index:OrgMember";

/** Undefined for what orgseat does not manage. @param token as Pulumi has it */
export function resourceTypeOf(token: string): ResourceType | undefined {
  return resourceTypes.find((type) => token === TYPE_PREFIX + type);
}

/** Whether programs of rosters have such resources, Pulumi's own among them. @param token as Pulumi has it */
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

/** The last of the types in it. */
function typeOf(urn: string): string {
  return urn.split("::")[2]?.split("$").at(-1) ?? "";
}

/** The name of the member that a resource belongs to; its own where it stands alone. */
export function memberOf(urn: string, parent: string | undefined): string {
  return parent !== undefined && typeOf(parent) === MEMBER_TYPE ? nameOf(parent) : nameOf(urn);
}
