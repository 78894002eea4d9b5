/**
 * Two resources that declare the same person: a class of this package finds them in the program, other languages have no such
 * class. Only the engine's calls say which resource is checked again.
 */
import { holdsUnknown } from "../resources/unknown.ts";
import { withCode } from "../util/error-codes.ts";
import type { Props } from "./wire.ts";

const types: ReadonlySet<string> = new Set(["orgseat:index:OrgMember", "orgseat:index:OrgUser"]);

/** The declared people of a run. */
export class Claims {
  readonly #addressOf = new Map<string, string>();
  readonly #ownerOf = new Map<string, string>();

  /**
   * Records who is declared by a resource. The same one can be checked twice, with other inputs too.
   * @param inputs in the checked form
   * @returns what is wrong if another resource declares this person. It has no values, which can be secrets
   */
  claim(urn: string, type: string, { email, organizationId }: Props): string | undefined {
    if (!types.has(type)) return undefined;
    const before = this.#addressOf.get(urn);
    if (before !== undefined && this.#ownerOf.get(before) === urn) this.#ownerOf.delete(before);
    this.#addressOf.delete(urn);
    if (typeof email !== "string" || holdsUnknown([email, organizationId])) return undefined;
    const address = JSON.stringify([organizationId, email]);
    const owner = this.#ownerOf.get(address);
    if (owner !== undefined)
      return withCode(
        `${labelOf(owner)} and ${labelOf(urn)} declare the same person (email). Each person needs exactly one resource: remove one of the two.`,
        "duplicate-declaration",
      );
    this.#addressOf.set(urn, address);
    this.#ownerOf.set(address, urn);
    return undefined;
  }
}

/** `urn:pulumi:<stack>::<project>::<parents>$orgseat:index:OrgUser::<name>`. */
function labelOf(urn: string): string {
  const [, , types = "", ...name] = urn.split("::");
  return `${types.split(":").at(-1)} "${name.join("::")}"`;
}
