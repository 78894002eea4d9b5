/** `orgseat/api`: the contract and its client, without Pulumi. */

export type { Clock, TimeLimit } from "../util/instants.ts";
export { formatInstant, INSTANT_FORM, instantMs, isLater, parseInstant } from "../util/instants.ts";
export { type Area, areaOf, type Call, type CredentialKind, type PathVariables } from "./calls/call.ts";
export { calls } from "./calls/calls.ts";
export { ApiError, type ApiErrorCode, type ApiErrorFields, TOKEN_ENDPOINT } from "./calls/errors.ts";
export type { ModelApi } from "./calls/models.ts";
export type { Deleted, OrganizationApi } from "./calls/organization.ts";
export { type Platform, type PlatformName, platformNames, platforms } from "./calls/platform.ts";
export type { Credentials } from "./client/credentials.ts";
export type { Observer, SentWrite, Write } from "./client/observer.ts";
export { type Client, type ClientSettings, createClient } from "./client.ts";
export * from "./schemas/model-schemas.ts";
export * from "./schemas/model-types.ts";
export * from "./schemas/schemas.ts";
