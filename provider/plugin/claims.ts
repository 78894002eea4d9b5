/** The resources that a run has checked: two of them never declare the same object. */
import { type Claimant, Claims } from "../resources/claims.ts";
import { claimsOf, type ResourceType } from "../resources/resource-types.ts";
import { holdsUnknown } from "../resources/unknown.ts";
import { withCode } from "../util/error-codes.ts";
import type { Props } from "./wire.ts";

/** By URN: the engine checks the same resource again, for example before it replaces it, even with other inputs. */
export class CheckedResources {
  readonly #claims = new Claims();
  readonly #claimants = new Map<string, Claimant>();

  /** @param inputs in the checked form @returns what is wrong if other resources declare the same */
  add(urn: string, type: ResourceType, inputs: Props): readonly string[] {
    const before = this.#claimants.get(urn);
    if (before !== undefined) this.#claims.release(before);
    const claimant = { type, name: urn.split("::").slice(3).join("::") };
    this.#claimants.set(urn, claimant);
    if (holdsUnknown(inputs.organizationId)) return [];
    return claimsOf[type].flatMap((claim) => {
      const known = [inputs[claim.property]].flat().filter((value) => !holdsUnknown(value));
      const conflict = this.#claims.record(claimant, claim, known, inputs.organizationId);
      return conflict === undefined ? [] : withCode(conflict, "duplicate-declaration");
    });
  }
}
