/** What a script and its runner, the process in which one stack is run, tell each other. */
import { z } from "zod";
import { resourceTypes } from "../plan/steps.ts";

const personSchema = z.object({
  key: z.string(),
  email: z.string().optional(),
  purpose: z.string().optional(),
  firstName: z.string().optional(),
  lastName: z.string().optional(),
  team: z.string().optional(),
  seat: z.boolean(),
  token: z.boolean(),
  expires: z.string().optional(),
  window: z.string().optional(),
  rotation: z.string().optional(),
  userId: z.string().optional(),
  protected: z.boolean(),
  place: z.string(),
});

const rosterSchema = z.object({
  file: z.string(),
  organizationId: z.string(),
  id: z.string().optional(),
  subscriptionExpiresAt: z.string().optional(),
  seats: z.number().optional(),
  rows: z.number().optional(),
  stacks: z.number(),
  removal: z.enum(["remove", "release"]).optional(),
  people: z.array(personSchema),
});

const leaverSchema = z.object({
  key: z.string().optional(),
  email: z.string().optional(),
  userId: z.string().optional(),
});

export const requestSchema = z.object({
  operation: z.enum(["preview", "up"]),
  stack: z.string(),
  program: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("roster"), roster: rosterSchema, leavers: z.array(leaverSchema) }),
    z.object({ kind: z.literal("module"), url: z.string() }),
  ]),
  targets: z.array(z.string()).optional(),
  refresh: z.boolean().optional(),
  continueOnError: z.boolean().optional(),
  /** Variables of this run, over those of the runner. */
  environment: z.record(z.string(), z.string()).optional(),
  workspace: z.object({
    folder: z.string(),
    secretsProvider: z.string().optional(),
  }),
});
export type RunnerRequest = z.output<typeof requestSchema>;

const stepSchema = z.object({
  stack: z.string(),
  urn: z.string(),
  type: z.enum(resourceTypes),
  name: z.string(),
  member: z.string(),
  parent: z.string().optional(),
  action: z.enum(["same", "create", "update", "replace", "delete"]),
  id: z.string().optional(),
  olds: z.record(z.string(), z.unknown()).optional(),
  news: z.record(z.string(), z.unknown()).optional(),
  isProtected: z.object({ before: z.boolean(), after: z.boolean() }),
  deleteFirst: z.boolean(),
  isReplaced: z.boolean(),
});
const markerSchema = z.object({
  urn: z.string(),
  rosterId: z.string(),
  action: z.enum(["same", "create", "delete"]),
  isDone: z.boolean(),
});
const stateSchema = z.enum(["begun", "done", "failed"]);

/** What a runner tells: steps as they go on, and at the end everything. */
export const runnerEventSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("progress"), urn: z.string(), state: stateSchema }),
  z.object({
    kind: z.literal("end"),
    steps: z.array(stepSchema),
    states: z.array(z.tuple([z.string(), stateSchema])),
    markers: z.array(markerSchema),
    otherTypes: z.array(z.string()),
    messages: z.array(
      z.object({
        stack: z.string(),
        severity: z.enum(["info", "warning", "error"]),
        urn: z.string().optional(),
        text: z.string(),
      }),
    ),
    failure: z.object({ code: z.enum(["locked", "cancelled", "failed"]), text: z.string() }).optional(),
  }),
]);
export type RunnerEvent = z.output<typeof runnerEventSchema>;

/** To a runner that is under way: stop in an orderly way. */
export const STOP = "stop";
