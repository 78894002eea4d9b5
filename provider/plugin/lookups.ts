/** Invoke: the lookups as functions of the package, with all arguments in one object. A list is a property of its result, with the name of the lookup. */

import providerPb from "@pulumi/pulumi/proto/provider_pb.js";
import { type Lookup, lookups } from "../direct/lookups.ts";
import type { ProviderProcess } from "../runtime/process.ts";
import { CodedError } from "../util/error-codes.ts";
import { readStruct, writeStruct } from "./wire.ts";

const byName = new Map(Object.entries(lookups));

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
  const find = byName.get(name);
  if (find === undefined) throw new CodedError("version-mismatch", `the plugin has no function ${token}`);
  const { props, secrets } = readStruct(request.getArgs());
  const found = await find(lookupOf(name, process), props);
  const result = Array.isArray(found)
    ? { [`${name.charAt(3).toLowerCase()}${name.slice(4)}`]: found }
    : found;
  // A result can repeat a filter or an id, but never credentials.
  const isSecret = [...secrets].some((key) => key !== "credentials");
  const response = new providerPb.InvokeResponse();
  response.setReturn(writeStruct(result, new Set(isSecret ? Object.keys(result) : [])));
  return response;
}
