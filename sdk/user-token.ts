import type * as pulumi from "@pulumi/pulumi";
import {
  type AccountCredentials,
  type OrganizationResourceArgs,
  UserResource,
} from "./organization-resource.ts";
import type { SeatAssignment } from "./seat-assignment.ts";

/** The dates and the value of a token. */
export interface TokenOptions {
  /**
   * When the token ends: an instant (RFC 3339), or a date, which means the end of that day in UTC. Default: the end of
   * the subscription. Later: the token is renewed (call 8). Earlier: it is replaced, because a renewal only extends.
   */
  expiresAt?: pulumi.Input<string>;
  /**
   * With `expiresAt`: how long before its end the token is renewed, to the end of the subscription, such as `30d` or
   * `12h`. Without `expiresAt` it has nothing to add: the token is renewed as soon as the subscription runs longer.
   * Needs `subscriptionExpiresAt`.
   */
  renewBefore?: pulumi.Input<string>;
  /** Any text or number; changing it revokes the token and issues a new one, with a new value. */
  rotation?: pulumi.Input<string | number>;
  /**
   * Whether a token that the user has already is revoked for this one. Default false: that is an error, because its
   * value cannot be read. Used at creation; changing it later updates without a call.
   */
  replaceExisting?: pulumi.Input<boolean>;
  /**
   * To when the subscription runs. Default: `orgseat:subscriptionExpiresAt` of the stack. Raising it renews the token
   * (call 8, same value); lowering it does nothing.
   */
  subscriptionExpiresAt?: pulumi.Input<string>;
}

interface CommonArgs extends OrganizationResourceArgs, TokenOptions {
  /** A ServiceAccount, or its id and secret. Default: `orgseat:clientId`, `orgseat:clientSecret`. Updates without a call. */
  credentials?: pulumi.Input<AccountCredentials>;
}

/** Inputs of a {@link UserToken}: the seat it opens, or a user id. */
export type UserTokenArgs =
  | (CommonArgs & {
      /** The seat that the token opens; the token is then revoked before the seat goes. */
      seat: SeatAssignment;
      userId?: never;
    })
  | (CommonArgs & {
      /** Whose token it is: `seat.id`, so that it is revoked first. Changing it replaces, the old one first. */
      userId: pulumi.Input<string>;
      seat?: never;
    });

/**
 * The token that gives a user access to the assigned seat (calls 7, 8 and 9). Its id is the user id. Removing it from
 * the program revokes it.
 *
 * ```ts
 * const token = new UserToken("ada", { seat });
 * export const adaToken = token.token; // pulumi stack output adaToken --show-secrets
 * ```
 */
export class UserToken extends UserResource {
  declare readonly expiresAt: pulumi.Output<string | undefined>;
  declare readonly subscriptionExpiresAt: pulumi.Output<string | undefined>;
  /** A secret: what the person puts into the package repository's client. Encrypted in the state. */
  declare readonly token: pulumi.Output<string>;
  /** The end of the token as the service said it last, in UTC; null where it did not say. */
  declare readonly serviceExpiresAt: pulumi.Output<string | null>;
  /** The end of the token as far as is known, in UTC; `expirySource` tells how well. */
  declare readonly validUntil: pulumi.Output<string>;
  /** `service`: confirmed by the service. `declared`: what was declared when it was issued or renewed last. */
  declare readonly expirySource: pulumi.Output<"service" | "declared">;

  constructor(name: string, args: UserTokenArgs, options?: pulumi.CustomResourceOptions) {
    const { seat, ...inputs } = args;
    const userId = seat?.id ?? inputs.userId;
    super(definition, name, { ...absent, ...inputs, userId }, options);
  }
}

const absent = { expiresAt: undefined, subscriptionExpiresAt: undefined };

const definition = {
  type: "UserToken",
  provider: "userToken",
  outputs: ["token", "serviceExpiresAt", "validUntil", "expirySource"],
  secretOutputs: ["token"],
  claims: [{ property: "userId", noun: "person's token" }],
} as const;
