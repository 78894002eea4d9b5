import type * as pulumi from "@pulumi/pulumi";
import {
  type AdminCredentials,
  OrganizationResource,
  type OrganizationResourceArgs,
} from "./organization-resource.ts";

/** Inputs of a {@link ServiceAccount}. */
export interface ServiceAccountArgs extends OrganizationResourceArgs {
  /**
   * 1 to 64 lower-case letters, digits, hyphens and underscores; need not be unique. Changing it replaces the account,
   * the new one first.
   */
  name: pulumi.Input<string>;
  /** Any text or number; changing it replaces the account, which gives a new secret. The new one exists first. */
  rotation?: pulumi.Input<string | number>;
  /** The administrator who creates and deletes it. Default: `orgseat:username` and `orgseat:password`. Updates. */
  credentials?: pulumi.Input<AdminCredentials>;
}

/**
 * The credential of a machine such as a build server (calls 1, 2 and 3). Its id is the client id. Refresh notices that
 * it is gone. Removing it from the program deletes it. Needs an administrator's user name and password.
 *
 * ```ts
 * const bot = new ServiceAccount("build-bot", { name: "build-bot" });
 * ```
 */
export class ServiceAccount extends OrganizationResource {
  declare readonly name: pulumi.Output<string>;
  declare readonly rotation: pulumi.Output<string | undefined>;
  /** A GUID; the resource's id. */
  declare readonly clientId: pulumi.Output<string>;
  /** A secret, shown by the service once, at creation, and kept encrypted in the state. */
  declare readonly clientSecret: pulumi.Output<string>;

  constructor(name: string, args: ServiceAccountArgs, options?: pulumi.CustomResourceOptions) {
    super(definition, name, { rotation: undefined, ...args }, options);
  }
}

const definition = {
  type: "ServiceAccount",
  provider: "serviceAccount",
  outputs: ["clientId", "clientSecret"],
  secretOutputs: ["clientSecret"],
  claims: [],
} as const;
