/** The members of the states with their outputs read. */
import { z } from "zod";
import { parseExpiry } from "../../provider/resources/user-token/dates.ts";
import { nameIn } from "../plan/steps/steps.ts";
import { membersOf, type StateMember, type StateResource } from "../stacks/stack-state.ts";

export interface ReportMember extends StateMember {
  /** What the user's outputs say; undefined as for `user`, or if they have another form. */
  readonly profile: z.output<typeof profileSchema> | undefined;
  readonly seat: z.output<typeof seatSchema> | undefined;
  readonly token: z.output<typeof tokenSchema> | undefined;
}

const text = z.string().optional();
const dateText = text.refine((value) => value === undefined || !Number.isNaN(Date.parse(value)));
const profileSchema = z.object({
  email: text,
  purpose: text,
  firstName: text,
  lastName: text,
  isMachineUser: z.boolean().optional(),
  adopted: z.boolean(),
});
const seatSchema = z.object({ confirmed: z.boolean(), adopted: z.boolean().optional() });
const tokenSchema = z.object({
  validUntil: z.string().refine((value) => !Number.isNaN(Date.parse(value))),
  expirySource: z.enum(["service", "declared"]),
  rotateEvery: text,
  issuedAt: dateText,
  expiresAt: text.refine((value) => value === undefined || parseExpiry(value) !== undefined),
  subscriptionExpiresAt: dateText,
});

/**
 * @returns as `unreadable` the resources whose outputs have another form than this release knows, as
 *   `<type> <name> (stack <stack>)`
 */
export function reportMembersOf(resources: readonly StateResource[]): {
  readonly members: readonly ReportMember[];
  readonly unreadable: readonly string[];
} {
  const unreadable: string[] = [];
  const members = membersOf(resources).map((member): ReportMember => {
    const read = <T>(type: StateResource["type"], schema: z.ZodType<T>): T | undefined => {
      const found = member.resources.find((resource) => resource.type === type);
      if (found === undefined) return undefined;
      const parsed = schema.safeParse(found.outputs);
      if (!parsed.success) unreadable.push(`${type} ${found.name} (stack ${found.stack})`);
      return parsed.data;
    };
    return {
      ...member,
      profile: read("OrgUser", profileSchema),
      seat: read("SeatAssignment", seatSchema),
      token: read("UserToken", tokenSchema),
    };
  });
  return { members, unreadable };
}

/** The email, otherwise the purpose; undefined if the states do not say. */
export function nameOfMember({ profile }: ReportMember): string | undefined {
  return nameIn(profile);
}

/** The purpose of the token of a machine user. */
export function purposeOf({ profile }: ReportMember): string | undefined {
  return profile?.email === undefined ? nameIn(profile) : undefined;
}
