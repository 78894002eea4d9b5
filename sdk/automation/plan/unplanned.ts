/** Steps of a run that are not in its plan, so that the people whom they concern have a result too. */
import { groupByMember, type PlannedMember } from "./members.ts";
import type { Plan } from "./plan.ts";
import { type Step, trackOf } from "./steps.ts";

interface Unplanned {
  /** Steps of a run that are no change of the plan. */
  readonly unplanned: readonly Step[];
  /** The members in the states after the run: the step of a person who is not in the plan may have the key only. */
  readonly managed: readonly Pick<PlannedMember, "stack" | "key" | "label">[];
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The members and other resources of a plan and of the unplanned steps; each person is one member. */
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
    otherResources: [
      ...otherResources.filter(({ step }) => !places.has(placeOf(step))),
      ...found.otherResources,
    ],
  };
}

function placeOf({ stack, member }: Step): string {
  return `${stack}/${member}`;
}
