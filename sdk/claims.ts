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
}

/** A resource that claims something, as a message names it. */
interface Claimant {
  readonly type: string;
  readonly name: string;
}

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
  const claimant = { type, name };
  const organizationId: unknown = props.organizationId ?? configuredOrganization();
  const record = (known: unknown, organization: unknown): void => {
    for (const one of Array.isArray(known) ? known : [known]) {
      recordOne(claims, claimant, made, one, organization);
    }
  };
  for (const one of Array.isArray(value) ? value : [value]) {
    if (typeof one === "string" && typeof organizationId === "string") record(one, organizationId);
    else pulumi.all([one, organizationId]).apply(([known, organization]) => record(known, organization));
  }
}

function recordOne(
  claims: Map<string, Claimant>,
  claimant: Claimant,
  { property, noun, subject = "person", shared }: Claim,
  value: unknown,
  organizationId: unknown,
): void {
  if (typeof value !== "string") return;
  const kind = shared === undefined ? [claimant.type, property] : [shared];
  const claimed = subject === "person" ? value.trim().toLowerCase() : value;
  const key = JSON.stringify([...kind, organizationId, claimed]);
  const other = claims.get(key);
  // What one list names twice is one claim.
  if (other !== undefined && other !== claimant) {
    // Without the value, which may be a secret of the program.
    throw new pulumi.RunError(
      `${inWords(other)} and ${inWords(claimant)} claim the same ${noun} (${property}). One ${subject} is one resource: remove one of the two.`,
    );
  }
  claims.set(key, claimant);
}

function inWords({ type, name }: Claimant): string {
  return `${type} "${name}"`;
}

/** The organization of resources that name none; the provider decides it the same way. */
function configuredOrganization(): string {
  const configured = new pulumi.Config("orgseat").get("organizationId");
  return configured ?? process.env.ORGSEAT_ORGANIZATION_ID ?? "";
}
