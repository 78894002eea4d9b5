/** What a run was about to do beside its plan, so that whoever it was about has a result too. */
import { groupByMember, type PlannedMember } from "./members.ts";
import type { Plan } from "./plan.ts";
import { type Step, trackOf } from "./steps.ts";

interface Unplanned {
  /** Steps of a run that were no change of the plan. */
  readonly unplanned: readonly Step[];
  /** Whoever is in the states after the run: of a person who is unknown to the plan, a step may tell the key alone. */
  readonly managed: readonly Pick<PlannedMember, "stack" | "key" | "label">[];
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The members and other things of a plan and of what was beside it: a person is one member, whatever was planned. */
export function withUnplanned(
  { steps, members, otherResources }: Plan,
  { unplanned, managed, now }: Unplanned,
): Pick<Plan, "members" | "otherResources"> {
  const places = new Set(unplanned.map(placeOf));
  const tracks = new Set(unplanned.map(trackOf));
  const theirs = steps.filter((step) => places.has(placeOf(step)) && !tracks.has(trackOf(step)));
  const found = groupByMember([...theirs, ...unplanned], now);
  const named = found.members.map((member): PlannedMember => {
    const known = managed.find(({ stack, key }) => stack === member.stack && key === member.key);
    return member.label === member.key && known ? { ...member, label: known.label } : member;
  });
  return {
    members: [...members.filter(({ stack, key }) => !places.has(`${stack}/${key}`)), ...named],
    otherResources: [...otherResources.filter(({ step }) => !places.has(placeOf(step))), ...found.things],
  };
}

function placeOf({ stack, member }: Step): string {
  return `${stack}/${member}`;
}
