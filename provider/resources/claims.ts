/**
 * Two resources that declare the same person, server, or table. The program process asks for each class of this package, the
 * plugin for each check of a URN: the check of a dynamic provider does not say which resource it is about.
 */
import { folded } from "../util/text.ts";
import { type Claim, claimsOf, type ResourceType } from "./resource-types.ts";

/** A resource of a program. */
export interface Claimant {
  readonly type: ResourceType;
  readonly name: string;
}

/** The number of other resources that a message names. */
const SHOWN = 10;

/** What the resources of a run claim. */
export class Claims {
  readonly #claimants = new Map<string, Claimant>();
  readonly #keys = new WeakMap<Claimant, string[]>();

  /**
   * @param values of the input, as far as they are known
   * @returns what is wrong if other resources have claimed some of them. It contains no values, which can be secrets
   */
  record(
    claimant: Claimant,
    claim: Claim,
    values: readonly unknown[],
    organizationId: unknown,
  ): string | undefined {
    const others = values.flatMap((one) => this.#recordOne(claimant, claim, one, organizationId) ?? []);
    return others.length === 0 ? undefined : describeConflict(others, claimant, claim);
  }

  /** Gives up what a resource has claimed. */
  release(claimant: Claimant): void {
    for (const key of this.#keys.get(claimant) ?? []) this.#claimants.delete(key);
  }

  /** @returns another resource that has claimed the value already */
  #recordOne(
    claimant: Claimant,
    { property, subject = "person", shared }: Claim,
    value: unknown,
    organizationId: unknown,
  ): Claimant | undefined {
    if (typeof value !== "string") return undefined;
    const kind = shared === undefined ? [claimant.type, property] : [shared];
    const claimed = subject === "person" ? folded(value.trim()) : value;
    const key = JSON.stringify([...kind, organizationId, claimed]);
    const other = this.#claimants.get(key);
    // A value that one list contains twice is one claim.
    if (other !== undefined) return other === claimant ? undefined : other;
    this.#claimants.set(key, claimant);
    const keys = this.#keys.get(claimant) ?? [];
    this.#keys.set(claimant, keys);
    keys.push(key);
    return undefined;
  }
}

/** @param others the earlier claimants, one per value */
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
  const isList = ({ type }: Claimant) => claimsOf[type].some((claim) => claim.isList);
  const list = claimants.find(isList);
  const single = claimants.find((one) => !isList(one));
  if (list === undefined) return `Each ${subject} needs exactly one resource: remove one of the two.`;
  if (single === undefined)
    return "Each person can be in one list only: remove the email from the other list.";
  return `Remove the email from the ${list.type}'s list, or remove the ${single.type}.`;
}

function describeClaimant({ type, name }: Claimant): string {
  return `${type} "${name}"`;
}
