import type * as pulumi from "@pulumi/pulumi";
import {
  type AccountCredentials,
  type OnDelete,
  type OrganizationResourceArgs,
  UserResource,
} from "./base/base-resource.ts";

/** The options for the adoption and the removal of a seat. */
export interface SeatOptions {
  /**
   * Whether to adopt a seat that the user already has. On removal, the seat stays assigned, unless `onDelete` is
   * `delete`. Default: false; then a 409 from the service ("already has a seat") is an error. Used on create; a later
   * change updates only the state.
   */
  adopt?: pulumi.Input<boolean>;
  /**
   * What happens on removal: `delete` frees the seat, `retain` leaves it assigned. Default: `delete`, or `retain` for
   * an adopted seat. A change updates only the state.
   */
  onDelete?: pulumi.Input<OnDelete>;
  /**
   * Whether the service sends an email about the new seat, if the caller can choose. Default: false. Used on create;
   * a later change updates only the state.
   */
  sendEmail?: pulumi.Input<boolean>;
  /**
   * Whether to remove this seat of an administrator or billing manager on removal, as on {@link OrgUser}. Default: false. A
   * change updates only the state.
   */
  allowAdminRemoval?: pulumi.Input<boolean>;
}

/** Inputs of a {@link SeatAssignment}. */
export interface SeatAssignmentArgs extends OrganizationResourceArgs, SeatOptions {
  /**
   * The user of the seat. Set `user.id`, so that Pulumi removes the seat before the user. A change replaces the seat:
   * the old one is removed first.
   */
  userId: pulumi.Input<string>;
  /**
   * A ServiceAccount, or its id and secret. Default: `orgseat:clientId` and `orgseat:clientSecret`. A change updates
   * only the state.
   */
  credentials?: pulumi.Input<AccountCredentials>;
}

/**
 * The seat of a user ("assign seat", "remove seat"). The resource id is the user id; pass it to the token. If no seat
 * is available, the creation fails with HTTP 402, and the next `up` tries again. If the response is lost, orgseat
 * checks the list of users, or the next `up` confirms the seat without assigning a second one. On the platform `basic`,
 * seats cannot be read: refresh keeps the state. Removal frees the seat, according to `onDelete`.
 *
 * ```ts
 * const seat = new SeatAssignment("ada", { userId: ada.id });
 * ```
 */
export class SeatAssignment extends UserResource {
  /** Whether the seat existed before and was adopted. */
  declare readonly adopted: pulumi.Output<boolean>;

  constructor(name: string, args: SeatAssignmentArgs, options?: pulumi.CustomResourceOptions) {
    super(definition, name, args, options);
  }
}

const definition = {
  type: "SeatAssignment",
  outputs: ["adopted"],
  secretOutputs: [],
  claims: [{ property: "userId", noun: "seat" }],
  isRemovedFirst: true,
} as const;
