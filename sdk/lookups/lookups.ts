/**
 * Lookups: read from the service while the program runs, in previews too, with the configuration and credentials of the
 * resources. A failed read is an error of one line, never an empty list. The first lookup loads the client, because
 * programs without lookups must not load it.
 */

import process from "node:process";
import * as pulumi from "@pulumi/pulumi";
import type { ServerFilter } from "../../provider/api/schemas/model-types.ts";
import { codeOf } from "../../provider/util/error-codes.ts";
import type { AdminCredentials } from "../base/base-resource.ts";
import { inlineStacks } from "../base/inline-program.ts";
import { programError } from "../base/program-error.ts";
import type {
  MemberInfo,
  ModelFileInfo,
  ModelInfo,
  ServerInfo,
  ServiceAccountInfo,
  VectorTableInfo,
} from "./lookup-results.ts";

/** The type with an Input for each value, at any depth. */
type Inputs<T> = {
  [key in keyof T]: pulumi.Input<T[key] extends object | undefined ? Inputs<T[key]> : T[key]>;
};

/** An organization in place of the configured one. */
interface OrganizationLookup {
  /** The id of the organization, such as `acme-data`. Default: `orgseat:organizationId`. */
  organizationId?: string;
  /**
   * The address of the organization service. With an address or the platform, the options need all others too, `organizationId`,
   * and `credentials`. Default: `orgseat:orgUrl`.
   */
  orgUrl?: string;
  /** The address of the token endpoint. Default: `orgseat:tokenUrl`. */
  tokenUrl?: string;
  /** The platform of the service at the address. Default: `orgseat:platform`. */
  platform?: "anaconda" | "basic";
}

/** Options of {@link getServiceAccounts}. */
export interface ServiceAccountLookup extends OrganizationLookup {
  /** An administrator. Default: `orgseat:username` and `orgseat:password`, or `orgseat:adminToken`. */
  credentials?: pulumi.Unwrap<AdminCredentials>;
}

/** Options of {@link getUsers}. */
export interface UserLookup extends OrganizationLookup {
  /** The code of the product whose seats count. Default: `orgseat:product`. */
  product?: string;
  /** A service account. Default: `orgseat:clientId` and `orgseat:clientSecret`. */
  credentials?: { clientId: string; clientSecret: string };
}

/** Filter of {@link getModels}. */
export interface ModelFilter {
  /** `true`: only models with downloaded files. `false`: only models without. Default: all. */
  downloaded?: boolean;
}

/** Options of the lookups of the model area. */
export interface ModelLookup {
  /**
   * The address of the model area. With it or the platform, the options need both, and `credentials`. Default:
   * `orgseat:modelUrl`.
   */
  modelUrl?: string;
  /** The platform of the service at the address. Default: `orgseat:platform`. */
  platform?: "anaconda" | "basic";
  /** The API key, a UUID. Default: `orgseat:apiKey`. */
  credentials?: { apiKey: string };
}

/** The service accounts of the organization ("list service accounts"), without their secrets. Needs an administrator. */
export async function getServiceAccounts(options: ServiceAccountLookup = {}): Promise<ServiceAccountInfo[]> {
  return lookUp("getServiceAccounts", options);
}

/** {@link getServiceAccounts} for Outputs; unknown in a preview while one of them is. */
export function getServiceAccountsOutput(
  options: pulumi.Input<Inputs<ServiceAccountLookup>> = {},
): pulumi.Output<ServiceAccountInfo[]> {
  return pulumi.output(options).apply(getServiceAccounts);
}

/**
 * The members of the organization ("list users"): people, machine users, and admins. Needs a service account. The
 * platform `basic` does not support this.
 */
export async function getUsers(options: UserLookup = {}): Promise<MemberInfo[]> {
  return lookUp("getUsers", options);
}

/** {@link getUsers} for Outputs; unknown in a preview while one of them is. */
export function getUsersOutput(options: pulumi.Input<Inputs<UserLookup>> = {}): pulumi.Output<MemberInfo[]> {
  return pulumi.output(options).apply(getUsers);
}

/**
 * The model servers that match the filter ("list servers"). Default: all.
 *
 * ```ts
 * const running = await getModelServers({ status: "running" });
 * ```
 */
export async function getModelServers(
  filter: ServerFilter = {},
  options: ModelLookup = {},
): Promise<ServerInfo[]> {
  return lookUp("getModelServers", filter, options);
}

/** {@link getModelServers} for Outputs; unknown in a preview while one of them is. */
export function getModelServersOutput(
  filter: pulumi.Input<Inputs<ServerFilter>> = {},
  options: pulumi.Input<Inputs<ModelLookup>> = {},
): pulumi.Output<ServerInfo[]> {
  return pulumi.all([filter, options]).apply(([fits, as]) => getModelServers(fits, as));
}

/** The models that match the filter ("list models"). Default: all. The platform `basic` does not support this. */
export async function getModels(filter: ModelFilter = {}, options: ModelLookup = {}): Promise<ModelInfo[]> {
  return lookUp("getModels", filter, options);
}

/** {@link getModels} for Outputs; unknown in a preview while one of them is. */
export function getModelsOutput(
  filter: pulumi.Input<Inputs<ModelFilter>> = {},
  options: pulumi.Input<Inputs<ModelLookup>> = {},
): pulumi.Output<ModelInfo[]> {
  return pulumi.all([filter, options]).apply(([fits, as]) => getModels(fits, as));
}

/**
 * One model ("get model"). An unknown id is an error. The platform `basic` does not support this.
 * @param modelId The id of the model; `getModels` lists them.
 */
export async function getModel(modelId: string, options: ModelLookup = {}): Promise<ModelInfo> {
  return lookUp("getModel", { modelId }, options);
}

/** {@link getModel} for Outputs; unknown in a preview while one of them is. */
export function getModelOutput(
  modelId: pulumi.Input<string>,
  options: pulumi.Input<Inputs<ModelLookup>> = {},
): pulumi.Output<ModelInfo> {
  return pulumi.all([modelId, options]).apply(([id, as]) => getModel(id, as));
}

/**
 * The files of a model ("list model files"), each with its download. An unknown model is an error.
 * @param modelId The id of the model; `getModels` lists them.
 */
export async function getModelFiles(modelId: string, options: ModelLookup = {}): Promise<ModelFileInfo[]> {
  return lookUp("getModelFiles", { modelId }, options);
}

/** {@link getModelFiles} for Outputs; unknown in a preview while one of them is. */
export function getModelFilesOutput(
  modelId: pulumi.Input<string>,
  options: pulumi.Input<Inputs<ModelLookup>> = {},
): pulumi.Output<ModelFileInfo[]> {
  return pulumi.all([modelId, options]).apply(([id, as]) => getModelFiles(id, as));
}

/** The tables of the vector database ("list tables"). A database that does not run is an error. */
export async function getVectorTables(options: ModelLookup = {}): Promise<VectorTableInfo[]> {
  return lookUp("getVectorTables", options);
}

/** {@link getVectorTables} for Outputs; unknown in a preview while one of them is. */
export function getVectorTablesOutput(
  options: pulumi.Input<Inputs<ModelLookup>> = {},
): pulumi.Output<VectorTableInfo[]> {
  return pulumi.output(options).apply(getVectorTables);
}

interface Found {
  getServiceAccounts: ServiceAccountInfo[];
  getUsers: MemberInfo[];
  getModelServers: ServerInfo[];
  getModels: ModelInfo[];
  getModel: ModelInfo;
  getModelFiles: ModelFileInfo[];
  getVectorTables: VectorTableInfo[];
}
type Provider = typeof import("../../provider/direct/lookups.ts");
type Lookup = Parameters<Provider["lookups"]["getUsers"]>[0];
type Lookups = {
  readonly [Name in keyof Found]: (lookup: Lookup, ...given: object[]) => Promise<Found[Name]>;
};

async function lookUp<Name extends keyof Found>(name: Name, ...given: object[]): Promise<Found[Name]> {
  const config = (key: string): string | undefined => pulumi.runtime.getConfig(key);
  const stacks = inlineStacks();
  try {
    const provider = await import("../../provider/direct/lookups.ts");
    const lookups: Lookups = provider.lookups;
    const lookup: Lookup = {
      ...{ name, isInline: stacks !== undefined, warn: (text) => pulumi.log.warn(text) },
      settings: (needed) => provider.settingsOf(config, needed, stacks),
    };
    return await lookups[name](lookup, ...given);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const failure = programError(codeOf(error), error.message, { cause: error.cause });
    allowLateHandling(failure);
    throw failure;
  }
}

const reported = new WeakSet<Error>();

/** Suppresses the warning for rejections with this error, and for no others. */
export function allowLateHandling(failure: Error): void {
  reported.add(failure);
  if (!process.listeners("rejectionHandled").includes(warnOfOthers)) {
    process.on("rejectionHandled", warnOfOthers);
  }
}

/** Replaces Node's own warning, which Node omits if there is a listener. */
function warnOfOthers(promise: Promise<unknown>): void {
  promise.catch((reason: unknown) => {
    const isReported = reason instanceof Error && reported.has(reason);
    if (isReported || process.listenerCount("rejectionHandled") > 1) return;
    process.emitWarning("Promise rejection was handled asynchronously", "PromiseRejectionHandledWarning");
  });
}
