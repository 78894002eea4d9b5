/** A plan for scripts: versioned, without secrets. */
import { z } from "zod";
import { type Action, actionNames } from "./actions.ts";
import { countsOf } from "./counts.ts";
import { guardNames, type Violation } from "./guards.ts";
import type { Plan } from "./plan.ts";
import { availableAfter } from "./seats.ts";

const actionSchema = z.enum(actionNames as [Action, ...Action[]]);
const count = z.number().int();

const countsSchema = z.strictObject({
  joining: count,
  adopted: count,
  leaving: count,
  released: count,
  seatsAssigned: count,
  seatsReturned: count,
  tokensIssued: count,
  tokensRenewed: count,
  tokensReplaced: count,
  tokensRevoked: count,
  accountsCreated: count,
  accountsDeleted: count,
  serversDeleted: count,
  tablesCreated: count,
  mailedPeople: count,
  unchangedPeople: count,
});

/** The form of `orgseat preview --json`. */
export const planSchema = z.strictObject({
  version: z.literal(1),
  organizationId: z.string(),
  /** Whether `up` would change anything. */
  hasChanges: z.boolean(),
  /** False if the preview did not finish or shows the wrong roster: then without figures and people. */
  complete: z.boolean(),
  counts: countsSchema.nullable(),
  seats: z
    .strictObject({
      used: count,
      purchased: count.nullable(),
      source: z.enum(["declared", "onboarding", "unknown"]),
      availableAfter: count.nullable(),
    })
    .nullable(),
  /** The people whom the plan changes. */
  people: z.array(
    z.strictObject({
      key: z.string(),
      who: z.string(),
      stack: z.string(),
      userId: z.string().nullable(),
      actions: z.array(actionSchema),
    }),
  ),
  otherResources: z.array(
    z.strictObject({ type: z.string(), name: z.string(), stack: z.string(), actions: z.array(actionSchema) }),
  ),
  violations: z.array(
    z.strictObject({
      guard: z.enum(guardNames),
      text: z.string(),
      people: z.array(z.string()),
      override: z.string().nullable(),
    }),
  ),
});
export type PlanJson = z.output<typeof planSchema>;

export function planToJson(plan: Plan, violations: readonly Violation[] = []): PlanJson {
  const { organizationId, hasChanges, isComplete: complete } = plan;
  const changes = complete
    ? changesInJson(plan)
    : { counts: null, seats: null, people: [], otherResources: [] };
  return {
    ...{ version: 1, organizationId, complete, hasChanges: complete && hasChanges },
    ...changes,
    violations: violations.map(({ guard, text, people, override }) => ({
      ...{ guard, text, people: [...people] },
      override: override ?? null,
    })),
  };
}

function changesInJson(plan: Plan): Pick<PlanJson, "counts" | "seats" | "people" | "otherResources"> {
  const { seats, members, otherResources } = plan;
  return {
    counts: countsOf(plan),
    seats: {
      used: seats.used,
      purchased: seats.purchased ?? null,
      source: seats.source,
      availableAfter: availableAfter(seats) ?? null,
    },
    people: members
      .filter(({ actions }) => actions.length > 0)
      .map(({ key, label, stack, userId, actions }) => ({
        ...{ key, who: label, stack, userId: userId ?? null },
        actions: [...actions],
      })),
    otherResources: otherResources
      .filter(({ actions }) => actions.length > 0)
      .map(({ step: { type, name, stack }, actions }) => ({ type, name, stack, actions: [...actions] })),
  };
}
