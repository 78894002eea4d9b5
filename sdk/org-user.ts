import type * as pulumi from "@pulumi/pulumi";
import {
  type AccountCredentials,
  type OnDelete,
  type OrganizationResourceArgs,
  UserResource,
} from "./base/base-resource.ts";
import { programError } from "./base/program-error.ts";
import type { MemberRole } from "./lookups/lookup-results.ts";

interface MembershipOptions extends OrganizationResourceArgs {
  /**
   * The user id of an existing membership, which is adopted instead of created. On removal, it is retained, unless
   * `onDelete` is `delete`. Default: none. Used on create; a later change to another user's id is an error.
   */
  adopt?: pulumi.Input<string>;
  /**
   * What happens on removal: `delete` ends the membership, `retain` leaves it. Default: `delete`, or `retain` for an
   * adopted membership. A change updates only the state.
   */
  onDelete?: pulumi.Input<OnDelete>;
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
  purpose?: never;
  /** 1 to 200 characters, sent only on create. Default: none. A change updates only the state, with a warning. */
  firstName?: pulumi.Input<string>;
  /** Like `firstName`. Default: none. */
  lastName?: pulumi.Input<string>;
}

/** A user without an individual account, for a machine such as a build server. */
export interface MachineUserArgs extends MembershipOptions {
  email?: never;
  /**
   * What the user's token is for, 1 to 200 characters. The service shows it as the first name. A change replaces the
   * user: the new one is created first.
   */
  purpose: pulumi.Input<string>;
  firstName?: never;
  /** The last name of an existing machine user to adopt. Default: none. A change replaces the user. */
  lastName?: pulumi.Input<string>;
}

/** Inputs of an {@link OrgUser}: a person by email, or a machine user by its purpose. */
export type OrgUserArgs = PersonArgs | MachineUserArgs;

/**
 * A member of the organization ("add user", "remove user"). The resource id is the user id. If the service lists users,
 * refresh reads them, and orgseat checks the list after a lost response; on the platform `basic`, users cannot be read.
 * If the email already belongs to a member, the creation fails with an error that tells you to set `adopt`. Removal
 * ends the membership, according to `onDelete`.
 *
 * ```ts
 * const ada = new OrgUser("ada", { email: "ada@acme.example" });
 * ```
 */
export class OrgUser extends UserResource {
  /** The email of a person, in lower case. */
  declare readonly email: pulumi.Output<string | undefined>;
  /** What the token of a machine user is for. */
  declare readonly purpose: pulumi.Output<string | undefined>;
  /** The declared first name of a person. */
  declare readonly firstName: pulumi.Output<string | undefined>;
  /** The declared last name. */
  declare readonly lastName: pulumi.Output<string | undefined>;
  /** The service's spelling of the email if it differs, otherwise null. */
  declare readonly serviceEmail: pulumi.Output<string | null>;
  /**
   * The first name in the service if it differs from `firstName` or `purpose`, otherwise null; undefined if the service
   * does not list users.
   */
  declare readonly serviceFirstName: pulumi.Output<string | null | undefined>;
  /**
   * The last name in the service if it differs from `lastName`, otherwise null; undefined if the service does not list
   * users.
   */
  declare readonly serviceLastName: pulumi.Output<string | null | undefined>;
  /** The role, such as `member` or `admin`; undefined if the service does not list users. */
  declare readonly role: pulumi.Output<MemberRole | (string & {}) | null | undefined>;
  /** Whether it has no person. */
  declare readonly isMachineUser: pulumi.Output<boolean>;
  /** Whether the membership existed before and was adopted. */
  declare readonly adopted: pulumi.Output<boolean>;

  constructor(name: string, args: OrgUserArgs, options?: pulumi.CustomResourceOptions) {
    // In plain JavaScript, a person with an undefined email must not become a machine user.
    if ("email" in args && (args.email === undefined || args.email === null)) {
      throw programError(
        "invalid-input",
        `OrgUser "${name}": email is undefined or null. Set it for a person, or omit it for a machine user.`,
      );
    }
    super(definition, name, args, options);
  }
}

const definition = {
  type: "OrgUser",
  outputs: [
    ...["email", "purpose", "firstName", "lastName", "serviceEmail"],
    ...["serviceFirstName", "serviceLastName", "role", "isMachineUser", "adopted"],
  ],
} as const;
