/**
 * What a member needs: the only decision about what is sent. Preview, approval, guards, texts, and results read its list.
 * Pure, and never an exception: a refusal is a result.
 */
import { accessAt } from "../../resources/org-user/access-end.ts";
import { known, unknown } from "../../resources/unknown.ts";
import { isEmptied } from "../held.ts";
import { isObserved, type Observed } from "../observe.ts";
import { isIndependent, joined, noPlan, note, type Plan, takesSomething, type Unit, unit } from "../step.ts";
import type { Can, Wanted, WantedMember } from "../wanted.ts";
import { planIdentity } from "./identity.ts";
import { leavingPlan } from "./leaving.ts";
import { possibleUnits, standIn, withSettings } from "./settings.ts";

/** @param now milliseconds since 1970; of an approved plan, the time of the plan */
export function stepsOf(observed: Observed, wanted: Wanted, now: number, can: Can): Plan {
  const { stored, held } = observed;
  if (wanted.leaving && isEmptied(stored)) return noPlan;
  if (wanted.leaving) {
    const leaving = joined(observation(observed), leavingPlan(observed, wanted, can));
    return permitted(observed, wanted, leaving, true);
  }
  if (wanted.organization !== undefined && wanted.organization !== "same")
    return { ...noPlan, isReplaced: true };
  const settled = standIn(held, wanted);
  const access = accessOf(wanted, now);
  const plan =
    access === "ended"
      ? leavingPlan(observed, settled, can)
      : planIdentity({ observed, wanted: settled, now, can });
  const names = [settled.accessUntil].filter((end) => end !== undefined);
  const notes = access === "endsSoon" ? [{ kind: "accessEndsSoon" as const, names }] : [];
  return permitted(
    observed,
    settled,
    joined(observation(observed), withSettings(held, settled, plan), {
      units: possibleUnits(held, wanted),
      notes,
    }),
    access === "ended",
  );
}

function accessOf({ accessUntil }: WantedMember, now: number) {
  return accessAt(accessUntil === unknown ? undefined : accessUntil, now);
}

/** What lists and interrupted runs show, put into the state. */
export function observation(observed: Observed): Partial<Plan> {
  if (!isObserved(observed)) return {};
  const { stored, held } = observed;
  const from = { users: stored.users, pending: stored.pending };
  const to = { users: held.users, pending: held.pending };
  return {
    units: unit(note("observed", { do: "observe", held }, [{ what: "observed", from, to }])),
  };
}

/** A protected member loses nothing, in the run that ends the protection neither. */
function permitted({ stored, held }: Observed, wanted: Wanted, plan: Plan, isLeaving: boolean): Plan {
  const isProtected = held.agreed.protected === true || (!wanted.leaving && known(wanted.protected) === true);
  if (!isProtected) return plan;
  const asked = plan.units.map(withoutConditional);
  const refused = new Set(asked.filter((one) => one.steps.some(takesSomething)));
  if (refused.size === 0) return { ...plan, units: asked };
  // Nothing of a changed address makes sense without the rest, and no one leaves by halves.
  const isWhole = isLeaving || [...refused].some(({ isOfChange }) => isOfChange);
  const isAside = (one: Unit) => isObservation(one) || (!wanted.leaving && isIndependent(one));
  // A retry of the same run must be refused, too.
  const isKept = (one: Unit) => !refused.has(one) && !endsProtection(one) && (!isWhole || isAside(one));
  const names = stored.users.map(({ id }) => id);
  const isCertain = [...refused].some(({ steps }) => steps.some(({ isPossible }) => isPossible !== true));
  return {
    ...plan,
    units: asked.filter(isKept),
    refused: isCertain
      ? [...plan.refused, { code: "protected-person", reason: "protected", names }]
      : plan.refused,
  };
}

function endsProtection({ steps }: Unit): boolean {
  return steps.some(
    ({ effect }) =>
      effect?.do === "agree" && "protected" in effect.agreed && effect.agreed.protected !== true,
  );
}

function isObservation({ steps }: Unit): boolean {
  return steps.every(({ effect }) => effect?.do === "observe");
}

/** An issue that would revoke what a 409 shows ends with the 409. */
function withoutConditional(one: Unit): Unit {
  if (!one.steps.some(({ onlyIf }) => onlyIf?.includes("conflict"))) return one;
  return { ...one, steps: one.steps.filter(({ onlyIf }) => onlyIf?.includes("conflict") !== true) };
}
