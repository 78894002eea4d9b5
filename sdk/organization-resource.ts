/** What the resource classes of the organization area share: the organization, and how its calls are authenticated. */
import type * as pulumi from "@pulumi/pulumi";
import { BaseResource, type Definition } from "./base-resource.ts";

/** Inputs that every resource of an organization takes. */
export interface OrganizationResourceArgs {
  /**
   * The organization the resource lives in, a GUID. Default: `orgseat:organizationId` of the stack.
   * Changing it replaces the resource.
   */
  organizationId?: pulumi.Input<string>;
}

/** The credential of calls 1 to 3: an administrator of the organization. */
export interface AdminCredentials {
  username: pulumi.Input<string>;
  password: pulumi.Input<string>;
}

/** The credential of calls 4 to 11: a service account, for example one of the same program. */
export interface AccountCredentials {
  clientId: pulumi.Input<string>;
  clientSecret: pulumi.Input<string>;
}

/** A resource of an organization. */
export abstract class OrganizationResource extends BaseResource {
  /** The organization the resource lives in. */
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
  /** The user id. It is the id itself, because the preview of an update keeps that one known and nothing else. */
  get userId(): pulumi.Output<string> {
    return this.id;
  }

  /** Pulumi stores every property on the object; this one has its place in `id`. */
  // biome-ignore lint/correctness/noUnusedPrivateClassMembers: Pulumi assigns it.
  private set userId(_stored: pulumi.Output<string>) {}
}
