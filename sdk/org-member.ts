import type * as pulumi from "@pulumi/pulumi";
import type { AccountCredentials, OnDelete } from "./base/base-resource.ts";
import { OrganizationResource, type OrganizationResourceArgs } from "./base/base-resource.ts";
import { programError } from "./base/program-error.ts";
import type { MemberTokenOptions } from "./user-token.ts";

/** The options of a member's seat. */
export interface MemberSeatOptions {
  /**
   * What happens to the seat if it is no longer wanted: `delete` frees it, `retain` leaves it assigned. Default: `delete`,
   * or `retain` for an adopted seat. A change updates only the state.
   */
  onDelete?: pulumi.Input<OnDelete>;
  /**
   * Whether the service sends an email about the new seat, if the caller can choose. Default: false. Used when the seat is
   * assigned; a later change sends nothing.
   */
  sendEmail?: pulumi.Input<boolean>;
}

interface MemberOptions extends OrganizationResourceArgs {
  /**
   * The user id of an existing user, who is adopted instead of added, with seat and token if the service lists them. On
   * removal, an adopted user is retained, unless `onDelete` is `delete`. Default: none.
   */
  adopt?: pulumi.Input<string>;
  /**
   * What happens to the user on removal: `delete` ends the membership, `retain` leaves the user a member, without the token.
   * Default: `delete`, or `retain` for an adopted user. A change updates only the state.
   */
  onDelete?: pulumi.Input<OnDelete>;
  /**
   * Whether to take the token, the seat, or the membership of an administrator or billing manager, if the service lists users.
   * Default: false; then such a removal is an error. A change updates only the state.
   */
  allowAdminRemoval?: pulumi.Input<boolean>;
  /**
   * Whether to refuse each change that takes token, seat, or membership. The option `protect: true` sets it. To end the
   * protection, set it to false in a separate run. Default: false. A change updates only the state.
   */
  protected?: pulumi.Input<boolean>;
  /**
   * When the access ends: a timestamp, or a date, which means the end of that day in UTC. Default: no end. The first run after
   * it revokes the token, removes the seat and the user; the member then holds nothing. A later date adds the user again. Runs
   * warn from 14 days before.
   */
  accessUntil?: pulumi.Input<string> | undefined;
  /**
   * The end of the subscription, a timestamp or a date. Default: `orgseat:subscriptionExpiresAt` of the stack. A later date
   * renews the token ("renew token", same value); an earlier one has no effect.
   */
  subscriptionExpiresAt?: pulumi.Input<string>;
  /**
   * The seat: `true`, `false`, or its options. A change to `false` revokes the token and removes the seat; a change to `true`
   * assigns one.
   */
  seat: pulumi.Input<boolean> | MemberSeatOptions;
  /**
   * The token, which needs a seat. Default: none. With `{}`, it expires with the subscription. If it is omitted later, it is
   * revoked.
   */
  token?: MemberTokenOptions | undefined;
  /**
   * A ServiceAccount, or its id and secret. Default: `orgseat:clientId` and `orgseat:clientSecret`. A change updates
   * only the state.
   */
  credentials?: pulumi.Input<AccountCredentials>;
}

/** A person, identified by email. */
export interface PersonMemberArgs extends MemberOptions {
  /**
   * Compared and sent in lower case. A change, ignoring letter case, updates: the user of the new address is added first, then
   * gets seat and token, and the old one leaves.
   */
  email: pulumi.Input<string>;
  purpose?: never;
  /** 1 to 200 characters, sent only when the user is added. Default: none. A change updates only the state, with a warning. */
  firstName?: pulumi.Input<string>;
  /** Like `firstName`. Default: none. */
  lastName?: pulumi.Input<string>;
}

/** A user without an individual account, for a machine such as a build server. */
export interface MachineMemberArgs extends MemberOptions {
  email?: never;
  /**
   * What the user's token is for, 1 to 200 characters. The service shows it as the first name. A change updates: a new user is
   * added first, then gets seat and token, and the old one leaves.
   */
  purpose: pulumi.Input<string>;
  firstName?: never;
  /** The last name of an existing machine user to adopt. Default: none. A change is one of the purpose. */
  lastName?: pulumi.Input<string>;
}

/** Inputs of an {@link OrgMember}: the person or machine user, the seat and the token, and the end of the access. */
export type OrgMemberArgs = PersonMemberArgs | MachineMemberArgs;

/** The token that a member has. */
export interface MemberToken {
  /** The id; undefined if the service does not list tokens, or while it is unknown. */
  id?: string;
  /** When orgseat issued or adopted the token, a timestamp in UTC. */
  issuedAt: string;
  /** When it expires, as far as orgseat knows: a timestamp in UTC. */
  expiresAt: string;
  /** `kept`: `tokenValue` has the value. `sealed`: `sealedValue`. `lost`: the response was lost, and the next run issues a new one. `none`: adopted, or not kept. */
  value: TokenValueState;
}

/** Where the value of a token is. */
export type TokenValueState = "kept" | "sealed" | "lost" | "none";

/** The type of an input, undefined where it is omitted or can be. */
type Given<Inputs, Key extends string> = Inputs extends { readonly [key in Key]?: infer Value }
  ? unknown extends Value
    ? undefined
    : Value
  : undefined;
/** What an output can be besides its value, by the inputs. */
type If<Inputs, Key extends string> = Given<Inputs, Key> extends undefined ? never : undefined;
type AfterEnd<Args> = If<Args, "accessUntil">;
type TokenIn<Args> = Given<Args, "token">;
type WithoutToken<Args> = TokenIn<Args> extends object ? AfterEnd<Args> : undefined;
/** No option adopts the token, seals the value, or throws it away. */
type WithoutValue<Args> =
  | WithoutToken<Args>
  | If<TokenIn<Args>, "adopt">
  | If<TokenIn<Args>, "recipients">
  | If<TokenIn<Args>, "keepValue">;
type WithoutSeal<Args> =
  TokenIn<Args> extends { readonly recipients: object }
    ? WithoutToken<Args> | If<TokenIn<Args>, "adopt">
    : undefined;
/** A token needs a seat. */
type NeedsSeat<Args> = Args extends { readonly seat: false; readonly token: object }
  ? { readonly token: never }
  : unknown;

/**
 * A person or machine user with seat and token, as one resource. Each change is an update, except that of the organization.
 * Removal revokes the token, removes the seat, and removes the user, in this order.
 *
 * ```ts
 * const ada = new OrgMember("ada", { email: "ada@acme.example", seat: true, token: {} });
 * export const adaToken = ada.tokenValue; // pulumi stack output adaToken --show-secrets
 * ```
 */
export class OrgMember<const Args extends OrgMemberArgs = OrgMemberArgs> extends OrganizationResource {
  /** The user id. Undefined after `accessUntil`. */
  declare readonly userId: pulumi.Output<string | AfterEnd<Args>>;
  /** Whether the user has a seat. */
  declare readonly hasSeat: pulumi.Output<boolean>;
  /**
   * The value of the token, for the package repository's client. A secret; encrypted in the state. Undefined without a token,
   * and if the value is sealed, not kept, or adopted.
   */
  declare readonly tokenValue: pulumi.Output<string | WithoutValue<Args>>;
  /** The value as an ASCII-armored age file for `token.recipients`. Not a secret. Undefined without them. */
  declare readonly sealedValue: pulumi.Output<string | WithoutSeal<Args>>;
  /** The token. Undefined without one. */
  declare readonly tokenState: pulumi.Output<MemberToken | WithoutToken<Args>>;

  constructor(
    name: string,
    args: Args & OrgMemberArgs & NeedsSeat<Args>,
    options?: pulumi.CustomResourceOptions,
  ) {
    super(definition, name, withProtection(name, args, options?.protect), options);
  }
}

/** Pulumi's `protect` guards deletions alone, and what a member loses can be an update. */
function withProtection(name: string, args: OrgMemberArgs, protect: boolean | undefined): object {
  if (protect !== true) return args;
  if (args.protected === false)
    throw programError(
      "invalid-input",
      `OrgMember "${name}": the option protect is true, and the input protected is false. Omit one of them`,
    );
  return { ...args, protected: true };
}

const definition = {
  type: "OrgMember",
  outputs: ["userId", "hasSeat", "tokenValue", "sealedValue", "tokenState"],
} as const;
