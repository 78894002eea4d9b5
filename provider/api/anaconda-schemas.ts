/**
 * The requests and responses that only the dialect `anaconda` has, as zod schemas. Unknown fields are ignored. Ids such
 * as L8 are decisions in docs/contract.md.
 */
import { z } from "zod";
import { modelFileListSchema, modelIdSchema, serverFilterSchema, serverSchema } from "./model-schemas.ts";
import {
  emailSchema,
  idSchema,
  instantSchema,
  onboardingResultSchema,
  profileTextSchema,
} from "./schemas.ts";

/** The roles of members. The client accepts others. */
export const memberRoles = ["member", "admin", "billing_manager"] as const;

/** A member in the response of "list users". */
export const listedUserSchema = z.object({
  id: idSchema,
  email: profileTextSchema,
  first_name: profileTextSchema.nullish(),
  last_name: profileTextSchema.nullish(),
  role: profileTextSchema,
  /** The product codes of the member's seats. */
  subscriptions: z.array(z.string()),
  groups: z.array(z.unknown()).nullish(),
});
export const userListSchema = z.object({ items: z.array(listedUserSchema) });
export const userListQuerySchema = z.strictObject({
  include_groups: z.stringbool().or(z.boolean()).optional(),
});

/** The query of "assign seat". */
export const seatQuerySchema = z.strictObject({
  send_seat_assigned_email: z.stringbool().or(z.boolean()).optional(),
});

const toleranceSchema = z.int().min(0).optional();
/** The request of "issue token". Without `send_token_email` the service sends an email. */
export const issueListedTokenRequestSchema = z.object({
  expires_at: instantSchema,
  expiration_tolerance_months: toleranceSchema,
  send_token_email: z.boolean().optional(),
});
/** The request of "renew token". `is_renewal` extends to the end of the subscription and ignores `expires_at`. */
export const renewTokenRequestSchema = z.object({
  is_renewal: z.boolean().optional(),
  expires_at: instantSchema.nullish(),
  expiration_tolerance_months: toleranceSchema,
});

/** A token in the response of "list tokens", which never contains its value. */
export const listedTokenSchema = z.object({
  id: idSchema,
  expires_at: instantSchema,
  metadata: z.record(z.string(), z.unknown()).optional(),
  revoked: z.boolean().nullish(),
});
export const tokenListSchema = z.object({ items: z.array(listedTokenSchema) });

/** The response of "onboard users", whose fields can all be missing. A missing list is an empty one. */
export const partialOnboardingResultSchema = z.object({
  users_in_onboarding_process: z.array(z.string()).default([]),
  users_unavailable_for_onboarding: z.array(z.string()).default([]),
  ...onboardingResultSchema
    .pick({ total_organization_seats: true, available_organization_seats: true })
    .partial().shape,
});
/** The request of "add user". */
export const createMemberRequestSchema = z.object({
  email: emailSchema.nullish(),
  first_name: z.string().nullish(),
  last_name: z.string().nullish(),
});

const freeObject = z.record(z.string(), z.unknown());

/** The statuses of servers in requests and responses of this dialect. */
export const serverStates = ["STARTING", "RUNNING", "STOPPING", "STOPPED", "ERROR"] as const;
/** The query of "list servers". A status of `orgseat` is converted to one of the service. */
export const serverStateFilterSchema = serverFilterSchema.extend({
  status: z
    .string()
    .transform((status) => (status === "errored" ? "ERROR" : status.toUpperCase()))
    .pipe(z.enum(serverStates))
    .optional(),
});
const stateSchema = z
  .string()
  .meta({ enum: serverStates })
  .transform((status) => (status.toUpperCase() === "ERROR" ? "errored" : status.toLowerCase()));
/** A server in the response of "list servers", "get server" and "create server". */
export const serverWithStateSchema = serverSchema.extend({ status: stateSchema });
export const serverWithStateListSchema = z.object({ data: z.array(serverWithStateSchema) });

/** The configuration of a model server in the request of "create server". */
export const serverConfigSchema = z.object({
  modelFileName: z.string().min(1),
  apiParams: freeObject.optional(),
  loadParams: freeObject.optional(),
  inferParams: freeObject.optional(),
  logsDir: z.string().optional(),
});
export const createServerRequestSchema = z.object({
  serverConfig: serverConfigSchema,
  startServerOnCreate: z.boolean().optional(),
});
/** The response of "create server" and "get server". */
export const serverDetailsSchema = z.object({ data: serverWithStateSchema });
export const moveServerRequestSchema = z.object({ action: z.enum(["start", "stop"]) });
/** The response of "start or stop server". Its body can be missing. */
export const movedServerSchema = z.object({
  data: z
    .object({
      id: z.string(),
      status: z.string().meta({ enum: serverStates }),
      startedAt: z.string(),
      stoppedAt: z.string(),
    })
    .partial()
    .optional(),
});

/** The query of "list models" and "list model files". */
export const downloadedQuerySchema = z.strictObject({
  downloaded: z.stringbool().or(z.boolean()).optional(),
});
/** A model in the response of "list models" and "get model". */
export const modelSchema = z.looseObject({
  id: modelIdSchema,
  name: z.string().nullish(),
  files: modelFileListSchema.shape.data.nullish(),
});
export const modelListSchema = z.object({ data: z.array(modelSchema) });
export const modelDetailsSchema = z.object({ data: modelSchema });
export const changeModelFileRequestSchema = z.object({
  action: z.enum(["start", "pause", "resume", "cancel"]),
});

/** The response of "create vector database" and "start or stop vector database". */
export const vectorDatabaseSchema = z.object({
  data: z.object({
    running: z.boolean(),
    host: z.string(),
    port: z.int(),
    database: z.string(),
    user: z.string(),
    password: z.string(),
  }),
});
export const moveVectorDatabaseRequestSchema = z.object({ running: z.boolean() });
export const deletedTableSchema = z.object({ data: z.object({ message: z.string() }).optional() });

export type ListedUser = z.output<typeof listedUserSchema>;
export type ListedToken = z.output<typeof listedTokenSchema>;
export type ServerConfig = z.input<typeof serverConfigSchema>;
export type CreateServerRequest = z.input<typeof createServerRequestSchema>;
export type Model = z.output<typeof modelSchema>;
export type VectorDatabaseDetails = z.output<typeof vectorDatabaseSchema>["data"];
