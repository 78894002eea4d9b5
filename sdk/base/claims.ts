/** Finds two resources of a program that claim the same person, server, or table, and fails before anything is sent. */

import * as pulumi from "@pulumi/pulumi";
import { Claims } from "../../provider/resources/claims.ts";
import { claimsOf, type ResourceType } from "../../provider/resources/resource-types.ts";
import { ofAllCopies } from "./copies.ts";
import { programError } from "./program-error.ts";

type ClaimsOfRun = WeakMap<pulumi.Resource, Claims>;
const isThat = (found: unknown): found is ClaimsOfRun => found instanceof WeakMap;
/** By root stack: one process can run several stacks, and one stack several times. */
const claimsOfRun = ofAllCopies<ClaimsOfRun>("claims", isThat, () => new WeakMap());

/**
 * Records what a resource claims. The program fails if another resource has claimed it: immediately for a plain value, so that
 * nothing is registered, and for an Output when it is known.
 */
export function claim(type: ResourceType, name: string, props: pulumi.Inputs): void {
  const root = pulumi.runtime.getStackResource();
  if (root === undefined) return;
  const claims = claimsOfRun.get(root) ?? new Claims();
  claimsOfRun.set(root, claims);
  const claimant = { type, name };
  const organizationId: unknown = props.organizationId ?? configuredOrganization();
  for (const made of claimsOf[type]) {
    const record = (known: readonly unknown[], organization: unknown): void => {
      const conflict = claims.record(claimant, made, known, organization);
      if (conflict !== undefined) throw programError("duplicate-declaration", conflict);
    };
    const value: unknown = props[made.property] ?? [];
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    const isPlain = (one: unknown): boolean => typeof one === "string" && typeof organizationId === "string";
    record(values.filter(isPlain), organizationId);
    for (const one of values.filter((each) => !isPlain(each))) {
      pulumi.all([one, organizationId]).apply(([known, organization]) => {
        record(Array.isArray(known) ? known : [known], organization);
      });
    }
  }
}

/** The organization of resources that name none, by the same rule as in the provider. */
function configuredOrganization(): string {
  return configured("organizationId", "ORGSEAT_ORGANIZATION_ID") ?? "";
}

/** A setting of the stack, otherwise of the environment. */
export function configured(key: string, variable: string): string | undefined {
  return new pulumi.Config("orgseat").get(key) ?? process.env[variable];
}
