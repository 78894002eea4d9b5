import * as pulumi from "@pulumi/pulumi";
import {
  accessEnd,
  ignoredInParts,
  partsOfMember,
  seatIssue,
} from "../provider/resources/org-user/member.ts";
import { programError } from "./base/program-error.ts";
import { suspendStackCapture, withStackTrace } from "./base/stack-capture.ts";
import { type MachineUserArgs, OrgUser, type PersonArgs } from "./org-user.ts";
import { SeatAssignment, type SeatOptions } from "./seat-assignment.ts";
import { type TokenOptions, UserToken } from "./user-token.ts";

interface WithSeat {
  /** The member's seat: `true`, or the options for its adoption and removal. A change to `false` removes seat and token. */
  seat: true | SeatOptions;
  /** The member's token. Default: none. With `{}`, it expires with the subscription. */
  token?: TokenOptions;
}
interface WithoutSeat {
  seat: false;
  /** A token needs a seat. */
  token?: never;
}

/** Inputs of an {@link OrgMember}: the person or machine user, the seat and the token, and the end of the access. */
export type OrgMemberArgs<Until extends string | undefined = string | undefined> = (
  | PersonArgs
  | MachineUserArgs
) &
  (WithSeat | WithoutSeat) & {
    /**
     * When the access ends: a timestamp, or a date, which means the end of that day in UTC. Default: no end. Afterwards the
     * component declares no user, seat, or token, so the next run removes them. A later date extends the access, or adds a
     * new user if the old one is removed. Runs warn from 14 days before. A plain string, because it decides what the program
     * declares.
     */
    accessUntil?: Until;
  };

/**
 * A member with seat and token, chained so that removal revokes the token, removes the seat, and removes the user, in
 * this order. Its resources are the {@link OrgUser} `<name>-user`, the {@link SeatAssignment} `<name>-seat`, and the
 * {@link UserToken} `<name>-token`.
 *
 * ```ts
 * const ada = new OrgMember("ada", { email: "ada@acme.example", seat: true, token: {} });
 * ```
 */
export class OrgMember<Until extends string | undefined = undefined> extends pulumi.ComponentResource {
  /** Undefined after `accessUntil`, like `seat` and `token`. */
  declare readonly user: OrgUser | AfterEnd<Until>;
  /** The user id. Undefined after `accessUntil`. */
  declare readonly userId: pulumi.Output<string> | AfterEnd<Until>;
  /** Its seat. Undefined without one. */
  readonly seat: SeatAssignment | undefined;
  /** Its token. Undefined without one. */
  readonly token: UserToken | undefined;

  constructor(name: string, args: OrgMemberArgs<Until>, options?: pulumi.ComponentResourceOptions) {
    const resumeStackCapture = suspendStackCapture();
    try {
      // The component itself has no inputs whose changes Pulumi could ignore.
      super("orgseat:index:OrgMember", name, {}, { ...options, ignoreChanges: [] });
    } catch (error) {
      throw withStackTrace(error, resumeStackCapture, new.target);
    } finally {
      resumeStackCapture();
    }
    const issue = seatIssue(name, args.seat, args.token);
    if (issue !== undefined) throw programError("invalid-input", issue);
    if (hasAccessEnded(name, args.accessUntil, this)) {
      this.registerOutputs();
      return;
    }
    const { seat, token, ...parts } = memberParts(name, args);
    const ignored = ignoredInParts(name, options?.ignoreChanges ?? []);
    if (ignored.warning !== undefined) void pulumi.log.warn(ignored.warning, this);
    const inside = (ignoreChanges: string[]) => ({ parent: this, ignoreChanges });
    const user = new OrgUser(parts.user.name, parts.user.args, inside(ignored.user));
    this.user = user;
    this.userId = user.id;
    if (seat)
      this.seat = new SeatAssignment(seat.name, { ...seat.args, userId: user.id }, inside(ignored.seat));
    if (this.seat && token) {
      // A preview knows the URN of a seat that it assigns again, but not its id: with the id, it would replace the token.
      const userId = pulumi.all([user.id, this.seat.urn]).apply(([id]) => id);
      this.token = new UserToken(token.name, { ...token.args, userId }, inside(ignored.token));
    }
    this.registerOutputs();
  }
}

/** What an output can be after the end of the access; nothing else without `accessUntil`. */
type AfterEnd<Until extends string | undefined> = Until extends string ? undefined : never;

/** The resources of a member, each by its name and inputs, without the references between them. */
export function memberParts(name: string, { seat, token, accessUntil, ...person }: OrgMemberArgs) {
  return partsOfMember(name, person, seat, token, accessUntil);
}

/** @throws RunError for a value that is not a date */
function hasAccessEnded(name: string, accessUntil: unknown, resource: pulumi.Resource): boolean {
  const found = accessEnd(name, accessUntil, Date.now());
  if (typeof found === "string") throw programError("invalid-input", found);
  const { ended, notice } = found;
  if (notice?.severity === "warning") void pulumi.log.warn(notice.text, resource);
  else if (notice !== undefined) void pulumi.log.info(notice.text, resource);
  return ended;
}
