/** The states of stacks, read as far as the automation needs them. Secrets stay as they are. */

import { z } from "zod";
import { isPlaceholder } from "../../provider/resources/org-user/placeholder.ts";
import { CodedError, codeOf, type ErrorCode } from "../../provider/util/error-codes.ts";
import { mapConcurrently } from "../../provider/util/lists.ts";
import { messageOf, THEN_RUN_AGAIN } from "../../provider/util/text.ts";
import type { Deployment, Engine } from "../engine/engine.ts";
import { isSecret } from "../engine/masked.ts";
import { MEMBERSHIP, type Member } from "../plan/members.ts";
import {
  memberOf,
  nameIn,
  nameOf,
  type Properties,
  resourceTypeOf,
  type Step,
  TYPE_PREFIX,
  textIn,
} from "../plan/steps/steps.ts";

const resourceSchema = z.looseObject({
  urn: z.string(),
  type: z.string(),
  id: z.string().optional(),
  custom: z.boolean().optional(),
  delete: z.boolean().optional(),
  pendingReplacement: z.boolean().optional(),
  protect: z.boolean().optional(),
  parent: z.string().optional(),
  provider: z.string().optional(),
  /** Whether a program only reads the resource. */
  external: z.boolean().optional(),
  inputs: z.record(z.string(), z.unknown()).optional(),
  outputs: z.record(z.string(), z.unknown()).optional(),
  dependencies: z.array(z.string()).nullish(),
  /** By input, the URNs that its value depends on. */
  propertyDependencies: z.record(z.string(), z.array(z.string()).nullish()).nullish(),
  created: z.string().optional(),
  modified: z.string().optional(),
});
export type StateEntry = z.output<typeof resourceSchema>;

/** An operation that a run began and did not end. */
const operationSchema = z.looseObject({
  type: z.string(),
  resource: z.looseObject({
    urn: z.string(),
    type: z.string().default(""),
    parent: z.string().optional(),
    inputs: z.record(z.string(), z.unknown()).optional(),
  }),
});
export type PendingOperation = z.output<typeof operationSchema>;

const stateSchema = z.looseObject({
  version: z.number(),
  deployment: z.looseObject({
    manifest: z.looseObject({ time: z.string().optional() }).optional(),
    resources: z.array(resourceSchema).nullish(),
    pending_operations: z.array(operationSchema).nullish(),
  }),
});
export type State = z.output<typeof stateSchema>;

/** @throws if this release cannot read the state */
export function readState(stack: string, exported: Deployment): State {
  const parsed = stateSchema.safeParse(exported);
  if (parsed.success) return parsed.data;
  throw new CodedError(
    "newer-state",
    `cannot read the state of stack ${stack}: ${z.prettifyError(parsed.error)}. Upgrade orgseat or the Pulumi CLI, ${THEN_RUN_AGAIN}`,
  );
}

/** Undefined if the stack does not exist. Needs no lock. */
export async function stateOf(engine: Engine, stack: string): Promise<State | undefined> {
  const exported = await engine.exportStack(stack);
  return exported === undefined ? undefined : readState(stack, exported);
}

/** The stacks of an organization. */
export interface Stacks {
  readonly engine: Engine;
  /** The name of the stack, or the prefix of several; all names are short, or all have organization and project. */
  readonly baseName: string;
  readonly stacks: readonly string[];
  /** Of the stacks, those that do not exist yet. */
  readonly newStacks: readonly string[];
  /** Stacks of another number of stacks, which may still have people. */
  readonly staleStacks: readonly string[];
  readonly concurrency: number;
}

/** By stack, of those that exist. @param stacks default: all, including those of another number of stacks */
export async function statesOf(
  { engine, stacks: own, staleStacks, concurrency }: Omit<Stacks, "baseName" | "newStacks">,
  stacks: Iterable<string> = [...own, ...staleStacks],
): Promise<Map<string, State>> {
  const found = await mapConcurrently(stacks, concurrency, async (stack) => {
    const state = await stateOf(engine, stack);
    return state === undefined ? [] : [[stack, state] as const];
  });
  return new Map(found.flat());
}

/** A state that cannot be read, and why. */
export interface UnreadState {
  readonly stack: string;
  readonly code: ErrorCode;
  readonly text: string;
}

/** Of all stacks, those states that can be read. */
export async function readableStatesOf(
  organization: Stacks,
): Promise<{ readonly states: ReadonlyMap<string, State>; readonly unread: readonly UnreadState[] }> {
  const { stacks, staleStacks, concurrency } = organization;
  const found = await mapConcurrently([...stacks, ...staleStacks], concurrency, async (stack) => {
    try {
      return { stack, state: await stateOf(organization.engine, stack) };
    } catch (error) {
      return { stack, code: codeOf(error) ?? ("pulumi-failed" as const), text: messageOf(error) };
    }
  });
  return {
    states: new Map(found.flatMap(({ stack, state }) => (state === undefined ? [] : [[stack, state]]))),
    unread: found.flatMap(({ stack, code, text }) => (code === undefined ? [] : [{ stack, code, text }])),
  };
}

/** @throws if it is not a resource of a state */
export function entryOf(value: unknown): StateEntry {
  return resourceSchema.parse(value);
}

export function entriesOf({ deployment }: State): StateEntry[] {
  return deployment.resources ?? [];
}

export function pendingOf({ deployment }: State): PendingOperation[] {
  return deployment.pending_operations ?? [];
}

/** Whether orgseat manages the resource, which is not a component. */
export function isManaged({ type }: Pick<StateEntry, "type">): boolean {
  return type.startsWith(TYPE_PREFIX);
}

export function isToken({ type }: Pick<StateEntry, "type">): boolean {
  return resourceTypeOf(type) === "UserToken";
}

/** The key of the member that a resource belongs to. */
export function keyOf({ urn, parent }: Pick<StateEntry, "urn" | "type" | "parent">): string {
  return memberOf(urn, parent);
}

/** Whether the resource is neither a replaced one before its deletion nor a deleted one before its new creation. */
export function isLive(entry: StateEntry): boolean {
  return entry.delete !== true && entry.pendingReplacement !== true;
}

/** A resource that orgseat manages, in the state of a stack. */
export interface StateResource extends Pick<Step, "stack" | "type" | "name" | "member"> {
  /** The object in the service: for a user, a seat, and a token, the user id. */
  readonly id: string;
  /** Without the secret ones. */
  readonly outputs: Properties;
  /** When the state got it, a timestamp. */
  readonly created: string | undefined;
  /** Whether Pulumi refuses to remove it. */
  readonly isProtected: boolean;
}

export function resourcesOf(stack: string, state: State): StateResource[] {
  return resourcesAmong(stack, entriesOf(state).filter(isLive));
}

function resourcesAmong(stack: string, entries: readonly StateEntry[]): StateResource[] {
  return entries.flatMap((entry) => {
    const { urn, outputs = {}, created, protect } = entry;
    const type = resourceTypeOf(entry.type);
    if (type === undefined || !entry.id || isPlaceholder(outputs)) return [];
    const isOfUser = type === "SeatAssignment" || type === "UserToken";
    const id = (isOfUser ? textIn(outputs, "userId") : undefined) ?? entry.id;
    const shown = Object.fromEntries(Object.entries(outputs).filter(([, value]) => !isSecret(value)));
    const place = { stack, type, name: nameOf(urn), member: keyOf(entry), id };
    return { ...place, outputs: shown, created, isProtected: protect === true };
  });
}

/** The ids of the users whom the states have. */
export function userIdsIn(states: ReadonlyMap<string, State>): Set<string> {
  const resources = [...states].flatMap(([stack, state]) => resourcesOf(stack, state));
  return new Set(resources.flatMap(({ type, id }) => (type === "OrgUser" ? id : [])));
}

/** A member as the states have it: the resources of one user id. */
export interface StateMember extends Member {
  readonly userId: string;
  /** Undefined of a machine user. */
  readonly email: string | undefined;
  /** Undefined if the states have a seat or a token of the user alone. */
  readonly user: StateResource | undefined;
  readonly resources: readonly StateResource[];
}

/** Each user id once, in the first stack that has it: a member whose move to another stack was interrupted is in two. */
export function membersOf(resources: readonly StateResource[]): StateMember[] {
  const own = resources.filter(({ type }) => MEMBERSHIP.has(type));
  return [...Map.groupBy(own, ({ id }) => id)].flatMap(([userId, found]): StateMember[] => {
    const user = found.find(({ type }) => type === "OrgUser");
    const first = user ?? found[0];
    if (first === undefined) return [];
    const { member: key, stack } = first;
    const email = textIn(user?.outputs, "email");
    const label = nameIn(user?.outputs) ?? key;
    return [{ key, label, stack, userId, email, user, resources: found }];
  });
}

/** The members whose user the states have. */
export function membersIn(states: Iterable<readonly [stack: string, state: State]>): StateMember[] {
  const resources = [...states].flatMap(([stack, state]) => resourcesOf(stack, state));
  return membersOf(resources).filter(({ user }) => user !== undefined);
}

/**
 * The users whom interrupted replacements left in the states beside the managed ones. Seat and token of such a user may
 * still be live: Pulumi replaces them after the user.
 */
export function replacedMembersIn(states: ReadonlyMap<string, State>): StateMember[] {
  const managed = membersIn(states);
  const ids = new Set(managed.map(({ userId }) => userId));
  const keys = new Set(managed.map(({ key }) => key));
  const all = [...states].flatMap(([stack, state]) => resourcesAmong(stack, entriesOf(state)));
  return membersOf(all).filter(
    ({ userId, user, key }) => !ids.has(userId) && (user !== undefined || keys.has(key)),
  );
}

/** The token that the states have of a member. */
export function tokenIn({ resources }: Pick<StateMember, "resources">): StateResource | undefined {
  return resources.find(({ type }) => type === "UserToken");
}

export async function managedMembers(organization: Stacks): Promise<StateMember[]> {
  return membersIn(await statesOf(organization));
}
