/** The states of stacks, read as far as they are needed; secrets stay as they are. */

import { z } from "zod";
import { mapConcurrently } from "../../provider/map-concurrently.ts";
import type { Deployment, Engine } from "./engine/engine.ts";
import { memberOf, TYPE_PREFIX } from "./plan/steps.ts";

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
  outputs: z.record(z.string(), z.unknown()).optional(),
  dependencies: z.array(z.string()).nullish(),
  created: z.string().optional(),
  modified: z.string().optional(),
});
export type StateEntry = z.output<typeof resourceSchema>;

/** What a run began and did not end. */
const operationSchema = z.looseObject({
  type: z.string(),
  resource: z.looseObject({
    urn: z.string(),
    type: z.string().default(""),
    inputs: z.record(z.string(), z.unknown()).optional(),
  }),
});

const stateSchema = z.looseObject({
  version: z.number(),
  deployment: z.looseObject({
    manifest: z.looseObject({ time: z.string().optional() }).optional(),
    resources: z.array(resourceSchema).nullish(),
    pending_operations: z.array(operationSchema).nullish(),
  }),
});
export type State = z.output<typeof stateSchema>;

/** @throws where it is no state that this release can read */
export function readState(stack: string, exported: Deployment): State {
  const parsed = stateSchema.safeParse(exported);
  if (parsed.success) return parsed.data;
  throw new Error(
    `cannot read the state of stack ${stack}: ${z.prettifyError(parsed.error)}. Update orgseat or the Pulumi CLI, then try again`,
  );
}

/** Undefined where the stack does not exist. Needs no lock. */
export async function stateOf(engine: Engine, stack: string): Promise<State | undefined> {
  const exported = await engine.exportStack(stack);
  return exported === undefined ? undefined : readState(stack, exported);
}

interface Stacks {
  readonly engine: Engine;
  readonly stacks: readonly string[];
  readonly staleStacks: readonly string[];
  readonly concurrency: number;
}

/** By stack, of those that exist. @param stacks default: all, those of another number of stacks too */
export async function statesOf(
  { engine, stacks: own, staleStacks, concurrency }: Stacks,
  stacks: Iterable<string> = [...own, ...staleStacks],
): Promise<Map<string, State>> {
  const found = await mapConcurrently(stacks, concurrency, async (stack) => {
    const state = await stateOf(engine, stack);
    return state === undefined ? [] : [[stack, state] as const];
  });
  return new Map(found.flat());
}

/** @throws where it is no resource of a state */
export function entryOf(value: unknown): StateEntry {
  return resourceSchema.parse(value);
}

export function entriesOf({ deployment }: State): StateEntry[] {
  return deployment.resources ?? [];
}

export function pendingOf({ deployment }: State): z.output<typeof operationSchema>[] {
  return deployment.pending_operations ?? [];
}

/** Whether it is a resource that orgseat manages, which none of its components is. */
export function isManaged({ type }: Pick<StateEntry, "type">): boolean {
  return type.startsWith(TYPE_PREFIX);
}

/** The key of the member that a resource belongs to. */
export function keyOf({ urn, parent }: StateEntry): string {
  return memberOf(urn, parent);
}

/** One managed member, as a state has it. */
export interface ManagedMember {
  readonly key: string;
  readonly stack: string;
  readonly userId: string;
  /** The email, else the names. */
  readonly label: string;
  /** Undefined of a managed user. */
  readonly email: string | undefined;
  /** Whether Pulumi refuses to remove it. */
  readonly isProtected: boolean;
}

/** The members of a state, without resources that a run has deleted or is still to delete. */
export function membersOf(stack: string, state: State): ManagedMember[] {
  const live = entriesOf(state).filter((entry) => isLive(entry) && isManaged(entry));
  return [...Map.groupBy(live, keyOf)].flatMap(([key, entries]): ManagedMember[] => {
    const user = entries.find(({ type }) => type === `${TYPE_PREFIX}OrgUser`);
    if (user?.id === undefined) return [];
    const { email, firstName, lastName } = user.outputs ?? {};
    const names = [firstName, lastName].filter((name) => typeof name === "string").join(" ");
    const isProtected = user.protect === true;
    const member = { key, stack, userId: user.id, isProtected };
    if (typeof email === "string") return [{ ...member, label: email, email }];
    return [{ ...member, label: names || key, email: undefined }];
  });
}

/** All members, each once: a member whose move to another stack was interrupted is in two states. */
export async function managedMembers(organization: Stacks): Promise<ManagedMember[]> {
  const members = [...(await statesOf(organization))].flatMap(([stack, state]) => membersOf(stack, state));
  return [...Map.groupBy(members, ({ userId }) => userId).values()].flatMap(([first]) => first ?? []);
}

interface Marks {
  readonly delete?: boolean | undefined;
  readonly pendingReplacement?: boolean | undefined;
}

/** Whether the resource is neither a replaced one before its deletion nor a deleted one before its new creation. */
export function isLive(entry: Marks): boolean {
  return entry.delete !== true && entry.pendingReplacement !== true;
}
