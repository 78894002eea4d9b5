import type * as pulumi from "@pulumi/pulumi";
import type { OnboardingStatus } from "../provider/resources/onboarding/status-names.ts";
import {
  type AccountCredentials,
  OrganizationResource,
  type OrganizationResourceArgs,
} from "./base/base-resource.ts";

/** Inputs of an {@link Onboarding}. */
export interface OnboardingArgs extends OrganizationResourceArgs {
  /**
   * The emails of the people to onboard, in the order in which they get seats. orgseat compares and sends each once, in
   * lower case. An update sends a new email. A person whose email leaves the list stays a member, with a warning. A
   * changed order has no effect.
   */
  emails: pulumi.Input<pulumi.Input<string>[]>;
  /**
   * Any text or number. A change updates and sends again the emails that are not in process, for example when seats are
   * available or after a lost response. An accepted email is never sent again. Default: none.
   */
  resend?: pulumi.Input<string | number>;
  /**
   * A ServiceAccount, or its id and secret. Default: `orgseat:clientId` and `orgseat:clientSecret`. A change updates
   * only the state.
   */
  credentials?: pulumi.Input<AccountCredentials>;
}

/**
 * Automated onboarding of people without an account ("onboard users"). Each accepted person becomes a member with a
 * seat and a token, and gets two emails, one of which contains the token; each administrator gets one. The preview
 * shows the number of emails. The id is a UUID. The API can neither read nor undo an onboarding: refresh keeps the
 * state, and after removal the people stay members; `up` and `destroy` warn about this when they run. If the response
 * is lost, the run fails, the emails get the status `unknown`, and orgseat sends them again only after `resend`
 * changes.
 *
 * ```ts
 * const team = new Onboarding("team", { emails: ["ada@acme.example", "grace@acme.example"] });
 * export const statuses = team.statuses;
 * ```
 */
export class Onboarding extends OrganizationResource {
  /** The emails of the list, in lower case. */
  declare readonly emails: pulumi.Output<string[]>;
  /** The declared text; a change sent emails again. */
  declare readonly resend: pulumi.Output<string | undefined>;
  /**
   * The onboarding status of each email in the list, by the email in lower case. It does not show a later problem of an
   * accepted email, because the service does not report any.
   */
  declare readonly statuses: pulumi.Output<Record<string, OnboardingStatus | undefined>>;
  /**
   * The purchased seats of the organization, from the last response; null if the response had no number, and before the
   * first response.
   */
  declare readonly totalSeats: pulumi.Output<number | null>;
  /** The seats available after the last response; null if the response had no number, and before the first response. */
  declare readonly availableSeats: pulumi.Output<number | null>;

  constructor(name: string, args: OnboardingArgs, options?: pulumi.CustomResourceOptions) {
    super(definition, name, args, options);
  }
}

const definition = {
  type: "Onboarding",
  outputs: ["resend", "statuses", "totalSeats", "availableSeats"],
} as const;
