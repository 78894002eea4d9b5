/** Finds two resources of a program that claim the same person, server, or table, and fails before anything is sent. */

import * as pulumi from "@pulumi/pulumi";
import { folded } from "../../provider/util/text.ts";
import { programError } from "./program-error.ts";

/** The input that identifies the object of a resource. */
export interface Claim {
  /** The name of the input: a value, or a list of values. */
  readonly property: string;
  /** The noun for the value in messages. */
  readonly noun: string;
  /** The kind of object that one resource can claim. Default: a person; then letter case is ignored. */
  readonly subject?: "person" | "server" | "table";
  /** The name of a claim that several resource types share. Default: each type has its own. */
  readonly shared?: string;
  /** Whether the resource is a list of such objects. Default: false. */
  readonly isList?: boolean;
}

/** A resource that claims an object. */
interface Claimant {
  readonly type: string;
  readonly name: string;
  readonly isList: boolean;
}

/** The number of other resources that a message names. */
const SHOWN = 10;

/** The claims by root stack: one process can run several stacks, and one stack several times. */
const claimsOfRun = new WeakMap<pulumi.Resource, Map<string, Claimant>>();

/**
 * Records the claim. The program fails if another resource has made it: immediately for a plain value, so that nothing is
 * registered, and for an Output when it is known.
 */
export function claim(type: string, name: string, props: pulumi.Inputs, made: Claim): void {
  const root = pulumi.runtime.getStackResource();
  const value: unknown = props[made.property];
  if (root === undefined || value === undefined) return;
  const claims = claimsOfRun.get(root) ?? new Map<string, Claimant>();
  claimsOfRun.set(root, claims);
  const claimant = { type, name, isList: made.isList ?? false };
  const organizationId: unknown = props.organizationId ?? configuredOrganization();
  const record = (known: readonly unknown[], organization: unknown): void => {
    const others = known.flatMap((one) => recordOne(claims, claimant, made, one, organization) ?? []);
    if (others.length > 0)
      throw programError("duplicate-declaration", describeConflict(others, claimant, made));
  };
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  const isPlain = (one: unknown): boolean => typeof one === "string" && typeof organizationId === "string";
  record(values.filter(isPlain), organizationId);
  for (const one of values.filter((each) => !isPlain(each))) {
    pulumi.all([one, organizationId]).apply(([known, organization]) => {
      record(Array.isArray(known) ? known : [known], organization);
    });
  }
}

/** @returns another resource that has claimed the value already */
function recordOne(
  claims: Map<string, Claimant>,
  claimant: Claimant,
  { property, subject = "person", shared }: Claim,
  value: unknown,
  organizationId: unknown,
): Claimant | undefined {
  if (typeof value !== "string") return undefined;
  const kind = shared === undefined ? [claimant.type, property] : [shared];
  const claimed = subject === "person" ? folded(value.trim()) : value;
  const key = JSON.stringify([...kind, organizationId, claimed]);
  const other = claims.get(key);
  // A value that one list contains twice is one claim.
  if (other !== undefined && other !== claimant) return other;
  claims.set(key, claimant);
  return undefined;
}

/** The error message. It contains no values, which can be secrets. @param others the earlier claimants, one per value */
function describeConflict(
  others: readonly Claimant[],
  claimant: Claimant,
  { property, noun, subject = "person" }: Claim,
): string {
  const first = [...new Set(others)];
  const more = first.length - SHOWN;
  const named = first.slice(0, SHOWN).map(describeClaimant).join(", ") + (more > 0 ? `, ${more} more` : "");
  const what = others.length === 1 ? noun : `${others.length} people`;
  return `${named} and ${describeClaimant(claimant)} declare the same ${what} (${property}). ${remedyFor([...first, claimant], subject)}`;
}

function remedyFor(claimants: readonly Claimant[], subject: string): string {
  const list = claimants.find(({ isList }) => isList);
  const single = claimants.find(({ isList }) => !isList);
  if (list === undefined) return `Each ${subject} needs exactly one resource: remove one of the two.`;
  if (single === undefined)
    return "Each person can be in one list only: remove the email from the other list.";
  return `Remove the email from the ${list.type}'s list, or remove the ${single.type}.`;
}

function describeClaimant({ type, name }: Claimant): string {
  return `${type} "${name}"`;
}

/** The organization of resources that name none, by the same rule as in the provider. */
function configuredOrganization(): string {
  return configured("organizationId", "ORGSEAT_ORGANIZATION_ID") ?? "";
}

/** A setting of the stack, otherwise of the environment. */
export function configured(key: string, variable: string): string | undefined {
  return new pulumi.Config("orgseat").get(key) ?? process.env[variable];
}
