/** Finds the old state of a resource by its URN or by a former name. */
import type { DeploymentState } from "../deployment/deployment.ts";
import type { ResourceState } from "../deployment/state.ts";
import { makeUrn, parseUrn, stackType } from "../urn.ts";
import type { Alias } from "./goal.ts";

interface Identity {
  urn: string;
  type: string;
  name: string;
  parent: string;
  aliases: Alias[];
}

interface AliasMatch {
  old: ResourceState | undefined;
  /** The alias that matched, empty if the URN itself did. */
  alias: string;
  errors: string[];
}

export class AliasResolver {
  readonly #deployment: DeploymentState;
  /** Old URNs that a resource has taken, with that resource. */
  readonly #taken = new Map<string, string>();
  /** The old URN of resources that were found by an alias. */
  readonly #former = new Map<string, string>();

  constructor(deployment: DeploymentState) {
    this.#deployment = deployment;
  }

  /** Looks the resource up; `seen` are the URNs registered so far. */
  find(identity: Identity, seen: ReadonlySet<string>): AliasMatch {
    const errors: string[] = [];
    const { urn } = identity;
    const taker = this.#taken.get(urn);
    if (taker !== undefined) {
      errors.push(`Duplicate resource URN '${urn}' conflicting with alias on resource with URN '${taker}'`);
    }
    for (const candidate of [urn, ...this.#candidates(identity)]) {
      const old = this.#deployment.olds.get(candidate);
      if (!old) continue;
      if (candidate === urn) return { old, alias: "", errors };
      const conflict = seen.has(candidate) ? urn : this.#taken.get(candidate);
      if (conflict !== undefined) {
        errors.push(`Alias '${candidate}' of resource with URN '${urn}' is already used by '${conflict}'`);
      }
      this.#taken.set(candidate, urn);
      this.#former.set(urn, candidate);
      return { old, alias: candidate, errors };
    }
    return { old: undefined, alias: "", errors };
  }

  /** Whether a provider of the state continues under another name. */
  continuesAs(oldUrn: string, newUrn: string): boolean {
    return this.#taken.get(oldUrn) === newUrn;
  }

  isTaken(oldUrn: string): boolean {
    return this.#taken.has(oldUrn);
  }

  #candidates(identity: Identity): string[] {
    const own = identity.aliases.map((alias) => this.#collapse(identity, alias));
    const result = new Set(own);
    const formerParent = identity.parent === "" ? undefined : this.#former.get(identity.parent);
    if (formerParent !== undefined) {
      result.add(this.#inherited(identity.type, identity.name, identity.parent, formerParent));
      for (const urn of own) {
        const { type, name } = parseUrn(urn);
        result.add(this.#inherited(type, name, identity.parent, formerParent));
      }
    }
    return [...result];
  }

  #collapse({ type, name, parent }: Identity, alias: Alias): string {
    if ("urn" in alias) return alias.urn;
    let under = alias.parent === "" ? parent : (this.#former.get(alias.parent) ?? alias.parent);
    if (alias.noParent || (under !== "" && parseUrn(under).qualifiedType === stackType)) under = "";
    const { stack, project } = this.#deployment;
    return makeUrn(
      alias.stack || stack,
      alias.project || project,
      under,
      alias.type || type,
      alias.name || name,
    );
  }

  /** The name a child had when its parent had its former name: children are often named after their parent. */
  #inherited(type: string, name: string, parent: string, formerParent: string): string {
    const parentName = parseUrn(parent).name;
    const former = name.startsWith(parentName)
      ? parseUrn(formerParent).name + name.slice(parentName.length)
      : name;
    const { stack, project } = this.#deployment;
    return makeUrn(stack, project, formerParent, type, former);
  }
}
