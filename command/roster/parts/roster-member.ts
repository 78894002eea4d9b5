/** The component that the program of a roster registers for each member. */
import * as pulumi from "@pulumi/pulumi";
import { suspendStackCapture } from "../../../sdk/base/stack-capture.ts";
import { OrgUser } from "../../../sdk/org-user.ts";
import { SeatAssignment } from "../../../sdk/seat-assignment.ts";
import { UserToken } from "../../../sdk/user-token.ts";
import { MEMBER_TYPE, partsOfMember, type RosterMemberArgs } from "./member-parts.ts";

/** Its resources are chained so that removal revokes the token, removes the seat, and removes the user, in this order. */
export class RosterMember extends pulumi.ComponentResource {
  readonly userId: pulumi.Output<string>;
  /** Undefined without a seat. */
  readonly seat: SeatAssignment | undefined;
  /** Undefined without a token. */
  readonly token: UserToken | undefined;

  constructor(name: string, args: RosterMemberArgs, options: pulumi.ComponentResourceOptions) {
    const resumeStackCapture = suspendStackCapture();
    try {
      super(MEMBER_TYPE, name, {}, options);
    } finally {
      resumeStackCapture();
    }
    const { user, seat, token } = partsOfMember(name, args);
    const inside = { parent: this };
    const { id } = new OrgUser(user.name, user.args, inside);
    this.userId = id;
    if (seat) this.seat = new SeatAssignment(seat.name, { ...seat.args, userId: id }, inside);
    if (this.seat && token) {
      // A preview knows the URN of a seat that it assigns again, but not its id: with the id, it would replace the token.
      const userId = pulumi.all([id, this.seat.urn]).apply(([known]) => known);
      this.token = new UserToken(token.name, { ...token.args, userId }, inside);
    }
    this.registerOutputs();
  }
}
