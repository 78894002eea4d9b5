import type * as pulumi from "@pulumi/pulumi";
import {
  type AdminCredentials,
  OrganizationResource,
  type OrganizationResourceArgs,
} from "./base/base-resource.ts";

/** Inputs of a {@link ServiceAccount}. */
export interface ServiceAccountArgs extends OrganizationResourceArgs {
  /**
   * 1 to 64 lower-case letters, digits, hyphens, and underscores; it need not be unique. A change replaces the account:
   * the new one is created first.
   */
  name: pulumi.Input<string>;
  /**
   * Any text or number. A change replaces the account, which gives a new secret: the new one is created first. Default:
   * none.
   */
  rotation?: pulumi.Input<string | number>;
  /**
   * How often to rotate the account automatically: a number with a unit, from `1d` to `3650d`, such as `90d`. A run after the
   * account's fixed day in that period replaces it, as a changed `rotation` does. Default: never. A change updates only
   * the state.
   */
  rotateEvery?: pulumi.Input<string>;
  /**
   * How long a replaced account keeps working, such as `24h`: the first run after that deletes it. At most `3650d`.
   * Default: Pulumi deletes it at the end of the run that replaces it. A change updates only the state, and applies
   * to later rotations.
   */
  keepPreviousFor?: pulumi.Input<string>;
  /**
   * The administrator who creates and deletes it: `username` and `password`, or `adminToken`. Default:
   * `orgseat:username` and `orgseat:password`, or `orgseat:adminToken`. A change updates only the state.
   */
  credentials?: pulumi.Input<AdminCredentials>;
}

/** A replaced account that still works. */
export interface PreviousAccount {
  /** The client id of the account. */
  clientId: string;
  /** The first run after this timestamp, in UTC, deletes it. */
  removeAfter: string;
}

/**
 * The credential of a machine such as a build server ("create service account", "list service accounts", "delete
 * service account"). The resource id is the client id. It needs an administrator: username and password, or a token.
 * Refresh drops an account that no longer exists. If the response to a creation is lost, orgseat deletes that account, whose secret
 * is lost, and creates it again. Removal deletes it, and the previous accounts that still work.
 *
 * ```ts
 * const bot = new ServiceAccount("build-bot", { name: "build-bot" });
 * ```
 */
export class ServiceAccount extends OrganizationResource {
  /** The name, as declared. */
  declare readonly name: pulumi.Output<string>;
  /** The declared text; a change rotated the account. */
  declare readonly rotation: pulumi.Output<string | undefined>;
  /** A GUID, the same as `id`. */
  declare readonly clientId: pulumi.Output<string>;
  /** A secret that the service returns only once, when it creates the account; encrypted in the state. */
  declare readonly clientSecret: pulumi.Output<string>;

  /** When the account was created, a timestamp in UTC; undefined after an import, until `rotateEvery` is set. */
  declare readonly issuedAt: pulumi.Output<string | undefined>;
  /** The replaced accounts that still work, the newest first; undefined if there are none. */
  declare readonly previous: pulumi.Output<readonly PreviousAccount[] | undefined>;

  constructor(name: string, args: ServiceAccountArgs, options?: pulumi.CustomResourceOptions) {
    super(definition, name, args, options);
  }
}

const definition = {
  type: "ServiceAccount",
  outputs: ["rotation", "clientId", "clientSecret", "issuedAt", "previous"],
} as const;
