/** Names that programs and the command share with the provider. Without packages: programs compile against them. */

/** The names of all resources, as in the type token `pulumi-nodejs:orgseat:<name>`. */
export const resourceTypes = [
  "ServiceAccount",
  "OrgUser",
  "SeatAssignment",
  "UserToken",
  "Onboarding",
  "ModelServer",
  "ModelFile",
  "VectorTable",
  "VectorDatabase",
] as const;
export type ResourceType = (typeof resourceTypes)[number];

export const onboardingStatuses = ["inProcess", "unavailable", "refused", "unknown"] as const;
/**
 * The status of one email of an Onboarding.
 * - `inProcess`: accepted; never sent again.
 * - `unavailable`: no seat was available, or the email has an account or is a member already.
 * - `refused`: in neither list of the response (D20).
 * - `unknown`: sent, and the response was lost (D45).
 */
export type OnboardingStatus = (typeof onboardingStatuses)[number];
