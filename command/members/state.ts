/** The exported state of a stack, as far as rosters need it. Secrets stay as they are. */
import { z } from "zod";
import { CodedError } from "../../provider/util/error-codes.ts";
import { THEN_RUN_AGAIN } from "../../provider/util/text.ts";
import { readFacts } from "../roster/facts.ts";
import { MARKER_TYPE, type RosterFacts } from "../roster/roster.ts";

const resourceSchema = z.looseObject({
  urn: z.string(),
  type: z.string(),
  id: z.string().optional(),
  custom: z.boolean().optional(),
  delete: z.boolean().optional(),
  pendingReplacement: z.boolean().optional(),
  inputs: z.record(z.string(), z.unknown()).optional(),
  outputs: z.record(z.string(), z.unknown()).optional(),
  created: z.string().optional(),
});
export type StateEntry = z.output<typeof resourceSchema>;

/** An operation that a run began and did not end. */
const operationSchema = z.looseObject({
  type: z.string(),
  resource: z.looseObject({
    urn: z.string(),
    type: z.string().default(""),
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

/** @param exported as `pulumi stack export` gives it @throws CodedError if this release cannot read it */
export function readState(stack: string, exported: unknown): State {
  const parsed = stateSchema.safeParse(exported);
  if (parsed.success) return parsed.data;
  throw new CodedError(
    "newer-state",
    `cannot read the state of stack ${stack}: ${z.prettifyError(parsed.error)}. Upgrade orgseat or the Pulumi CLI, ${THEN_RUN_AGAIN}`,
  );
}

export function entriesOf({ deployment }: State): StateEntry[] {
  return deployment.resources ?? [];
}

export function pendingOf({ deployment }: State): PendingOperation[] {
  return deployment.pending_operations ?? [];
}

/** Whether the resource is neither a replaced one before its deletion nor a deleted one before its new creation. */
export function isLive(entry: StateEntry): boolean {
  return entry.delete !== true && entry.pendingReplacement !== true;
}

export function nameOf(urn: string): string {
  return urn.split("::").slice(3).join("::");
}

/** The marker of a roster in a state. */
export interface StateMarker {
  readonly urn: string;
  readonly rosterId: string;
  readonly facts: RosterFacts;
}

export function markersIn(state: State | undefined): StateMarker[] {
  if (state === undefined) return [];
  return entriesOf(state)
    .filter(({ type }) => type === MARKER_TYPE)
    .map(({ urn, inputs }) => ({ urn, rosterId: nameOf(urn), facts: readFacts(inputs) }));
}
