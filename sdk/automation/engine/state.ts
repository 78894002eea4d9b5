/** What lies in a stack's state, read as far as it is needed; secrets stay as they are. */
import { z } from "zod";
import { isLive } from "../plan/liveness.ts";
import { memberOf, TYPE_PREFIX } from "../plan/urns.ts";
import type { Deployment } from "./engine.ts";

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
});
export type StateEntry = z.output<typeof resourceSchema>;

const deploymentSchema = z.looseObject({
  version: z.number(),
  deployment: z.looseObject({
    resources: z.array(resourceSchema).nullish(),
    pending_operations: z.array(z.unknown()).nullish(),
  }),
});
export type State = z.output<typeof deploymentSchema>;

/** @throws where it is no state that this release can read */
export function readState(stack: string, exported: Deployment): State {
  const parsed = deploymentSchema.safeParse(exported);
  if (parsed.success) return parsed.data;
  throw new Error(`the state of stack ${stack} is not understood: ${parsed.error.issues[0]?.message}`);
}

/** @throws where it is no resource of a state */
export function entryOf(value: unknown): StateEntry {
  return resourceSchema.parse(value);
}

export function entriesOf({ deployment }: State): StateEntry[] {
  return deployment.resources ?? [];
}

const pendingSchema = z.looseObject({ type: z.string(), resource: z.looseObject({ urn: z.string() }) });

/** URNs of what a run that died was removing: nobody knows whether it is there. */
export function pendingRemovals({ deployment }: State): string[] {
  return (deployment.pending_operations ?? []).flatMap((value) => {
    const { data } = pendingSchema.safeParse(value);
    return data?.type === "deleting" ? [data.resource.urn] : [];
  });
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

/** The members of a state, without what waits for its deletion, or was deleted and not made anew. */
export function membersOf(stack: string, state: State): ManagedMember[] {
  const live = entriesOf(state).filter(isLive);
  const byMember = Map.groupBy(
    live.filter(({ type }) => type.startsWith(TYPE_PREFIX)),
    ({ urn, parent }) => memberOf(urn, parent),
  );
  return [...byMember].flatMap(([key, entries]) => {
    const user = entries.find(({ type }) => type === `${TYPE_PREFIX}OrgUser`);
    if (user?.id === undefined) return [];
    const label = labelOf(user) ?? key;
    const isProtected = user.protect === true;
    const email = typeof user.outputs?.email === "string" ? user.outputs.email : undefined;
    return [{ key, stack, userId: user.id, label, email, isProtected }];
  });
}

function labelOf({ outputs = {} }: StateEntry): string | undefined {
  const { email, firstName, lastName } = outputs;
  if (typeof email === "string") return email;
  const names = [firstName, lastName].filter((name) => typeof name === "string");
  return names.length === 0 ? undefined : names.join(" ");
}
