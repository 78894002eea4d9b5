import * as pulumi from "@pulumi/pulumi";
import { type ManagedUserArgs, OrgUser, type PersonArgs } from "./org-user.ts";
import { SeatAssignment, type SeatOptions } from "./seat-assignment.ts";
import { suspendStackCapture, withStackTrace } from "./stack-capture.ts";
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

/** Inputs of an {@link OrgMember}: the person or managed user, the seat and the token. */
export type OrgMemberArgs = (PersonArgs | ManagedUserArgs) & (WithSeat | WithoutSeat);

/**
 * A member with seat and token, chained so that a removal revokes the token, removes the seat and removes the user, in
 * this order. Its resources are the {@link OrgUser} `<name>-user`, the {@link SeatAssignment} `<name>-seat` and the
 * {@link UserToken} `<name>-token`.
 *
 * ```ts
 * const ada = new OrgMember("ada", { email: "ada@acme.example", seat: true, token: {} });
 * ```
 */
export class OrgMember extends pulumi.ComponentResource {
  readonly user: OrgUser;
  readonly seat: SeatAssignment | undefined;
  readonly token: UserToken | undefined;

  constructor(name: string, args: OrgMemberArgs, options?: pulumi.ComponentResourceOptions) {
    const resumeStackCapture = suspendStackCapture();
    try {
      super("orgseat:index:OrgMember", name, {}, options);
    } catch (error) {
      throw withStackTrace(error, resumeStackCapture, new.target);
    } finally {
      resumeStackCapture();
    }
    requireSeatChoice(name, args);
    const { user, seat, token } = memberParts(name, args);
    const inside = { parent: this };
    this.user = new OrgUser(user.name, user.args, inside);
    if (seat) this.seat = new SeatAssignment(seat.name, { ...seat.args, userId: this.user.id }, inside);
    if (this.seat && token) {
      // A preview knows the URN of a seat that it assigns again, but not its id: with the id, it would replace the token.
      const userId = pulumi.all([this.user.id, this.seat.urn]).apply(([id]) => id);
      this.token = new UserToken(token.name, { ...token.args, userId }, inside);
    }
    this.registerOutputs();
  }

  /** The user id. */
  get userId(): pulumi.Output<string> {
    return this.user.id;
  }
}

/** The resources of a member, each by its name and inputs, without the references between them. */
export function memberParts(name: string, { seat, token, ...person }: OrgMemberArgs) {
  const common = {
    ...(person.organizationId === undefined ? {} : { organizationId: person.organizationId }),
    ...(person.credentials === undefined ? {} : { credentials: person.credentials }),
  };
  const part = <Args extends object>(what: string, args: Args) => ({ name: `${name}-${what}`, args });
  return {
    user: part("user", person),
    seat: seat ? part("seat", { ...common, ...(seat === true ? {} : seat) }) : undefined,
    token: seat && token ? part("token", { ...common, ...token }) : undefined,
  };
}

/** In plain JavaScript a key can be missing; here that would remove a seat and a token. */
function requireSeatChoice(name: string, { seat, token }: { seat: unknown; token?: unknown }): void {
  if (typeof seat !== "boolean" && (typeof seat !== "object" || seat === null)) {
    throw new pulumi.RunError(`OrgMember "${name}": missing seat. Set seat: true or seat: false.`);
  }
  if (seat === false && token !== undefined) {
    throw new pulumi.RunError(`OrgMember "${name}": a token needs a seat. Set seat: true, or omit token.`);
  }
}
