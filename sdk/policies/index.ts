/** `orgseat/policies`: policies for a policy pack of Pulumi, which checks each preview and each run. */
import type { ReportViolation, ResourceValidationPolicy } from "@pulumi/policy";
import { type Inputs, tooLong, unprotected, unprotectedMember, unsealed } from "./rules.ts";

/** What {@link policies} requires besides sealed tokens. */
export interface PolicyOptions {
  /** How many days the value of a token can live, through all renewals. Default: no limit. */
  maxTokenDays?: number;
  /**
   * The emails of the members that need the option `protect`, and as an OrgMember the input `protected` too, in any letter
   * case. Default: none.
   */
  protectedEmails?: readonly string[];
}

/** Mandatory policies for the resources of programs in every language. */
export function policies({ maxTokenDays, protectedEmails = [] }: PolicyOptions): ResourceValidationPolicy[] {
  const sealed = policy("sealed-tokens", "The state contains no token that its readers can use.", {
    UserToken: unsealed,
    OrgMember: ofToken(unsealed),
  });
  const protectedMembers = policy("protected-members", "The listed members are protected.", {
    OrgUser: (inputs, isProtected) => unprotected(inputs, isProtected, protectedEmails),
    OrgMember: (inputs, isProtected) => unprotectedMember(inputs, isProtected, protectedEmails),
  });
  if (maxTokenDays === undefined) return [sealed, protectedMembers];
  const isTooLong: Rule = (inputs) => tooLong(inputs, maxTokenDays, Date.now());
  const life = policy("token-life", `A token lives for at most ${maxTokenDays} days.`, {
    UserToken: isTooLong,
    OrgMember: ofToken(isTooLong),
  });
  return [sealed, protectedMembers, life];
}

/** Returns the violation. */
type Rule = (inputs: Inputs, isProtected: boolean) => string | undefined;

/** The rule for the token of an OrgMember, if it has one. */
function ofToken(rule: Rule): Rule {
  return ({ token }, isProtected) => (isInputs(token) ? rule(token, isProtected) : undefined);
}

function isInputs(value: unknown): value is Inputs {
  return typeof value === "object" && value !== null;
}

function policy(
  name: string,
  description: string,
  rules: Readonly<Record<string, Rule>>,
): ResourceValidationPolicy {
  // Of a dynamic resource, and of one of the packaged plugin.
  const prefixes = ["pulumi-nodejs:orgseat:", "orgseat:index:"];
  const byType = new Map(
    Object.entries(rules).flatMap(([resource, rule]) =>
      prefixes.map((prefix) => [prefix + resource, rule] as const),
    ),
  );
  return {
    name: `orgseat-${name}`,
    description,
    enforcementLevel: "mandatory",
    validateResource({ type, props, opts }, report: ReportViolation) {
      const found = byType.get(type)?.(props, opts.protect);
      if (found !== undefined) report(found);
    },
  };
}
