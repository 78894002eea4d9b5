/** What the plan of a member depends on that no state has: the list of users, and tokens. Pure. */
import type { Observed } from "../../provider/member/observe.ts";
import { conditionsOf, type Plan, type Step } from "../../provider/member/step.ts";
import type { SeenList } from "./seen.ts";

interface Planned {
  readonly observed: Observed;
  readonly plan: Plan;
}

/** Whether a list of users decides: about who is added, adopted, or removed, and about requests without an answer. */
export function needsList({ plan, observed }: Planned): boolean {
  const { pending, users } = observed.held;
  const isOpen = pending !== undefined || users.some(({ asked }) => asked !== undefined);
  return isOpen || plan.waits.length > 0 || plan.units.some((unit) => unit.steps.some(asks));
}

function asks(step: Step): boolean {
  const { call, effect } = step;
  if (call === "add user" || call === "remove user" || effect?.do === "adopt") return true;
  return conditionsOf({ steps: [step] }).length > 0;
}

/** The adopted users whose tokens the plan depends on, and that the list has without them. */
export function needsTokens({ plan, observed }: Planned, list: SeenList | undefined): string[] {
  if (list === undefined) return [];
  const held = observed.held.users.map(({ id }) => id);
  const adopted = plan.units.flatMap(({ steps }) =>
    steps.flatMap(({ effect, user, onlyIf = [] }) => {
      if (effect?.do === "adopt") return [effect.user.id];
      const isOfTokens = onlyIf.some((one) => one === "identified" || one === "noOtherToken");
      return isOfTokens && user !== undefined && held.includes(user) ? [user] : [];
    }),
  );
  return [...new Set(adopted)].filter((id) => list.byId.has(id) && !list.members.tokens.has(id));
}
