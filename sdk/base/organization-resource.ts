/** The base of the resource classes of the organization area, their common inputs, and their credentials. */
import type * as pulumi from "@pulumi/pulumi";
import { BaseResource, type Definition } from "./base-resource.ts";

/** The inputs of every resource of an organization. */
export interface OrganizationResourceArgs {
  /**
   * The id of the organization, a GUID. Default: `orgseat:organizationId` of the stack. A change replaces the resource.
   */
  organizationId?: pulumi.Input<string>;
}

/** The credential for service accounts: an administrator of the organization. */
export interface AdminCredentials {
  username: pulumi.Input<string>;
  password: pulumi.Input<string>;
}

/** The credential for users, seats, tokens and onboarding: a service account, for example one of the same program. */
export interface AccountCredentials {
  clientId: pulumi.Input<string>;
  clientSecret: pulumi.Input<string>;
}

/** A resource of an organization. */
export abstract class OrganizationResource extends BaseResource {
  /** The id of the organization. */
  declare readonly organizationId: pulumi.Output<string>;

  protected constructor(
    definition: Definition,
    name: string,
    inputs: object,
    options: pulumi.CustomResourceOptions | undefined,
  ) {
    super(definition, name, { organizationId: undefined, ...inputs }, options);
  }
}

/** A resource whose id is a user id. */
export abstract class UserResource extends OrganizationResource {
  /** The user id, the same as `id`. */
  get userId(): pulumi.Output<string> {
    // The preview of an update keeps only `id` known.
    return this.id;
  }

  /** Pulumi assigns every output to the object; `id` already has this one. */
  // biome-ignore lint/correctness/noUnusedPrivateClassMembers: Pulumi assigns it.
  private set userId(_stored: pulumi.Output<string>) {}
}
