/** orgseat: service accounts, people, seats and access tokens of an organization as Pulumi resources. */
export { OrgMember, type OrgMemberArgs } from "./org-member.ts";
export { type ManagedUserArgs, OrgUser, type OrgUserArgs, type PersonArgs } from "./org-user.ts";
export type { AccountCredentials, AdminCredentials, OrganizationOptions } from "./organization-resource.ts";
export { SeatAssignment, type SeatAssignmentArgs, type SeatOptions } from "./seat-assignment.ts";
export { ServiceAccount, type ServiceAccountArgs } from "./service-account.ts";
export { type TokenOptions, UserToken, type UserTokenArgs } from "./user-token.ts";
