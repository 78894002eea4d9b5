/** `orgseat/policies`: policies for a policy pack of Pulumi, which checks each preview and each run. */
import type { ReportViolation, ResourceValidationPolicy } from "@pulumi/policy";
import { type Inputs, tooLong, unprotected, unsealed } from "./rules.ts";

/** What {@link policies} requires besides sealed tokens. */
export interface PolicyOptions {
  /** How many days the value of a token can live, through all renewals. Default: no limit. */
  maxTokenDays?: number;
  /** The emails of the members that need the option `protect`, in any letter case. Default: none. */
  protectedEmails?: readonly string[];
}

/** Mandatory policies for the resources of programs in every language. */
export function policies({ maxTokenDays, protectedEmails = [] }: PolicyOptions): ResourceValidationPolicy[] {
  const rules = [
    policy("sealed-tokens", "The state contains no token that its readers can use.", "UserToken", unsealed),
    policy("protected-members", "The listed members are protected.", "OrgUser", (inputs, isProtected) =>
      unprotected(inputs, isProtected, protectedEmails),
    ),
  ];
  if (maxTokenDays === undefined) return rules;
  const life = policy(
    "token-life",
    `A token lives for at most ${maxTokenDays} days.`,
    "UserToken",
    (inputs) => tooLong(inputs, maxTokenDays, Date.now()),
  );
  return [...rules, life];
}

function policy(
  name: string,
  description: string,
  resource: string,
  violation: (inputs: Inputs, isProtected: boolean) => string | undefined,
): ResourceValidationPolicy {
  // Of a dynamic resource, and of one of the packaged plugin.
  const types = [`pulumi-nodejs:orgseat:${resource}`, `orgseat:index:${resource}`];
  return {
    name: `orgseat-${name}`,
    description,
    enforcementLevel: "mandatory",
    validateResource({ type, props, opts }, report: ReportViolation) {
      const found = types.includes(type) ? violation(props, opts.protect) : undefined;
      if (found !== undefined) report(found);
    },
  };
}
