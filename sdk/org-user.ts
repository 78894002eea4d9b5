import * as pulumi from "@pulumi/pulumi";
import {
  type AccountCredentials,
  type OrganizationResourceArgs,
  UserResource,
} from "./base/base-resource.ts";

interface MembershipOptions extends OrganizationResourceArgs {
  /**
   * The user id of an existing membership, which is adopted instead of created. On removal it is released, unless
   * `onDelete` is `remove`. Default: none. Used on create; a later change to another user's id is an error.
   */
  adopt?: pulumi.Input<string>;
  /**
   * What removal does: `remove` ends the membership, `keep` retains it. Default: `remove`, and `keep` for an adopted one.
   * A change updates only the state.
   */
  onDelete?: pulumi.Input<"remove" | "keep">;
  /**
   * Whether to end the membership of an administrator or billing manager on removal, if the service lists users.
   * Default: false; then removing the user is an error. A change updates only the state.
   */
  allowAdminRemoval?: pulumi.Input<boolean>;
  /**
   * A ServiceAccount, or its id and secret. Default: `orgseat:clientId` and `orgseat:clientSecret`. A change updates
   * only the state.
   */
  credentials?: pulumi.Input<AccountCredentials>;
}

/** A person, identified by email. */
export interface PersonArgs extends MembershipOptions {
  /** Compared and sent in lower case. A change, ignoring letter case, replaces the user: the new one is created first. */
  email: pulumi.Input<string>;
  /**
   * 1 to 200 characters, sent only on create. Default: none. A change updates only the state, with a warning; it
   * replaces a managed user, which has no email.
   */
  firstName?: pulumi.Input<string>;
  /** Like `firstName`. Default: none. */
  lastName?: pulumi.Input<string>;
}

/** A user managed by the organization, without an individual account. Its names say the purpose of its token. */
export interface ManagedUserArgs extends MembershipOptions {
  email?: never;
  /** 1 to 200 characters. A change replaces the user: the new one is created first. */
  firstName: pulumi.Input<string>;
  /** Like `firstName`. Default: none. */
  lastName?: pulumi.Input<string>;
}

/** Inputs of an {@link OrgUser}: a person by email, or a managed user by names. */
export type OrgUserArgs = PersonArgs | ManagedUserArgs;

/**
 * A member of the organization ("add user", "remove user"). The resource id is the user id. Where the service lists users,
 * refresh reads them, and orgseat checks the list after a lost response; the documented API cannot read users. If the
 * email belongs to a member already, the creation fails with an error that names `adopt`. Removal ends the membership,
 * according to `onDelete`.
 *
 * ```ts
 * const ada = new OrgUser("ada", { email: "ada@acme.example" });
 * ```
 */
export class OrgUser extends UserResource {
  declare readonly email: pulumi.Output<string | undefined>;
  declare readonly firstName: pulumi.Output<string | undefined>;
  declare readonly lastName: pulumi.Output<string | undefined>;
  /** The service's spelling of the email if it differs, else null. */
  declare readonly serviceEmail: pulumi.Output<string | null>;
  /** The first name at the service if it differs from `firstName`, otherwise null; undefined if the service does not list users. */
  declare readonly serviceFirstName: pulumi.Output<string | null | undefined>;
  /** The last name at the service if it differs from `lastName`, otherwise null; undefined if the service does not list users. */
  declare readonly serviceLastName: pulumi.Output<string | null | undefined>;
  /** The role, such as `member` or `admin`; undefined if the service does not list users. */
  declare readonly role: pulumi.Output<string | null | undefined>;
  /** Whether it is a managed user. */
  declare readonly managed: pulumi.Output<boolean>;
  /** Whether the membership existed before and was adopted. */
  declare readonly adopted: pulumi.Output<boolean>;

  constructor(name: string, args: OrgUserArgs, options?: pulumi.CustomResourceOptions) {
    // In plain JavaScript, a person with an undefined email must not become a managed user.
    if ("email" in args && (args.email === undefined || args.email === null)) {
      throw new pulumi.RunError(
        `OrgUser "${name}": email is undefined or null. Set it for a person, or omit it for a managed user.`,
      );
    }
    super(
      definition,
      name,
      { email: undefined, firstName: undefined, lastName: undefined, ...stackOf(args), ...args },
      options,
    );
  }
}

/** Where the provider records the creation of a managed user. */
function stackOf({ email }: OrgUserArgs): { stack?: string } {
  if (email !== undefined) return {};
  return { stack: `${organizationName()}/${pulumi.getProject()}/${pulumi.getStack()}` };
}

/** Pulumi knows none in test mode; backends without organizations have this one. */
function organizationName(): string {
  try {
    return pulumi.getOrganization();
  } catch {
    return "organization";
  }
}

const definition = {
  type: "OrgUser",
  outputs: ["serviceEmail", "serviceFirstName", "serviceLastName", "role", "managed", "adopted"],
  secretOutputs: [],
  claims: [
    { property: "email", noun: "person", shared: "email" },
    { property: "adopt", noun: "membership" },
  ],
} as const;
