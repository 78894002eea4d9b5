import type * as pulumi from "@pulumi/pulumi";
import {
  type AccountCredentials,
  OrganizationResource,
  type OrganizationResourceArgs,
} from "./organization-resource.ts";

/**
 * What the service said of one email. `inProcess`: accepted. `unavailable`: no seat was left, or the email has an account
 * or is a member already. `refused`: the service named it in no list. `unknown`: it was sent, and the answer was lost.
 */
export type OnboardingStatus = "inProcess" | "unavailable" | "refused" | "unknown";

/** Inputs of an {@link Onboarding}. */
export interface OnboardingArgs extends OrganizationResourceArgs {
  /**
   * The people to onboard, in the order in which they get seats. Compared and sent in lower case, each once. A new email
   * is sent by an update; one that leaves the list stays a member, with a warning; another order changes nothing.
   */
  emails: pulumi.Input<pulumi.Input<string>[]>;
  /**
   * Any text or number; changing it sends those once more that are not in process: when seats are free again, or when an
   * answer was lost. Who was accepted once is never sent again. Default: none. Updates.
   */
  retry?: pulumi.Input<string | number>;
  /** A ServiceAccount, or its id and secret. Default: `orgseat:clientId`, `orgseat:clientSecret`. Updates without a call. */
  credentials?: pulumi.Input<AccountCredentials>;
}

/**
 * Automated onboarding of people without an account (call 4): whoever is accepted becomes a member with a seat and a
 * token, and gets two mails, one with the token's value; each admin gets one. The preview says how many mails go out. Its
 * id is a UUID. No call reads or undoes an onboarding: refresh keeps what the state has, and removing the resource from
 * the program leaves the people members, which is said when `up` or `destroy` runs, not in its preview. Where the answer is lost the run fails and the emails are `unknown`: nothing is
 * sent again until `retry` changes.
 *
 * ```ts
 * const team = new Onboarding("team", { emails: ["ada@acme.example", "grace@acme.example"] });
 * export const verdicts = team.verdicts;
 * ```
 */
export class Onboarding extends OrganizationResource {
  declare readonly emails: pulumi.Output<string[]>;
  declare readonly retry: pulumi.Output<string | undefined>;
  /**
   * One verdict for each email of the list, by the email in lower case: look it up as `verdicts[email.toLowerCase()]`. A
   * problem after an acceptance is not in it: the service tells of none.
   */
  declare readonly verdicts: pulumi.Output<Record<string, OnboardingStatus | undefined>>;
  /** Seats of the organization, as the last answer said; null as long as there was none. */
  declare readonly totalSeats: pulumi.Output<number | null>;
  /** Seats that were free after the last answer; null as long as there was none. */
  declare readonly availableSeats: pulumi.Output<number | null>;

  constructor(name: string, args: OnboardingArgs, options?: pulumi.CustomResourceOptions) {
    super(definition, name, { retry: undefined, ...args }, options);
  }
}

const definition = {
  type: "Onboarding",
  provider: "onboarding",
  outputs: ["verdicts", "totalSeats", "availableSeats"],
  secretOutputs: [],
  claims: [{ property: "emails", noun: "person", shared: "email", isList: true }],
} as const;
