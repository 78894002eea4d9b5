/** The types of resources, without their definitions and without packages: programs compile against the names. */

/** The shape in which outputs are written. A release refuses a newer one. */
export const STATE_VERSION = 1;

/** The names of all resources, as in the type token `pulumi-nodejs:orgseat:<name>`. */
export const resourceTypes = [
  "ServiceAccount",
  "OrgMember",
  "OrgUser",
  "SeatAssignment",
  "UserToken",
  "Onboarding",
  "ModelServer",
  "VectorTable",
] as const;
export type ResourceType = (typeof resourceTypes)[number];
