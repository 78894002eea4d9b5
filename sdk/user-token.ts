import * as pulumi from "@pulumi/pulumi";
import {
  type AccountCredentials,
  OrganizationResource,
  type OrganizationResourceArgs,
} from "./base/base-resource.ts";
import { type SeatAssignment, seatsOf } from "./seat-assignment.ts";

/** The dates, the rotation, and the form of a token. */
export interface MemberTokenOptions {
  /**
   * When the token expires: a timestamp (RFC 3339), or a date, which means the end of that day in UTC. Default: the end of
   * the subscription. Or a period such as `90d`, from `1d` to `3650d`: the token expires that long after it was issued or
   * renewed, at the latest with the subscription, and the first run after half of the period renews it; the platform
   * `basic` refuses a period. A later value renews the token ("renew token", same value). So does an earlier one if a renewal
   * can set any date; otherwise it is a new value, because a renewal only extends: the old token is revoked first.
   */
  expiresAt?: pulumi.Input<string>;
  /**
   * With `expiresAt`: how long before that date to renew the token, to the end of the subscription. A number with a
   * unit (ms, s, m, h, or d), such as `30d`. Without `expiresAt` it has no effect: the token is renewed as soon as the
   * subscription is. Requires `subscriptionExpiresAt`. Default: no early renewal. A change updates.
   */
  renewBefore?: pulumi.Input<string>;
  /** Any text or number. A change updates: orgseat issues a new value and revokes the old one, which comes first where a user can have one token alone. Default: none. */
  rotation?: pulumi.Input<string | number>;
  /**
   * How often to rotate the token automatically: a number with a unit, from `1d` to `3650d`, such as `90d`. Each user has a
   * fixed day in that period, and a run after it issues a new value as a changed `rotation` does, so tokens rotate on
   * different days and none gets older than the period. Default: never. A change updates only the state.
   */
  rotateEvery?: pulumi.Input<string>;
  /**
   * How long a rotated token stays valid beside its successor, if a user can have several tokens: a number with a unit, up to
   * `3650d`, such as `7d`. A later run revokes it. If the service ends the old token itself, a warning says so. An error if
   * the service has no token ids. Default: the run revokes it after it has issued the new one. A change updates only the
   * state; to revoke the previous tokens at once, rotate without it.
   */
  keepPreviousFor?: pulumi.Input<string>;
  /**
   * Whether to revoke a token that the user already has. Default: false; then an existing token is an error, because
   * its value cannot be read. No effect if tokens have ids. Used on create; a later change has no effect.
   */
  replaceExisting?: pulumi.Input<boolean>;
  /**
   * Adopts an existing token without its value, if the service lists tokens: `true` for the only token of the user
   * (issued if none exists), or the id of a token. `value` is then undefined. Default: none. Used on create, and not
   * with `rotation`, which requests a new value. A later change has no effect.
   */
  adopt?: pulumi.Input<boolean | string>;
  /**
   * How many months the token stays valid after its date, 0 to 120, if tokens have a tolerance. It is part of
   * `validUntil`. Default: 0. A change renews the token if it moves the expiry.
   */
  expirationToleranceMonths?: pulumi.Input<number>;
  /**
   * Whether the service sends an email about the new token, if the caller can choose. Default: false. Used
   * each time orgseat issues a token.
   */
  sendEmail?: pulumi.Input<boolean>;
  /**
   * The age public keys (`age1...`) of those who use the token: the state then contains the value in `sealedValue` alone,
   * which only their private keys can open. Default: the state contains it in `value`, encrypted by Pulumi. A change
   * is a new value, because only that can be sealed for others. The order of the keys has no effect.
   */
  recipients?: pulumi.Input<pulumi.Input<string>[]>;
  /**
   * Whether the state keeps the value. Default: true. With `false`, it cannot be read later: for tokens that the service
   * sends by email. Not with `recipients`. A change to false updates only the state; a change to true is a new value.
   */
  keepValue?: pulumi.Input<boolean>;
}

/** The same, with what only a separate token has. */
export interface TokenOptions extends MemberTokenOptions {
  /**
   * Whether to revoke this token of an administrator or billing manager on removal, as on {@link OrgUser}. Default: false. A
   * change updates only the state.
   */
  allowAdminRemoval?: pulumi.Input<boolean>;
  /**
   * The end of the subscription, in the form of `expiresAt`. Default: `orgseat:subscriptionExpiresAt` of the stack. A
   * later date renews the token ("renew token", same value); an earlier one has no effect.
   */
  subscriptionExpiresAt?: pulumi.Input<string>;
}

interface CommonArgs extends OrganizationResourceArgs, TokenOptions {
  /**
   * A ServiceAccount, or its id and secret. Default: `orgseat:clientId` and `orgseat:clientSecret`. A change updates
   * only the state.
   */
  credentials?: pulumi.Input<AccountCredentials>;
}

/**
 * Where a known expiry comes from.
 * - `service`: the service confirmed it.
 * - `declared`: it is the date declared at the last issue or renewal.
 */
export type ExpirySource = "service" | "declared";

/** Inputs of a {@link UserToken}: the seat or the user id, and the options. */
export type UserTokenArgs =
  | (CommonArgs & {
      /** The seat that the token gives access to. Pulumi then revokes the token before it removes the seat. */
      seat: SeatAssignment;
      userId?: never;
    })
  | (CommonArgs & {
      /**
       * The user of the token. Set `seat.userId`, so that Pulumi revokes the token before it removes the seat. A change
       * updates: the new user gets a token, then the old one is revoked.
       */
      userId: pulumi.Input<string>;
      seat?: never;
    });

/**
 * The token that gives a user access to the assigned seat ("issue token", "renew token", "revoke token"). If the service lists tokens, each has an id: refresh reads it, a token whose response was lost is
 * revoked and issued again, and `adopt` takes an existing one. On the platform `basic`, tokens cannot be read, and a
 * user has one: an existing token is an error that tells you to set `replaceExisting`, and refresh keeps the state.
 * Removal revokes the token.
 *
 * ```ts
 * const token = new UserToken("ada", { seat });
 * export const adaToken = token.value; // pulumi stack output adaToken --show-secrets
 * ```
 */
export class UserToken extends OrganizationResource {
  /** The user whose token it is. */
  declare readonly userId: pulumi.Output<string>;
  /** The declared date or period. */
  declare readonly expiresAt: pulumi.Output<string | undefined>;
  /** The end of the subscription that the last issue or renewal knew, a timestamp in UTC. */
  declare readonly subscriptionExpiresAt: pulumi.Output<string | undefined>;
  /**
   * The value for the package repository's client. A secret; encrypted in the state. Undefined if it is sealed, not kept,
   * or adopted: the service never returns the value of an existing token.
   */
  declare readonly value: pulumi.Output<string | undefined>;
  /**
   * The value as an ASCII-armored age file for `recipients`. Not a secret. Undefined without `recipients`, or for an adopted
   * token.
   */
  declare readonly sealedValue: pulumi.Output<string | undefined>;
  /** The id of the token; undefined if the service does not list tokens, null while it is unknown. */
  declare readonly tokenId: pulumi.Output<string | null | undefined>;
  /** The replaced tokens that are still valid, the newest first; undefined if there are none. */
  declare readonly previous: pulumi.Output<readonly PreviousToken[] | undefined>;
  /**
   * When orgseat issued or adopted the token, a timestamp in UTC: its age for `rotateEvery`.
   */
  declare readonly issuedAt: pulumi.Output<string | undefined>;
  /** The expiry in the last response, a timestamp in UTC; null if the response had none. */
  declare readonly reportedExpiresAt: pulumi.Output<string | null>;
  /**
   * The known expiry, a timestamp in UTC, tolerance included: `reportedExpiresAt`, otherwise the declared date. See
   * `expirySource`.
   */
  declare readonly validUntil: pulumi.Output<string>;
  /** Where `validUntil` comes from. */
  declare readonly expirySource: pulumi.Output<ExpirySource>;

  constructor(name: string, args: UserTokenArgs, options?: pulumi.CustomResourceOptions) {
    const { seat, ...inputs } = args;
    const userId = seat?.userId ?? inputs.userId;
    const seats = seat === undefined ? seatsOf(userId) : [];
    super(definition, name, { ...inputs, userId }, pulumi.mergeOptions(options, { dependsOn: seats }));
  }
}

/** A replaced token that a rotation kept. */
export interface PreviousToken {
  /** The id of the token. */
  readonly tokenId: string;
  /** When orgseat revokes it, a timestamp in UTC. */
  readonly removeAfter: string;
}

const definition = {
  type: "UserToken",
  outputs: [
    ...["expiresAt", "subscriptionExpiresAt", "value", "sealedValue", "tokenId"],
    ...["previous", "issuedAt", "reportedExpiresAt", "validUntil", "expirySource"],
  ],
} as const;
