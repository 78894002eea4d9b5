/**
 * Machine users whose creation got no answer, as the states have them: placeholders, and creations during which Pulumi was
 * killed. A decision edits the state of their stack.
 */

import { creationIn, isPlaceholder, placeholderOf } from "../../provider/resources/org-user/placeholder.ts";
import type { Member } from "../plan/members.ts";
import { nameIn, type Properties, resourceTypeOf } from "../plan/steps/steps.ts";
import {
  entriesOf,
  entryOf,
  isLive,
  keyOf,
  type PendingOperation,
  pendingOf,
  type State,
  type StateEntry,
} from "./stack-state.ts";

/** The service has the user with this id, or the user does not exist. */
export type CreationDecision = { readonly exists: string } | { readonly missing: true };

/** The creation of a machine user about which a decision is due, or still can change. */
export interface OpenCreation extends Member {
  readonly urn: string;
  /** When it was requested, a timestamp. */
  readonly time: string;
  readonly inputs: Properties;
  /** The ids of the users of the same names from before; undefined if they are not known. */
  readonly before: readonly string[] | undefined;
  readonly isDecided: boolean;
  /** Whether Pulumi was killed during it, so that the state has no placeholder. */
  readonly isPending: boolean;
}

export function openCreationsIn(stack: string, state: State): OpenCreation[] {
  const held = entriesOf(state).flatMap((entry) => {
    const creation = isUser(entry) && isLive(entry) ? creationIn(entry.outputs) : undefined;
    return creation === undefined ? [] : [{ ...creationOf(stack, entry, creation), isPending: false }];
  });
  const time = state.deployment.manifest?.time ?? "";
  const pending = pendingUsersIn(state).map(({ resource }) => ({
    ...creationOf(stack, resource, { time }),
    isPending: true,
  }));
  return [...held, ...pending];
}

function creationOf(
  stack: string,
  { urn, type, parent, inputs = {} }: PendingOperation["resource"],
  { time, before, decision }: NonNullable<ReturnType<typeof creationIn>>,
): Omit<OpenCreation, "isPending"> {
  const key = keyOf({ urn, type, parent });
  return {
    ...{ stack, urn, key, label: nameIn(inputs) ?? key, userId: undefined },
    ...{ time, before, inputs, isDecided: decision !== undefined },
  };
}

/** The creations of machine users during which Pulumi was killed. Pulumi keeps them also after a later creation. */
export function pendingUsersIn(state: State): PendingOperation[] {
  const made = entriesOf(state).filter((entry) => isLive(entry) && !isPlaceholder(entry.outputs));
  return pendingOf(state).filter(({ type, resource }) => {
    const { urn, inputs = {} } = resource;
    const isMade = made.some((entry) => entry.urn === urn && nameIn(entry.inputs) === nameIn(inputs));
    const isMachineUser = inputs.email === undefined && inputs.adopt === undefined;
    return type === "creating" && isUser(resource) && isMachineUser && !isMade;
  });
}

function isUser({ type }: Pick<StateEntry, "type">): boolean {
  return resourceTypeOf(type) === "OrgUser";
}

/** Whether a resource of the state is the user, beside the one of the creation. */
export function hasUser(state: State, userId: string, urn: string): boolean {
  return entriesOf(state).some((entry) => isUser(entry) && entry.id === userId && entry.urn !== urn);
}

/** The state in which a placeholder stands for each pending creation of a machine user: an import drops all of them. */
export function withPlaceholders(state: State): State {
  const time = state.deployment.manifest?.time ?? new Date(0).toISOString();
  const made = new Map(
    pendingUsersIn(state).map(({ resource }) => {
      const { id, outs } = placeholderOf(resource.inputs ?? {}, { time });
      return [resource.urn, entryOf({ ...resource, custom: true, id, outputs: outs })] as const;
    }),
  );
  const there = new Set(entriesOf(state).map(({ urn }) => urn));
  // What was to be replaced goes after its successor, as Pulumi has it.
  const resources = entriesOf(state).flatMap((entry) => {
    const one = isLive(entry) ? made.get(entry.urn) : undefined;
    return one ? [one, { ...entry, delete: true }] : [entry];
  });
  const added = [...made.values()].filter(({ urn }) => !there.has(urn));
  return {
    ...state,
    deployment: { ...state.deployment, resources: [...resources, ...added], pending_operations: [] },
  };
}

/** The state after a decision: the next run acts on it. */
export function withDecision(state: State, { urn }: OpenCreation, decision: CreationDecision): State {
  const { deployment, ...rest } = withPlaceholders(state);
  const resources = (deployment.resources ?? []).map((entry) => {
    const creation = entry.urn === urn && isLive(entry) ? creationIn(entry.outputs) : undefined;
    if (creation === undefined) return entry;
    const id = "exists" in decision ? decision.exists : placeholderOf({}, creation).id;
    const outputs = {
      ...entry.outputs,
      userId: id,
      creation: { ...creation, decision: "exists" in decision ? "exists" : "missing" },
    };
    const { initErrors: _, ...decided } = entry;
    return entryOf({ ...decided, id, outputs });
  });
  return { ...rest, deployment: { ...deployment, resources } };
}
