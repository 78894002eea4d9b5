/** The contract and its client, without Pulumi: what `orgseat/api` exports. */
export { type Call, type CredentialKind, calls, type PathVariables } from "./calls.ts";
export { type Client, type ClientSettings, createClient } from "./client.ts";
export type { Clock } from "./clock.ts";
export type { Credentials } from "./credentials.ts";
export { type Dialect, type DialectName, dialectNames, dialects } from "./dialect.ts";
export { ApiError, type ApiErrorCode, type ApiErrorFields, TOKEN_ENDPOINT } from "./errors.ts";
export { formatInstant, INSTANT_FORM, instantMs, isLater, parseInstant } from "./instants.ts";
export type { Deleted, Operation, OrganizationApi } from "./organization.ts";
export * from "./schemas.ts";
