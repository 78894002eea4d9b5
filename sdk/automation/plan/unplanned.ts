/** What a run was about to do beside its plan, so that whoever it was about has a result too. */
import { gather } from "./people.ts";
import type { Plan } from "./plan.ts";
import { type Step, trackOf } from "./steps.ts";

/**
 * The members and other things of a plan, together with steps of a run that were no change of it: a person is one member,
 * whatever of the steps was planned. @param now milliseconds since 1970
 */
export function withUnplanned(
  { steps, members, things }: Plan,
  unplanned: readonly Step[],
  now: number,
): Pick<Plan, "members" | "things"> {
  const places = new Set(unplanned.map(placeOf));
  const tracks = new Set(unplanned.map(trackOf));
  const theirs = steps.filter((step) => places.has(placeOf(step)) && !tracks.has(trackOf(step)));
  const found = gather([...theirs, ...unplanned], now);
  return {
    members: [...members.filter(({ stack, key }) => !places.has(`${stack}/${key}`)), ...found.members],
    things: [...things.filter(({ step }) => !places.has(placeOf(step))), ...found.things],
  };
}

function placeOf({ stack, member }: Step): string {
  return `${stack}/${member}`;
}
