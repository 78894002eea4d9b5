/**
 * What interrupted runs left that the state does not have: users whom the audit log shows as added, and creations that Pulumi
 * shows as pending. Pure.
 */
import { z } from "zod";
import { type AuditLine, isEffective } from "../../provider/api/schemas/audit-lines.ts";
import { namesHash } from "../../provider/api/schemas/user-names.ts";
import { markOf, type Pending } from "../../provider/member/held.ts";
import { nameOf, pendingOf, type State } from "../members/state.ts";
import { MEMBER_TYPE } from "../members/state-members.ts";
import type { RosterPerson } from "../roster/roster.ts";

export interface Interrupted {
  /** The ids of the users whom runs of this stack have added, and that the state may lack. */
  readonly users: ReadonlySet<string>;
  /** The creation of a user that an earlier run may have done; undefined if none shows. */
  creationOf(name: string, ref: string, person: RosterPerson | undefined): Pending | undefined;
}

/** An update adds the user of a changed email, purpose or kind. */
const CUT: ReadonlySet<string> = new Set(["creating", "updating"]);

/** Of the inputs of an operation. Pulumi stores a secret as an object. */
const text = z.string().optional().catch(undefined);
const personSchema = z.object({ email: text, purpose: text, lastName: text, adopt: text });

interface Sources {
  readonly stack: string;
  readonly organizationId: string;
  readonly state: State | undefined;
  readonly lines: readonly AuditLine[];
  /** Whether the state has a user. */
  isHeld(userId: string): boolean;
}

export function interruptedIn({ stack, organizationId, state, lines, isHeld }: Sources): Interrupted {
  const added = new Map<string, AuditLine>();
  for (const line of lines) {
    const { id, name } = line;
    if (id === undefined || line.organizationId !== organizationId || !isOfStack(line.stack, stack)) continue;
    if (name === "add user" && isEffective(line)) added.set(id, line);
    else if (name === "remove user") added.delete(id);
  }
  for (const id of added.keys()) if (isHeld(id)) added.delete(id);
  const byNames = new Map(
    [...added.values()].flatMap((line) => (line.names ? [[line.names, line] as const] : [])),
  );
  const cut = new Map(
    (state === undefined ? [] : pendingOf(state)).flatMap(({ type, resource }) =>
      CUT.has(type) && resource.type === MEMBER_TYPE
        ? [[nameOf(resource.urn), resource.inputs] as const]
        : [],
    ),
  );
  const time = state?.deployment.manifest?.time;
  return {
    users: new Set(added.keys()),
    creationOf(name, ref, person) {
      const begun = cut.has(name) ? personSchema.safeParse(cut.get(name)).data : undefined;
      // It adopted the user, so it added none.
      if (begun?.adopt !== undefined) return undefined;
      const { email, purpose, lastName } = person ?? begun ?? {};
      const logged =
        purpose === undefined ? undefined : byNames.get(namesHash(organizationId, purpose, lastName));
      const since = logged?.time ?? (cut.has(name) ? (time ?? new Date(0).toISOString()) : undefined);
      if (since === undefined || (email ?? purpose) === undefined) return undefined;
      if (email !== undefined) return { since, address: markOf(ref, email) };
      return {
        ...{ since, purpose: markOf(ref, purpose ?? "") },
        ...(lastName !== undefined && { lastName: markOf(ref, lastName) }),
      };
    },
  };
}

/** A line has the stack as PULUMI_STACK named it: with or without a project. A line without a stack is of each. */
export function isOfStack(named: string | undefined, stack: string): boolean {
  if (named === undefined) return true;
  const [one, other] = [partsOf(named), partsOf(stack)];
  if (one.name !== other.name) return false;
  return one.project === undefined || other.project === undefined || one.project === other.project;
}

/** @param stack `people`, `acme/people`, or `acme/orgseat/people` */
function partsOf(stack: string): { name: string | undefined; project: string | undefined } {
  const parts = stack.split("/");
  return { name: parts.at(-1), project: parts.length === 3 ? parts[1] : undefined };
}
