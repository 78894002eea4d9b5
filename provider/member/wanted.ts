/** What the pure functions of a member get besides `Held`: what is wanted, what the platform can, what lists show. */

import type { Capabilities } from "../api/calls/platform.ts";
import type { Knowable, Unknown } from "../resources/unknown.ts";
import type { Pending } from "./held.ts";

type OnDelete = "delete" | "retain";

/** The inputs of the token of an OrgMember. Texts are in the checked form. */
export interface WantedToken {
  /** A timestamp or a period. Default: the end of the subscription. */
  readonly expiresAt?: string | undefined;
  readonly renewBefore?: string | undefined;
  /** In months. */
  readonly tolerance?: number | undefined;
  readonly rotateEvery?: string | undefined;
  /** The `rotation` that counts: of a roster, the held one if the declared one is earlier. */
  readonly mark?: string | undefined;
  readonly keepPreviousFor?: string | undefined;
  /** Public keys of age. */
  readonly recipients?: readonly string[] | undefined;
  /** Default: true. */
  readonly keepValue?: boolean | undefined;
  readonly replaceExisting?: boolean | undefined;
  /** True for the only token of the user, or the id of one. */
  readonly adopt?: boolean | string | undefined;
  readonly sendEmail?: boolean | undefined;
}

export interface MemberInputs {
  /** Whether the organization is that of the state. Default: the same. */
  readonly organization?: "same" | "changed";
  readonly key?: string | undefined;
  readonly email?: string | undefined;
  /** Of a machine user, which has no email. */
  readonly purpose?: string | undefined;
  readonly firstName?: string | undefined;
  readonly lastName?: string | undefined;
  readonly team?: string | undefined;
  /** The user to adopt (`adopt`, in a roster `user_id`). */
  readonly userId?: string | undefined;
  readonly seat: boolean;
  readonly sendSeatEmail?: boolean | undefined;
  readonly accessUntil?: string | undefined;
  readonly onDeleteUser?: OnDelete | undefined;
  readonly onDeleteSeat?: OnDelete | undefined;
  readonly allowAdminRemoval?: boolean | undefined;
  readonly protected?: boolean | undefined;
  readonly subscriptionExpiresAt?: string | undefined;
}

export interface Missing {
  readonly of: "creation" | "removal";
  /** When the request was sent. */
  readonly since: string;
}

/** A member to have. In previews each value can be unknown. */
export interface WantedMember extends Knowable<MemberInputs> {
  readonly leaving?: undefined;
  /** Undefined: no token. */
  readonly token?: Knowable<WantedToken> | Unknown | undefined;
  /** An identity provider adds and removes the users. */
  readonly directory?: true | undefined;
  /** The decision that the user of one creation or removal without an answer does not exist. */
  readonly missing?: Missing | undefined;
  /** The decision that a rotation by its rule waits: the token is renewed. */
  readonly rotates?: false | undefined;
  /** The decision that an adopted user has the declared seat: no request confirms it. */
  readonly trustsSeat?: true | undefined;
}

/** A member to remove: a deleted row or resource. */
export interface WantedLeaver {
  readonly leaving: true;
  /** `delete` removes what the state would retain, too; `retain` takes the tokens alone. Default: as the state says. */
  readonly removal?: "delete" | "retain" | undefined;
  /** An identity provider removes the user. */
  readonly directory?: true | undefined;
}

export type Wanted = WantedMember | WantedLeaver;

/** What a platform can: data, by which one path serves all platforms. */
export type Can = Pick<Capabilities, "canListUsers" | "canListTokens" | "revokesByTokenId" | "canSetExpiry">;

export interface SeenToken {
  readonly id: string;
  /** Undefined if it is unreadable. */
  readonly end?: string | undefined;
  readonly isRevoked?: boolean | undefined;
}

export interface SeenUser {
  readonly id: string;
  readonly email?: string | null | undefined;
  readonly firstName?: string | null | undefined;
  readonly lastName?: string | null | undefined;
  /** Undefined if the list does not show it: then it may be an administrator's. */
  readonly role?: string | undefined;
  /** Undefined: the lists neither show a seat, nor prove that there is none. */
  readonly hasSeat?: boolean | undefined;
  /** Undefined: unread. */
  readonly tokens?: readonly SeenToken[] | undefined;
  /** A pending operation of Pulumi or the audit log proves that a creation for this member made the user. */
  readonly isOurs?: true | undefined;
}

/** What lists and reads show of one member. */
export interface Seen {
  /**
   * The listed users that may concern the member: the held ones, the one to adopt, and those of its address or names whom no
   * other member holds. Undefined: unread, or the service has no such list.
   */
  readonly users?: readonly SeenUser[] | undefined;
  /** The list has an item that may be any user, so that it proves no absence. */
  readonly isHiding?: true | undefined;
  /** The ids that are proven absent. */
  readonly absent?: readonly string[] | undefined;
  /** A creation that an interrupted run may have done, if the state does not have it. */
  readonly pending?: Pending | undefined;
  /** What was revoked outside of the run: a token by its id, or by when it was issued. */
  readonly revoked?: readonly { readonly user: string; readonly token: string }[] | undefined;
}
