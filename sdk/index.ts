/** orgseat: service accounts, people, seats, access tokens, model servers, and vector tables as Pulumi resources. */
export type {
  ServerFilter,
  ServerStatus,
  TableColumn,
  TableSchema,
} from "../provider/api/schemas/model-types.ts";
export type { OnboardingStatus } from "../provider/resources/onboarding/status-names.ts";
export type {
  AccountCredentials,
  AdminCredentials,
  ModelCredentials,
  ModelResourceArgs,
  OnDelete,
  OrganizationResourceArgs,
  ServedFile,
  ServerAddress,
  ServerConfig,
} from "./base/base-resource.ts";
export type {
  DownloadProgress,
  DownloadState,
  DownloadStatus,
  MemberInfo,
  MemberRole,
  ModelFileInfo,
  ModelFileSummary,
  ModelInfo,
  ModelPurpose,
  ModelQuantization,
  ServerInfo,
  ServiceAccountInfo,
  VectorTableInfo,
} from "./lookups/lookup-results.ts";
export {
  getModel,
  getModelFiles,
  getModelFilesOutput,
  getModelOutput,
  getModelServers,
  getModelServersOutput,
  getModels,
  getModelsOutput,
  getServiceAccounts,
  getServiceAccountsOutput,
  getUsers,
  getUsersOutput,
  getVectorTables,
  getVectorTablesOutput,
  type ModelFilter,
  type ModelLookup,
  type ServiceAccountLookup,
  type UserLookup,
} from "./lookups/lookups.ts";
export {
  type AdoptedServerArgs,
  type CreatedServerArgs,
  ModelServer,
  type ModelServerArgs,
  type ServerConfigArgs,
} from "./model-server.ts";
export { Onboarding, type OnboardingArgs } from "./onboarding.ts";
export {
  type MachineMemberArgs,
  type MemberSeatOptions,
  type MemberToken,
  OrgMember,
  type OrgMemberArgs,
  type PersonMemberArgs,
  type TokenValueState,
} from "./org-member.ts";
export { type MachineUserArgs, OrgUser, type OrgUserArgs, type PersonArgs } from "./org-user.ts";
export { SeatAssignment, type SeatAssignmentArgs, type SeatOptions } from "./seat-assignment.ts";
export { type PreviousAccount, ServiceAccount, type ServiceAccountArgs } from "./service-account.ts";
export {
  type ExpirySource,
  type MemberTokenOptions,
  type PreviousToken,
  type TokenOptions,
  UserToken,
  type UserTokenArgs,
} from "./user-token.ts";
export { type TableColumnArgs, VectorTable, type VectorTableArgs } from "./vector-table.ts";
