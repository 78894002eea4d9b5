/** Managed users whom an earlier run may have created: a plan neither counts nor creates them as new. */
import { actionsIn } from "./entries.ts";
import { inOrder, type PlannedMember } from "./members.ts";

/** By the URN of the user, what a run does: waits for a decision, takes the user into the state, or creates it as decided. */
export type UnfinishedCreations = ReadonlyMap<string, "wait" | "find" | "take" | "create">;

export function withUnfinished(member: PlannedMember, unfinished: UnfinishedCreations): PlannedMember {
  const [next] = member.steps.flatMap(({ urn }) => unfinished.get(urn) ?? []);
  // Seat and token need the user.
  if (next === "wait") return { ...member, entries: [], actions: ["undecided"] };
  if (next !== "take") return member;
  const entries = member.entries.map((entry) =>
    entry.action === "join" ? ({ ...entry, action: "adopt", operation: "adopt user" } as const) : entry,
  );
  return { ...member, entries, actions: inOrder(actionsIn(entries)) };
}
