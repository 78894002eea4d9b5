/** The form of a plan in JSON, typed by hand: scripts read it, so that a field may only be added. */
import { z } from "zod";
import { type Action, actionNames } from "../../command/members/action-table.ts";
import { guardNames } from "../../command/plan/guards/violation.ts";

const actionSchema = z.enum(actionNames as [Action, ...Action[]]);
const count = z.number().int();

const COUNTS = [
  ...["joining", "adopted", "leaving", "retained", "undecided", "seatsAssigned", "seatsReturned"],
  ...["tokensIssued", "tokensRenewed", "tokensShortened", "tokensReplaced", "tokensRevoked"],
  ...["rulesChanged", "settingsChanged", "seatEmails", "tokenEmails", "unchangedPeople"],
] as const;

export const planSchema = z.strictObject({
  version: z.literal(1),
  organizationId: z.string(),
  /** Whether `up` would change anything. */
  hasChanges: z.boolean(),
  /** False if the preview did not finish or shows the wrong roster: then without figures and people. */
  complete: z.boolean(),
  counts: z.record(z.enum(COUNTS), count).nullable(),
  seats: z
    .strictObject({
      used: count,
      purchased: count.nullable(),
      source: z.enum(["declared", "unknown"]),
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
      file: z.string().nullable(),
      actions: z.array(actionSchema),
      /** Why, where time alone is the cause. */
      reasons: z.array(z.string()),
    }),
  ),
  /** The changed settings of the roster. */
  settings: z.array(
    z.strictObject({ name: z.string(), actions: z.array(actionSchema), reasons: z.array(z.string()) }),
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
