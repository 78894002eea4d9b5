import type * as pulumi from "@pulumi/pulumi";
import {
  type AdminCredentials,
  OrganizationResource,
  type OrganizationResourceArgs,
} from "./organization-resource.ts";

/** Inputs of a {@link ServiceAccount}. */
export interface ServiceAccountArgs extends OrganizationResourceArgs {
  /**
   * 1 to 64 lower-case letters, digits, hyphens and underscores; need not be unique. A change replaces the account: the
   * new one is created first.
   */
  name: pulumi.Input<string>;
  /**
   * Any text or number. A change replaces the account, which gives a new secret: the new one is created first. Default:
   * none.
   */
  rotation?: pulumi.Input<string | number>;
  /**
   * The administrator who creates and deletes it. Default: `orgseat:username` and `orgseat:password`. A change updates,
   * without a request.
   */
  credentials?: pulumi.Input<AdminCredentials>;
}

/**
 * The credential of a machine such as a build server ("create service account", "list service accounts", "delete service
 * account"). The resource id is the client id. It needs an administrator's user name and password. Refresh drops an account
 * that does not exist any more. If the response of a creation is lost, orgseat deletes that account, whose secret is lost,
 * and creates it again. Removal deletes it.
 *
 * ```ts
 * const bot = new ServiceAccount("build-bot", { name: "build-bot" });
 * ```
 */
export class ServiceAccount extends OrganizationResource {
  declare readonly name: pulumi.Output<string>;
  declare readonly rotation: pulumi.Output<string | undefined>;
  /** A GUID, the same as `id`. */
  declare readonly clientId: pulumi.Output<string>;
  /** A secret, which the service returns only at creation; encrypted in the state. */
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
