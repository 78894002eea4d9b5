/** Reads the responses of providers, which can be invalid. */
import type grpc from "@grpc/grpc-js";
import providerPb from "@pulumi/pulumi/proto/provider_pb.js";
import statusPb from "@pulumi/pulumi/proto/status_pb.js";
import type { Struct } from "google-protobuf/google/protobuf/struct_pb.js";
import {
  type CheckFailure,
  type DiffKind,
  type PropertyDiff,
  type ProviderDiff,
  ProviderError,
} from "../plugins/provider.ts";
import {
  annotateSecrets,
  decodeMap,
  outputSig,
  type PropertyMap,
  resourceSig,
  secretSig,
  sentinels,
  sigKey,
} from "../values.ts";

const assetSig = "c44067f5952c0a294b673a41bacd8c17";
const archiveSig = "0def7320c3a5731c473e5ecbe6d01bc7";

/** The key that a marked value must have, by its mark. */
const neededKeys: Record<string, string | undefined> = {
  [secretSig]: "value",
  [resourceSig]: "urn",
  [outputSig]: undefined,
  [assetSig]: undefined,
  [archiveSig]: undefined,
};

/** The error about an invalid response. */
function invalidResponse(what: string): ProviderError {
  return new ProviderError(`${what}: this is a bug of the plugin, report it to its authors`);
}

interface ReadOptions {
  /** Whether values may be unknown, as in previews. */
  unknowns: boolean;
}

/** The properties of a response. @throws ProviderError if the protocol does not allow them */
export function propertiesOf(struct: Struct | undefined, { unknowns }: ReadOptions): PropertyMap {
  const json = plainObject(struct);
  for (const [key, value] of Object.entries(json)) examine(key, value, unknowns);
  return decodeMap(json);
}

function plainObject(struct: Struct | undefined): Record<string, unknown> {
  if (!struct) return {};
  try {
    return struct.toJavaScript();
  } catch {
    throw invalidResponse("the plugin answered properties that are of none of the protocol's kinds");
  }
}

function examine(key: string, value: unknown, unknowns: boolean): void {
  if (typeof value === "string" && sentinels.has(value) && !unknowns) {
    throw invalidResponse(`unexpected unknown property value for "${key}"`);
  }
  if (typeof value !== "object" || value === null) return;
  const inner = Object.entries(value);
  for (const [name, item] of inner)
    if (name !== sigKey) examine(Array.isArray(value) ? key : name, item, unknowns);
  if (!(sigKey in value)) return;
  const mark = String(value[sigKey]);
  if (!(mark in neededKeys)) {
    throw invalidResponse(`unrecognized signature '${mark}' in property map for "${key}"`);
  }
  const needed = neededKeys[mark];
  if (needed !== undefined && !(needed in value)) {
    throw invalidResponse(`a marked value for "${key}" came without its "${needed}"`);
  }
}

/** Outputs. Where the provider does not keep secrets, an output is secret if the input of the same name is. */
export function markedProperties(
  struct: Struct | undefined,
  ins: PropertyMap,
  options: ReadOptions & { keepsSecrets: boolean },
): PropertyMap {
  const outs = propertiesOf(struct, options);
  if (!options.keepsSecrets) annotateSecrets(outs, ins);
  return outs;
}

export function failuresOf(failures: providerPb.CheckFailure[]): CheckFailure[] {
  return failures.map((failure) => ({ property: failure.getProperty(), reason: failure.getReason() }));
}

const { Kind } = providerPb.PropertyDiff;
const kinds: Record<number, DiffKind> = {
  [Kind.ADD]: "add",
  [Kind.ADD_REPLACE]: "add-replace",
  [Kind.DELETE]: "delete",
  [Kind.DELETE_REPLACE]: "delete-replace",
  [Kind.UPDATE]: "update",
  [Kind.UPDATE_REPLACE]: "update-replace",
};

export function diffOf(urn: string, response: providerPb.DiffResponse): ProviderDiff {
  const { DIFF_UNKNOWN, DIFF_NONE, DIFF_SOME } = providerPb.DiffResponse.DiffChanges;
  const changes: number = response.getChanges();
  if (![DIFF_UNKNOWN, DIFF_NONE, DIFF_SOME].includes(changes)) {
    throw invalidResponse(`unrecognized diff state for ${urn}: ${changes}`);
  }
  return {
    changes: changes === DIFF_UNKNOWN ? undefined : changes === DIFF_SOME,
    replaceKeys: response.getReplacesList(),
    changedKeys: response.getDiffsList(),
    deleteBeforeReplace: response.getDeletebeforereplace(),
    detailed: response.getHasdetaileddiff() ? detailedDiffOf(response) : undefined,
  };
}

function detailedDiffOf(response: providerPb.DiffResponse): Map<string, PropertyDiff> {
  const detailed = new Map<string, PropertyDiff>();
  response.getDetaileddiffMap().forEach((diff: providerPb.PropertyDiff, path: string) => {
    // An unknown kind of a later protocol counts as an update.
    detailed.set(path, { kind: kinds[diff.getKind()] ?? "update", inputDiff: diff.getInputdiff() });
  });
  return detailed;
}

/** The provider's error, with the partial state that it reports. */
export function providerErrorOf(
  error: grpc.ServiceError,
  read: (struct: Struct | undefined) => PropertyMap,
  readInputs: (struct: Struct | undefined) => PropertyMap,
): ProviderError {
  for (const [type, bytes] of detailsOf(error)) {
    if (type === "pulumirpc.ErrorResourceInitFailed") {
      const failed = providerPb.ErrorResourceInitFailed.deserializeBinary(bytes);
      const reasons = failed.getReasonsList();
      const inputs = failed.getInputs();
      const partial = {
        id: failed.getId(),
        properties: read(failed.getProperties()),
        inputs: inputs && readInputs(inputs),
        reasons,
      };
      return new ProviderError(initMessage(reasons), { partial });
    }
    if (type === "pulumirpc.ConfigureErrorMissingKeys") return new ProviderError(missingKeys(bytes));
  }
  return new ProviderError(error.details || error.message, { unsure: unsureCodes.has(error.code) });
}

/** UNKNOWN, INTERNAL and DATA_LOSS: the effect of the call is unknown. */
const unsureCodes = new Set([2, 13, 15]);

function detailsOf(error: grpc.ServiceError): [string, Uint8Array][] {
  return error.metadata.get("grpc-status-details-bin").flatMap((details) => {
    if (typeof details === "string") return [];
    const all = statusPb.Status.deserializeBinary(details).getDetailsList();
    return all.map((detail): [string, Uint8Array] => [
      detail.getTypeUrl().slice(detail.getTypeUrl().lastIndexOf("/") + 1),
      detail.getValue_asU8(),
    ]);
  });
}

function missingKeys(bytes: Uint8Array): string {
  const missing = providerPb.ConfigureErrorMissingKeys.deserializeBinary(bytes).getMissingkeysList();
  const sentences = missing.map(
    (key) =>
      `missing required configuration key "${key.getName()}": ${key.getDescription()}\n` +
      `Set a value using the command \`pulumi config set ${key.getName()} <value>\`.`,
  );
  return listed(sentences);
}

/** Pulumi's message about the reasons of a partial failure. */
function initMessage(reasons: string[]): string {
  return reasons.length === 0 ? "resource init failed" : listed(reasons);
}

function listed(errors: string[]): string {
  const count = errors.length === 1 ? "1 error" : `${errors.length} errors`;
  return `${count} occurred:\n\t* ${errors.join("\n\t* ")}\n`;
}
