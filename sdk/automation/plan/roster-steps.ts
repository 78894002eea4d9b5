/** The marker of a roster as a step: what it keeps decides who can read tokens, so a plan shows a change of it. */
import type { RosterFacts, RosterMarker } from "../roster/roster.ts";
import type { Properties, Step } from "./steps.ts";

/** None for a marker that is new, without a module, or that only learns public keys: the steps of the tokens show them. */
export function rosterSteps(stack: string, markers: readonly RosterMarker[]): Step[] {
  return markers.flatMap(({ urn, rosterId, action, before, after }) => {
    if (action === "same" || action === "delete") return [];
    const [olds, news] = [settingsIn(before), settingsIn(after)];
    if (action === "create" ? news.deliver === undefined : JSON.stringify(olds) === JSON.stringify(news))
      return [];
    return {
      ...({
        stack,
        urn,
        type: "Roster",
        name: rosterId,
        member: rosterId,
        parent: undefined,
        action,
      } as const),
      ...{ id: action === "create" ? undefined : rosterId, olds: before && olds, news },
      ...{ isProtected: { before: false, after: false }, deleteFirst: false, isReplaced: false },
    };
  });
}

function settingsIn({ deliver, sealTokens }: RosterFacts = {}): Properties {
  return { deliver, sealTokens };
}
