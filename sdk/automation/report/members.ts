/** The members that the states hold: user, seat and token of one user id put together, in whatever stacks they are. */
import { z } from "zod";
import type { StateResource } from "./facts.ts";

export interface ReportMember {
  readonly userId: string;
  readonly stack: string;
  /** The names under which programs have it. */
  readonly names: readonly string[];
  readonly user: (z.output<typeof userSchema> & { readonly since: string | undefined }) | undefined;
  readonly seat: z.output<typeof seatSchema> | undefined;
  readonly token: z.output<typeof tokenSchema> | undefined;
}

const text = z.string().optional();
const userSchema = z.object({
  email: text,
  firstName: text,
  lastName: text,
  managed: z.boolean().optional(),
  adopted: z.boolean(),
});
const seatSchema = z.object({ confirmed: z.boolean() });
const tokenSchema = z.object({
  validUntil: z.string().refine((value) => !Number.isNaN(Date.parse(value))),
  expirySource: z.enum(["service", "declared"]),
});

export interface ReportMembers {
  readonly members: readonly ReportMember[];
  /** Resources whose outputs have another form than this release knows, as `<type> <name> (stack <stack>)`. */
  readonly unreadable: readonly string[];
}

const ofMembers: readonly string[] = ["OrgUser", "SeatAssignment", "UserToken"];

export function reportMembersOf(resources: readonly StateResource[]): ReportMembers {
  const unreadable: string[] = [];
  const byId = Map.groupBy(
    resources.filter(({ type }) => ofMembers.includes(type)),
    ({ id }) => id,
  );
  const members = [...byId].map(([userId, own]): ReportMember => {
    const read = <T>(type: StateResource["type"], schema: z.ZodType<T>): T | undefined => {
      const found = own.find((resource) => resource.type === type);
      if (found === undefined) return undefined;
      const parsed = schema.safeParse(found.outputs);
      if (!parsed.success) unreadable.push(`${type} ${found.name} (stack ${found.stack})`);
      return parsed.data;
    };
    const first = own.find(({ type }) => type === "OrgUser") ?? own[0];
    const user = read("OrgUser", userSchema);
    return {
      userId,
      stack: first?.stack ?? "",
      names: [...new Set(own.map(({ member }) => member))],
      user: user && { ...user, since: first?.created },
      seat: read("SeatAssignment", seatSchema),
      token: read("UserToken", tokenSchema),
    };
  });
  return { members, unreadable };
}

/** Of a managed user: what its token is for. */
export function purposeOf(member: ReportMember): string | undefined {
  if (member.user === undefined || member.user.email !== undefined) return undefined;
  const names = [member.user.firstName, member.user.lastName];
  const purpose = names.filter((name) => name !== undefined).join(" ");
  return purpose === "" ? undefined : purpose;
}

/** The email, else the purpose; undefined where the states do not say. */
export function nameOfMember(member: ReportMember): string | undefined {
  return member.user?.email ?? purposeOf(member);
}
