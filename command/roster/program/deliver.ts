/** Modules that a roster names in its field `deliver`: orgseat calls them inside the program, for each member. */
import {
  type ComponentResourceOptions,
  type Output,
  type Resource,
  type ResourceTransformationArgs,
  RunError,
  recover,
} from "@pulumi/pulumi";
import { programError } from "../../../sdk/base/program-error.ts";
import { RosterMember } from "../parts/roster-member.ts";
import { labelOf, type RosterPerson } from "../roster.ts";

/** The token of a member. */
interface DeliveredToken {
  /** A secret. Undefined if it is sealed, not kept, or adopted. */
  readonly value: Output<string | undefined>;
  /** An ASCII-armored age file for the `recipients`; not a secret. Undefined without them, or for an adopted token. */
  readonly sealedValue: Output<string | undefined>;
}

/** The resource of a member, and the parent of what a function registers for it. */
interface DeliveryParent extends Resource {
  readonly userId: Output<string>;
  /** Undefined without a seat. */
  readonly seat: Resource | undefined;
  /** Undefined without a token. */
  readonly token: DeliveredToken | undefined;
}

/** A person or a machine user of a roster, with its resources. */
export interface DeliveredMember {
  /** Permanent and unique: use it in the names of your resources. */
  readonly key: string;
  /** In lower case; undefined for a machine user. */
  readonly email: string | undefined;
  /** Of a machine user. */
  readonly purpose: string | undefined;
  /** As the roster has it. */
  readonly team: string | undefined;
  /** The parent of your resources. `member.token?.value` is the secret value of the token; undefined without a token. */
  readonly member: DeliveryParent;
}

/**
 * The function of a module that a roster names with `deliver`. It registers resources of other providers, such as a secret
 * in a store, each with `{ parent: member }`. An error that it throws, or rejects with, concerns this member alone.
 */
export type Deliver = (member: DeliveredMember) => void | Promise<void>;

/** Collects the resources of one member as the program registers them. */
export class MemberResources {
  readonly #resources: Resource[] = [];
  /** For the member: Pulumi calls a transformation for each resource inside of it, and for itself. */
  readonly options: ComponentResourceOptions;

  /** @param protect whether to protect the resources, but not the component: a refresh can leave it empty */
  constructor({ protect }: { readonly protect?: boolean }) {
    const collect = ({ resource, props, opts }: ResourceTransformationArgs) => {
      this.#resources.push(resource);
      return protect && !(resource instanceof RosterMember)
        ? { props, opts: { protect, ...opts } }
        : undefined;
    };
    this.options = { transformations: [collect] };
  }

  /** Resolves once the engine has answered for all resources so far, even if it refused one. */
  async registered(): Promise<void> {
    await Promise.all(this.#resources.map(isAnswered));
  }
}

function isAnswered({ urn }: Resource): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => resolve();
    recover(urn.apply(end), end);
  });
}

/** @returns why the function failed for this person; undefined if it did not */
export async function deliverTo(
  person: RosterPerson,
  member: DeliveryParent,
  deliver: Deliver,
): Promise<string | undefined> {
  const { key, email, purpose, team } = person;
  try {
    await deliver({ key, email, purpose, team, member });
    return undefined;
  } catch (error) {
    const reason = error instanceof Error ? `${error.message}${lineOf(error)}` : String(error);
    return `cannot deliver to ${labelOf(person)}: ${reason}`;
  }
}

/** The file, line and column of the innermost frame outside of packages. */
function lineOf(error: Error): string {
  const { stack = "" } = error;
  if (RunError.isInstance(error)) return "";
  const frames = stack.split("\n").filter((line) => /^\s+at /.test(line));
  const own = frames.find((line) => !/node_modules|node:/.test(line)) ?? "";
  const [, place] = /([^/(\s]+:\d+:\d+)\)?$/.exec(own) ?? [];
  return place === undefined ? "" : ` (${place})`;
}

/** The prefixes of the types that need no parent: those of Pulumi itself, such as providers, and of orgseat. */
const WITHOUT_PARENT = /^(?:pulumi|orgseat|pulumi-nodejs:orgseat):/;

/** A transformation of the stack. @throws RunError for a resource that no member has */
export function requireParent({ type, name, opts: { parent } }: ResourceTransformationArgs): undefined {
  if (parent !== undefined || WITHOUT_PARENT.test(type)) return undefined;
  throw programError(
    "deliver-failed",
    `${name} (${type}) has no parent. Pass { parent: member }, so that orgseat knows whose resource it is`,
  );
}
