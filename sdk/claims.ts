/**
 * Two resources of one program that claim one person, server or table: caught here, with both names, before anything is sent.
 */
import * as pulumi from "@pulumi/pulumi";

/** Which input says whom a resource is about. */
export interface Claim {
  /** A value, or a list of them. */
  readonly property: string;
  /** What the value is called in the message. */
  readonly noun: string;
  /** What may be claimed once. Default: a person, whose values are the same in any letter case. */
  readonly subject?: "person" | "server" | "table";
  /** The name of a claim that resources of several types make. Default: each type has its own. */
  readonly shared?: string;
  /** Whether the resource is a list of them, and not one of them. Default: false. */
  readonly isList?: boolean;
}

/** A resource that claims something, as a message names it. */
interface Claimant {
  readonly type: string;
  readonly name: string;
  readonly isList: boolean;
}

/** How many of the other resources a message names. */
const SHOWN = 10;

/** The claims of a run, by its root stack: one process runs several stacks, and one stack several times. */
const claimsOfRun = new WeakMap<pulumi.Resource, Map<string, Claimant>>();

/**
 * Records the claim; the program fails where another resource has made it before: at once where the value is plain, so
 * that nothing is registered, else when it is known.
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
    if (others.length > 0) throw new pulumi.RunError(refusal(others, claimant, made));
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

/** @returns the resource that has claimed the value before, if another one has */
function recordOne(
  claims: Map<string, Claimant>,
  claimant: Claimant,
  { property, subject = "person", shared }: Claim,
  value: unknown,
  organizationId: unknown,
): Claimant | undefined {
  if (typeof value !== "string") return undefined;
  const kind = shared === undefined ? [claimant.type, property] : [shared];
  const claimed = subject === "person" ? value.trim().toLowerCase() : value;
  const key = JSON.stringify([...kind, organizationId, claimed]);
  const other = claims.get(key);
  // What one list names twice is one claim.
  if (other !== undefined && other !== claimant) return other;
  claims.set(key, claimant);
  return undefined;
}

/** @param others whoever was first, once for each value. The values are not named: they may be secrets of the program */
function refusal(
  others: readonly Claimant[],
  claimant: Claimant,
  { property, noun, subject = "person" }: Claim,
): string {
  const first = [...new Set(others)];
  const more = first.length - SHOWN;
  const named = first.slice(0, SHOWN).map(inWords).join(", ") + (more > 0 ? `, ${more} more` : "");
  const what = others.length === 1 ? noun : `${others.length} people`;
  return `${named} and ${inWords(claimant)} declare the same ${what} (${property}). ${wayOut([...first, claimant], subject)}`;
}

function wayOut(claimants: readonly Claimant[], subject: string): string {
  const list = claimants.find(({ isList }) => isList);
  const single = claimants.find(({ isList }) => !isList);
  if (list === undefined) return `Each ${subject} needs exactly one resource: remove one of the two.`;
  if (single === undefined)
    return "Each person can be in one list only: remove the email from the other list.";
  return `Remove the email from the ${list.type}'s list, or remove the ${single.type}.`;
}

function inWords({ type, name }: Claimant): string {
  return `${type} "${name}"`;
}

/** The organization of resources that name none; the provider decides it the same way. */
function configuredOrganization(): string {
  const configured = new pulumi.Config("orgseat").get("organizationId");
  return configured ?? process.env.ORGSEAT_ORGANIZATION_ID ?? "";
}
