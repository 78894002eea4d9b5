import type * as pulumi from "@pulumi/pulumi";
import {
  type AccountCredentials,
  type OrganizationResourceArgs,
  UserResource,
} from "./organization-resource.ts";

/** How a seat is taken over, and what removal does with it. */
export interface SeatOptions {
  /**
   * Takes over a seat that the user holds already; it stays assigned on removal unless `onDelete` is `remove`. Default
   * false: a service that says that the user holds a seat is an error. Updates without a call.
   */
  adopt?: pulumi.Input<boolean>;
  /** What removal does: `remove` gives the seat back, `keep` leaves it. Default: `remove`, `keep` for an adopted one. */
  onDelete?: pulumi.Input<"remove" | "keep">;
}

/** Inputs of a {@link SeatAssignment}. */
export interface SeatAssignmentArgs extends OrganizationResourceArgs, SeatOptions {
  /** Who gets the seat: `user.id`, so that the seat goes before the user. Changing it replaces, the old one first. */
  userId: pulumi.Input<string>;
  /** A ServiceAccount, or its id and secret. Default: `orgseat:clientId`, `orgseat:clientSecret`. Updates without a call. */
  credentials?: pulumi.Input<AccountCredentials>;
}

/**
 * The seat of a user (calls 6 and 10). Its id is the user id, for the token to be chained to. Fails with 402 where no
 * seat is free; the next `up` goes on. Removing it from the program gives the seat back.
 *
 * ```ts
 * const seat = new SeatAssignment("ada", { userId: ada.id });
 * ```
 */
export class SeatAssignment extends UserResource {
  /** Whether the seat was taken over. */
  declare readonly adopted: pulumi.Output<boolean>;

  constructor(name: string, args: SeatAssignmentArgs, options?: pulumi.CustomResourceOptions) {
    super(definition, name, args, options);
  }
}

const definition = {
  type: "SeatAssignment",
  provider: "seatAssignment",
  outputs: ["adopted"],
  secretOutputs: [],
  claims: [{ property: "userId", noun: "seat" }],
} as const;
