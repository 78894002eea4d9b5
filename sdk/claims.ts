/**
 * Two resources of one program that claim one person, server or table: caught here, with both names, before anything is sent.
 */
import * as pulumi from "@pulumi/pulumi";

/** Which input says whom a resource is about. */
export interface Claim {
  readonly property: string;
  /** What the value is called in the message. */
  readonly noun: string;
  /** What may be claimed once. Default: a person, whose values are the same in any letter case. */
  readonly subject?: "server" | "table";
}

/** The claims of a run, by its root stack: one process runs several stacks, and one stack several times. */
const claimsOfRun = new WeakMap<pulumi.Resource, Map<string, string>>();

/**
 * Records the claim; the program fails where another resource has made it before: at once where the value is plain, so
 * that nothing is registered, else when it is known.
 */
export function claim(type: string, name: string, props: pulumi.Inputs, one: Claim): void {
  const { property, noun, subject = "person" } = one;
  const root = pulumi.runtime.getStackResource();
  const value: unknown = props[property];
  if (root === undefined || value === undefined) return;
  const claims = claimsOfRun.get(root) ?? new Map<string, string>();
  claimsOfRun.set(root, claims);
  const record = (known: unknown, organizationId: unknown): void => {
    if (typeof known !== "string") return;
    const claimed = subject === "person" ? known.trim().toLowerCase() : known;
    const key = JSON.stringify([type, property, organizationId, claimed]);
    const other = claims.get(key);
    if (other !== undefined) {
      // Without the value, which may be a secret of the program.
      throw new pulumi.RunError(
        `${type} "${other}" and ${type} "${name}" claim the same ${noun} (${property}). One ${subject} is one resource: remove one of the two.`,
      );
    }
    claims.set(key, name);
  };
  const organizationId: unknown = props.organizationId ?? configuredOrganization();
  if (typeof value === "string" && typeof organizationId === "string") record(value, organizationId);
  else pulumi.all([value, organizationId]).apply(([known, organization]) => record(known, organization));
}

/** The organization of resources that name none; the provider decides it the same way. */
function configuredOrganization(): string {
  const configured = new pulumi.Config("orgseat").get("organizationId");
  return configured ?? process.env.ORGSEAT_ORGANIZATION_ID ?? "";
}
