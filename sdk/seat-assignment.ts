import * as pulumi from "@pulumi/pulumi";
import {
  type AccountCredentials,
  type OnDelete,
  OrganizationResource,
  type OrganizationResourceArgs,
} from "./base/base-resource.ts";
import { OrgUser } from "./org-user.ts";

/** The options for the adoption and the removal of a seat. */
export interface SeatOptions {
  /**
   * Whether to adopt a seat that the user already has. On removal, the seat stays assigned, unless `onDelete` is
   * `delete`. Default: false; then a 409 from the service ("already has a seat") is an error. Used on create; a later
   * change has no effect.
   */
  adopt?: pulumi.Input<boolean>;
  /**
   * What happens on removal: `delete` frees the seat, `retain` leaves it assigned. Default: `delete`, or `retain` for
   * an adopted seat. A change updates only the state.
   */
  onDelete?: pulumi.Input<OnDelete>;
  /**
   * Whether the service sends an email about the new seat, if the caller can choose. Default: false. Used
   * each time orgseat assigns a seat.
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
   * The user of the seat. Set `user.userId`, so that Pulumi removes the seat before the user. A change updates: the token and
   * the seat of the old user are removed, then the new user gets the seat.
   */
  userId: pulumi.Input<string>;
  /**
   * A ServiceAccount, or its id and secret. Default: `orgseat:clientId` and `orgseat:clientSecret`. A change updates
   * only the state.
   */
  credentials?: pulumi.Input<AccountCredentials>;
}

/**
 * The seat of a user ("assign seat", "remove seat"). Pass the seat to the token. If no seat
 * is available, the creation fails with HTTP 402, and the next `up` tries again. If the response is lost, orgseat
 * checks the list of users, or the next `up` confirms the seat without assigning a second one. On the platform `basic`,
 * seats cannot be read: refresh keeps the state. Removal frees the seat, according to `onDelete`.
 *
 * ```ts
 * const seat = new SeatAssignment("ada", { userId: ada.userId });
 * ```
 */
export class SeatAssignment extends OrganizationResource {
  /** The user who has the seat. */
  declare readonly userId: pulumi.Output<string>;
  /** Whether the seat existed before and was adopted. */
  declare readonly adopted: pulumi.Output<boolean>;

  constructor(name: string, args: SeatAssignmentArgs, options?: pulumi.CustomResourceOptions) {
    super(definition, name, args, options);
    noteSeat(this, args.userId);
  }
}

/** The users of the seats that a program has registered, by root stack: one process can run several stacks. */
const seatsOfRun = new WeakMap<
  pulumi.Resource,
  { readonly seat: SeatAssignment; readonly userId: unknown }[]
>();

function noteSeat(seat: SeatAssignment, userId: unknown): void {
  const root = pulumi.runtime.getStackResource();
  if (root === undefined) return;
  const seats = seatsOfRun.get(root) ?? [];
  seatsOfRun.set(root, seats);
  seats.push({ seat, userId });
}

/**
 * The seats of the same user that the program has registered: a token must be revoked before its seat is removed, and Pulumi
 * deletes in any order what hangs on the user alone.
 */
export async function seatsOf(userId: unknown): Promise<SeatAssignment[]> {
  const root = pulumi.runtime.getStackResource();
  const seats = [...((root && seatsOfRun.get(root)) ?? [])];
  const users = await usersIn(userId);
  const found = seats.map(async (one) => ((await isOf(one.userId, userId, users)) ? [one.seat] : []));
  return (await Promise.all(found)).flat();
}

/** Whether both are one text, or come from the same user of the program. */
async function isOf(one: unknown, userId: unknown, users: ReadonlySet<pulumi.Resource>): Promise<boolean> {
  if (one === userId) return true;
  return [...(await usersIn(one))].some((user) => users.has(user));
}

async function usersIn(userId: unknown): Promise<ReadonlySet<pulumi.Resource>> {
  if (!pulumi.Output.isInstance(userId)) return new Set();
  const resources = await pulumi.getAllResources(userId);
  return new Set([...resources].filter((one) => one instanceof OrgUser));
}

const definition = {
  type: "SeatAssignment",
  outputs: ["adopted"],
} as const;
