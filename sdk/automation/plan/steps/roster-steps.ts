/** The marker of a roster as a step: what it keeps decides who can read tokens, so a plan shows a change of it. */
import type { RosterFacts, RosterMarker } from "../../roster/roster.ts";
import type { Properties, Step } from "./steps.ts";

/** None for a marker that is new, without a module, or that only learns public keys: the steps of the tokens show them. */
export function rosterSteps(stack: string, markers: readonly RosterMarker[]): Step[] {
  return taken(markers).flatMap(({ urn, rosterId, action, before, after }) => {
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

/** The run of a roster without an id takes the id of its stack, so a new marker beside one in the state stands for that one. */
function taken(markers: readonly RosterMarker[]): readonly RosterMarker[] {
  const [created, inState] = (["create", "delete"] as const).map((action) =>
    markers.find((marker) => marker.action === action),
  );
  if (created === undefined || inState === undefined) return markers;
  const others = markers.filter((marker) => marker !== created && marker !== inState);
  return [...others, { ...inState, action: "update", after: created.after }];
}

function settingsIn({ deliver, sealTokens }: RosterFacts = {}): Properties {
  return { deliver, sealTokens };
}
