import * as pulumi from "@pulumi/pulumi";
import {
  type AccountCredentials,
  type OrganizationResourceArgs,
  UserResource,
} from "./organization-resource.ts";

interface MembershipOptions extends OrganizationResourceArgs {
  /**
   * The user id of a membership that exists already: it is taken over instead of created, and released on removal
   * unless `onDelete` is `remove`. Used at creation; changing it later updates without a call.
   */
  adopt?: pulumi.Input<string>;
  /**
   * What removal does: `remove` ends the membership, `keep` leaves it. Default: `remove`, and `keep` for one that was
   * taken over. Updates without a call.
   */
  onDelete?: pulumi.Input<"remove" | "keep">;
  /** A ServiceAccount, or its id and secret. Default: `orgseat:clientId`, `orgseat:clientSecret`. Updates without a call. */
  credentials?: pulumi.Input<AccountCredentials>;
}

/** A person, found by email. */
export interface PersonArgs extends MembershipOptions {
  /** Compared and sent in lower case. Changing it, letter case aside, replaces the membership, the new one first. */
  email: pulumi.Input<string>;
  /** Sent at creation only. A later change updates without a call and warns: nobody is replaced for a name. */
  firstName?: pulumi.Input<string>;
  /** As firstName. */
  lastName?: pulumi.Input<string>;
}

/** A user managed by the organization, without an individual account: its names tell the purpose of its token. */
export interface ManagedUserArgs extends MembershipOptions {
  email?: never;
  /** 1 to 200 characters. Changing it replaces the user, the new one first. */
  firstName: pulumi.Input<string>;
  /** As firstName. */
  lastName?: pulumi.Input<string>;
}

/** Inputs of an {@link OrgUser}: a person by email, or a managed user by names. */
export type OrgUserArgs = PersonArgs | ManagedUserArgs;

/**
 * A member of the organization (calls 5 and 11). Its id is the user id. No call reads a user in the documented dialect:
 * refresh keeps what the state has. Removing it from the program ends the membership.
 *
 * ```ts
 * const ada = new OrgUser("ada", { email: "ada@acme.example" });
 * ```
 */
export class OrgUser extends UserResource {
  declare readonly email: pulumi.Output<string | undefined>;
  declare readonly firstName: pulumi.Output<string | undefined>;
  declare readonly lastName: pulumi.Output<string | undefined>;
  /** The service's spelling of the email where it is another one, else null. */
  declare readonly serviceEmail: pulumi.Output<string | null>;
  /** Whether it is a user managed by the organization. */
  declare readonly managed: pulumi.Output<boolean>;
  /** Whether the membership existed before and was taken over. */
  declare readonly adopted: pulumi.Output<boolean>;

  constructor(name: string, args: OrgUserArgs, options?: pulumi.CustomResourceOptions) {
    // From plain JavaScript, a person whose email got lost must not become a managed user.
    if ("email" in args && (args.email === undefined || args.email === null)) {
      throw new pulumi.RunError(
        `OrgUser "${name}": email is undefined or null. Set it for a person, or omit it for a managed user.`,
      );
    }
    super(
      definition,
      name,
      { email: undefined, firstName: undefined, lastName: undefined, ...args },
      options,
    );
  }
}

const definition = {
  type: "OrgUser",
  provider: "orgUser",
  outputs: ["serviceEmail", "managed", "adopted"],
  secretOutputs: [],
  claims: [
    { property: "email", noun: "person", shared: "email" },
    { property: "adopt", noun: "membership" },
  ],
} as const;
