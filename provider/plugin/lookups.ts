/** Invoke: the lookups as functions of the package, with all arguments in one object. A list is a property of its result. */

import providerPb from "@pulumi/pulumi/proto/provider_pb.js";
import {
  type Lookup,
  lookUpModel,
  lookUpModelFiles,
  lookUpModels,
  lookUpServers,
  lookUpServiceAccounts,
  lookUpTables,
  lookUpUsers,
} from "../direct/lookups.ts";
import type { ProviderProcess } from "../runtime/process.ts";
import { CodedError } from "../util/error-codes.ts";
import { type Props, readStruct, writeStruct } from "./wire.ts";

type LookupFunction = (lookup: Lookup, args: Props) => Promise<Props>;

const functions: Readonly<Record<string, LookupFunction>> = {
  getServiceAccounts: async (lookup, args) => ({
    serviceAccounts: await lookUpServiceAccounts(lookup, args),
  }),
  getUsers: async (lookup, args) => ({ users: await lookUpUsers(lookup, args) }),
  getModelServers: async (lookup, { credentials, ...filter }) => ({
    modelServers: await lookUpServers(lookup, filter, { credentials }),
  }),
  getModels: async (lookup, { credentials, ...filter }) => ({
    models: await lookUpModels(lookup, filter, { credentials }),
  }),
  getModel: (lookup, { modelId, ...options }) => lookUpModel(lookup, modelId, options),
  getModelFiles: async (lookup, { modelId, ...options }) => ({
    modelFiles: await lookUpModelFiles(lookup, modelId, options),
  }),
  getVectorTables: async (lookup, args) => ({ vectorTables: await lookUpTables(lookup, args) }),
};

export function lookupOf(name: string, process: ProviderProcess): Lookup {
  return { name, settings: () => process.settings, warn: process.planContext().diagnostics.warn };
}

/** @throws Error as one sentence: of the arguments before anything is sent, or of the request */
export async function invoke(
  request: providerPb.InvokeRequest,
  process: ProviderProcess,
): Promise<providerPb.InvokeResponse> {
  const token = request.getTok();
  const name = token.replace(/^orgseat:index:/, "");
  const run = Object.hasOwn(functions, name) ? functions[name] : undefined;
  if (run === undefined) throw new CodedError("version-mismatch", `the plugin has no function ${token}`);
  const { props, secrets } = readStruct(request.getArgs());
  const result = await run(lookupOf(name, process), props);
  // A result can repeat a filter or an id, but never credentials.
  const isSecret = [...secrets].some((key) => key !== "credentials");
  const response = new providerPb.InvokeResponse();
  response.setReturn(writeStruct(result, new Set(isSecret ? Object.keys(result) : [])));
  return response;
}
