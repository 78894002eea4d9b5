/** A plan for scripts: versioned, without secrets. */

import type { Action } from "../../members/action-table.ts";
import type { Violation } from "../guards/violation.ts";
import type { PlannedMember } from "../members.ts";
import type { Plan } from "../plan.ts";
import { availableAfter, type Seats } from "../seats.ts";
import { type Counts, countsOf } from "./counts.ts";

/** The form of `orgseat preview --json`. */
export interface PlanJson {
  readonly version: 1;
  readonly organizationId: string;
  /** Whether `up` would change anything. */
  readonly hasChanges: boolean;
  /** False if the preview did not finish or shows the wrong roster: then without figures and people. */
  readonly complete: boolean;
  readonly counts: Counts | null;
  readonly seats:
    | (Pick<Seats, "used" | "source"> & {
        readonly purchased: number | null;
        readonly availableAfter: number | null;
      })
    | null;
  /** The people whom the plan changes. */
  readonly people: readonly {
    readonly key: string;
    readonly who: string;
    readonly stack: string;
    readonly userId: string | null;
    /** In a roster of several files, that of the row. */
    readonly file: string | null;
    readonly actions: readonly Action[];
    /** Why, if the actions do not say. */
    readonly reasons: readonly string[];
  }[];
  /** The changed settings of the roster. */
  readonly settings: readonly {
    readonly name: string;
    readonly actions: readonly Action[];
    readonly reasons: readonly string[];
  }[];
  readonly violations: readonly (Pick<Violation, "guard" | "text" | "people"> & {
    readonly override: string | null;
  })[];
}

export function planToJson(plan: Plan, violations: readonly Violation[] = []): PlanJson {
  const { organizationId, hasChanges, isComplete: complete } = plan;
  const changes = complete ? changesInJson(plan) : { counts: null, seats: null, people: [], settings: [] };
  return {
    ...{ version: 1, organizationId, complete, hasChanges: complete && hasChanges },
    ...changes,
    violations: violations.map(({ guard, text, people, override = null }) => ({
      ...{ guard, text, people, override },
    })),
  };
}

export function peopleInJson(members: readonly PlannedMember[]): PlanJson["people"] {
  return members
    .filter(({ actions }) => actions.length > 0)
    .map(({ key, label: who, stack, userId = null, file, actions, reasons }) => ({
      ...{ key, who, stack, userId, file: file?.file ?? null, actions, reasons },
    }));
}

function changesInJson(plan: Plan): Pick<PlanJson, "counts" | "seats" | "people" | "settings"> {
  const { seats, members, settings } = plan;
  const { used, purchased = null, source } = seats;
  return {
    counts: countsOf(plan),
    seats: { used, purchased, source, availableAfter: availableAfter(seats) ?? null },
    people: peopleInJson(members),
    settings: settings.map(({ name, actions, reasons }) => ({ name, actions, reasons })),
  };
}
