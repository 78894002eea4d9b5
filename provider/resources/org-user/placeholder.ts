/** What the state has in place of a machine user whose creation got no answer. Pure. */
import { randomUUID } from "node:crypto";
import { z } from "zod";
import { newInstance } from "../ownership.ts";
import { STATE_VERSION } from "../resource-types.ts";

/** Of a machine user whose creation got no answer: see undecided.ts. */
export const creationSchema = z.object({
  /** When the request was sent, a timestamp. */
  time: z.string(),
  /** The ids of the users of the same names from before; undefined if they are not known. */
  before: z.array(z.string()).optional(),
  decision: z.enum(["exists", "missing"]).optional(),
});
type Creation = z.output<typeof creationSchema>;

/** Undefined for any other OrgUser. */
function creationIn(outs: object | undefined): Creation | undefined {
  if (outs === undefined || !("creation" in outs)) return undefined;
  return creationSchema.safeParse(outs.creation).data;
}

/** `undecided` and `missing`: the state has a placeholder, and not a user. Undefined for any other OrgUser. */
export function decisionOf(outs: object | undefined): "undecided" | "exists" | "missing" | undefined {
  const creation = creationIn(outs);
  return creation && (creation.decision ?? "undecided");
}

/** Whether the id is not that of a user. */
export function isPlaceholder(outs: object | undefined): boolean {
  const decision = decisionOf(outs);
  return decision === "undecided" || decision === "missing";
}

export function placeholderOf<Inputs extends object>(inputs: Inputs, creation: Creation) {
  const id = `undecided-${randomUUID()}`;
  const service = { userId: id, serviceEmail: null, adopted: false, instance: newInstance() };
  return {
    id,
    outs: { ...inputs, stateVersion: STATE_VERSION, ...service, isMachineUser: true, creation },
  } as const;
}
