/** The members, seats, token dates, servers and tables in a stack's exported state. */
import { z } from "zod";

const resourceSchema = z.object({
  type: z.string(),
  id: z.string().optional(),
  delete: z.boolean().optional(),
  outputs: z.record(z.string(), z.unknown()).optional(),
});
const exportSchema = z.object({
  deployment: z.object({ resources: z.array(resourceSchema).nullish() }).nullish(),
});
const userSchema = z.object({ email: z.string().optional(), purpose: z.string().optional() });
const memberSchema = z.object({
  ...userSchema.shape,
  userId: z.string().optional(),
  hasSeat: z.boolean(),
  tokenState: z.object({ expiresAt: z.string() }).optional(),
  held: z.object({
    users: z.array(z.object({ tokens: z.array(z.object({ reportedEnd: z.string().optional() })) })),
  }),
});
const tokenSchema = z.object({ validUntil: z.string(), expirySource: z.enum(["service", "declared"]) });

const serverSchema = z.object({
  tag: z.string().nullable(),
  status: z.string().nullable(),
  endpoint: z.object({ host: z.string(), port: z.number() }).nullable(),
});
const tableSchema = z.object({ name: z.string(), numRows: z.number().nullable() });

export interface TrackedMember {
  readonly userId: string;
  /** The email of a person, the purpose of a machine user. */
  readonly name: string;
  readonly seat: boolean;
  readonly token: z.output<typeof tokenSchema> | undefined;
}

/** A model server at its last creation or refresh. */
type TrackedServer = { readonly id: string } & z.output<typeof serverSchema>;
/** A table of the vector database at that time. */
type TrackedTable = z.output<typeof tableSchema>;

export interface StackContents {
  readonly members: readonly TrackedMember[];
  readonly serviceAccountIds: readonly string[];
  readonly servers: readonly TrackedServer[];
  readonly tables: readonly TrackedTable[];
}

/** The content of a new stack. */
export const emptyStackContents: StackContents = {
  members: [],
  serviceAccountIds: [],
  servers: [],
  tables: [],
};

/** Reads the output of `pulumi stack export`. */
export function readStackContents(exported: string): StackContents {
  const resources = exportSchema.parse(JSON.parse(exported)).deployment?.resources ?? [];
  const ofType = (name: string) =>
    resources.filter(({ type, id, delete: old }) => type === `pulumi-nodejs:orgseat:${name}` && id && !old);
  const seats = new Set(ofType("SeatAssignment").map(({ id }) => id));
  const tokens = new Map(ofType("UserToken").map(({ id, outputs }) => [id, outputs]));
  const users = ofType("OrgUser").map(({ id = "", outputs }) => {
    const { email, purpose = "" } = userSchema.parse(outputs);
    const token = tokens.get(id);
    return {
      userId: id,
      name: email ?? purpose,
      seat: seats.has(id),
      token: token && tokenSchema.parse(token),
    };
  });
  return {
    members: [...users, ...ofType("OrgMember").flatMap(({ outputs }) => memberIn(outputs))],
    serviceAccountIds: ofType("ServiceAccount").map(({ id = "" }) => id),
    servers: ofType("ModelServer").map(({ id = "", outputs }) => ({ id, ...serverSchema.parse(outputs) })),
    tables: ofType("VectorTable").map(({ outputs }) => tableSchema.parse(outputs)),
  };
}

/** What an OrgMember has; nothing after the end of the access. */
function memberIn(outputs: unknown): TrackedMember[] {
  const { userId, email, purpose = "", hasSeat, tokenState, held } = memberSchema.parse(outputs);
  if (userId === undefined) return [];
  const isReported = held.users[0]?.tokens[0]?.reportedEnd !== undefined;
  const expirySource = isReported ? ("service" as const) : ("declared" as const);
  const token = tokenState && { validUntil: tokenState.expiresAt, expirySource };
  return [{ userId, name: email ?? purpose, seat: hasSeat, token }];
}
