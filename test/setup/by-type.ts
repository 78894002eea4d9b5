/** A value for each type of resource. */
import { type ResourceType, resourceTypes } from "../../provider/resources/resource-types.ts";

export function byType<T>(make: (type: ResourceType) => T): Readonly<Record<ResourceType, T>> {
  // The list has every type.
  return Object.fromEntries(resourceTypes.map((type) => [type, make(type)])) as Record<ResourceType, T>;
}
