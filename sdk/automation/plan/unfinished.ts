/** Managed users whom an earlier run may have created: a plan neither counts nor creates them as new. */
import { actionsIn } from "./entries.ts";
import { inOrder, type PlannedMember } from "./members.ts";

/**
 * What a run does: waits for a decision, takes the user from the list or creates it, waits if the list has the user and
 * creates it otherwise, takes the user into the state, or creates it as decided.
 */
export type NextOfCreation = "wait" | "find" | "check" | "take" | "create";

/** By the URN of the user. */
export type UnfinishedCreations = ReadonlyMap<string, NextOfCreation>;

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
