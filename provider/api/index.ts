/** `orgseat/api`: the contract and its client, without Pulumi. */
export { type Area, areaOf, type Call, type CredentialKind, type PathVariables } from "./call.ts";
export { calls } from "./calls.ts";
export { type Client, type ClientSettings, createClient } from "./client.ts";
export type { Clock } from "./clock.ts";
export type { Credentials } from "./credentials.ts";
export { type Dialect, type DialectName, dialectNames, dialects } from "./dialect.ts";
export { ApiError, type ApiErrorCode, type ApiErrorFields, TOKEN_ENDPOINT } from "./errors.ts";
export { formatInstant, INSTANT_FORM, instantMs, isLater, parseInstant } from "./instants.ts";
export * from "./model-schemas.ts";
export * from "./model-types.ts";
export type { ModelApi } from "./models.ts";
export type { Observer, SentWrite, Write } from "./observer.ts";
export type { Deleted, OrganizationApi, TimeLimit } from "./organization.ts";
export * from "./schemas.ts";
