/** The component that the program of a roster registers for each member. */
import * as pulumi from "@pulumi/pulumi";
import { UserResource } from "../../../sdk/base/base-resource.ts";
import { configured } from "../../../sdk/base/claims.ts";
import { suspendStackCapture } from "../../../sdk/base/stack-capture.ts";
import { OrgUser } from "../../../sdk/org-user.ts";
import { MEMBER_TYPE, partsOfMember, type RosterMemberArgs } from "./member-parts.ts";

/** The seat of a member. */
class RosterSeat extends UserResource {
  constructor(name: string, args: object, options: pulumi.CustomResourceOptions) {
    super(seatKind, name, args, options);
  }
}

const seatKind = {
  type: "SeatAssignment",
  registeredAs: "RosterSeat",
  outputs: ["adopted"],
  secretOutputs: [],
  claims: [{ property: "userId", noun: "seat" }],
  isRemovedFirst: true,
} as const;

/** The token of a member. */
class RosterToken extends UserResource {
  declare readonly value: pulumi.Output<string | undefined>;
  declare readonly sealedValue: pulumi.Output<string | undefined>;

  constructor(name: string, args: object, options: pulumi.CustomResourceOptions) {
    // Where tokens have ids, a new one is issued beside the old one.
    const isRemovedFirst = configured("platform", "ORGSEAT_PLATFORM") !== "anaconda";
    super({ ...tokenKind, isRemovedFirst }, name, args, options);
  }
}

const tokenKind = {
  type: "UserToken",
  registeredAs: "RosterToken",
  outputs: [
    ...["expiresAt", "subscriptionExpiresAt", "value", "sealedValue", "tokenId"],
    ...["previous", "issuedAt", "reportedExpiresAt", "validUntil", "expirySource"],
  ],
  secretOutputs: ["value"],
  claims: [{ property: "userId", noun: "person's token" }],
} as const;

/** Its resources are chained so that removal revokes the token, removes the seat, and removes the user, in this order. */
export class RosterMember extends pulumi.ComponentResource {
  readonly userId: pulumi.Output<string>;
  /** Undefined without a seat. */
  readonly seat: RosterSeat | undefined;
  /** Undefined without a token. */
  readonly token: RosterToken | undefined;

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
    if (seat) this.seat = new RosterSeat(seat.name, { ...seat.args, userId: id }, inside);
    if (this.seat && token) {
      // A preview knows the URN of a seat that it assigns again, but not its id: with the id, it would replace the token.
      const userId = pulumi.all([id, this.seat.urn]).apply(([known]) => known);
      this.token = new RosterToken(token.name, { ...token.args, userId }, inside);
    }
    this.registerOutputs();
  }
}
