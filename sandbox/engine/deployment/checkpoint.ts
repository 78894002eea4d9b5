/** The state file: reading and writing Pulumi's checkpoint and export formats. */
import { createHash } from "node:crypto";
import { z } from "zod";
import { UserError } from "../errors.ts";
import type { SecretsManager } from "../secrets.ts";
import { isProviderType } from "../urn.ts";
import { type Crypter, toPlaintextState } from "../values.ts";
import { type ResourceState, readResource, resourceSchema, writeResource } from "./state.ts";

/** The version in the states that it writes: the CLI whose behavior it follows. */
export const engineVersion = "v3.260.0";
const formatVersion = 3;

const operationTypes = ["creating", "updating", "deleting", "reading", "importing"] as const;
export const operationTypeSchema = z.enum(operationTypes);
export type OperationType = z.infer<typeof operationTypeSchema>;

export const pendingOperationSchema = z.looseObject({ resource: resourceSchema, type: operationTypeSchema });

const deploymentSchema = z.looseObject({
  manifest: z.looseObject({ time: z.string(), magic: z.string(), version: z.string() }),
  secrets_providers: z
    .looseObject({ type: z.string(), state: z.looseObject({ salt: z.string().optional() }).optional() })
    .nullish(),
  resources: z.array(resourceSchema).nullish(),
  pending_operations: z.array(pendingOperationSchema).nullish(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
});

export type DeploymentJson = z.infer<typeof deploymentSchema>;

const checkpointSchema = z.looseObject({
  version: z.number(),
  checkpoint: z.looseObject({ stack: z.string(), latest: z.unknown().optional() }),
});
const exportSchema = z.looseObject({ version: z.number(), deployment: z.unknown().optional() });

/** An operation that had not ended when the state was written. */
export interface PendingOperation {
  resource: ResourceState;
  type: OperationType;
}

/** The content of a state. */
export interface Snapshot {
  resources: ResourceState[];
  pendingOperations: PendingOperation[];
  metadata: Record<string, unknown>;
}

function parseDeployment(value: unknown, version: number, where: string): DeploymentJson | undefined {
  if (value === undefined || value === null) return undefined;
  if (version !== formatVersion) {
    throw new UserError(
      `${where} has format version ${version}, this emulator reads version ${formatVersion}: use a newer Pulumi for it`,
    );
  }
  return parseValue(value, deploymentSchema, where);
}

function parseJson<Output>(text: string, schema: z.ZodType<Output>, where: string): Output {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new UserError(`${where} is not valid JSON`);
  }
  return parseValue(json, schema, where);
}

function parseValue<Output>(value: unknown, schema: z.ZodType<Output>, where: string): Output {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw new UserError(`${where} is not valid: ${z.prettifyError(parsed.error)}`);
  return parsed.data;
}

/** @param file the file of the text, for messages */
export function parseCheckpoint(text: string, file?: string): DeploymentJson | undefined {
  const where = file === undefined ? "the state" : `the state ${file}`;
  const { checkpoint, version } = parseJson(text, checkpointSchema, where);
  return parseDeployment(checkpoint.latest, version, where);
}

export function parseExport(text: string): DeploymentJson | undefined {
  const where = "the exported state";
  const { deployment, version } = parseJson(text, exportSchema, where);
  return parseDeployment(deployment, version, where);
}

/** The salt of the state's secrets, if it has one. */
export function saltOf(deployment: DeploymentJson | undefined): string | undefined {
  const provider = deployment?.secrets_providers;
  if (!provider) return undefined;
  if (provider.type !== "passphrase") {
    throw new UserError(
      `this emulator knows the passphrase secrets provider only, the stack uses "${provider.type}"`,
    );
  }
  return provider.state?.salt;
}

export function readSnapshot(deployment: DeploymentJson | undefined, crypter: Crypter): Snapshot {
  return {
    resources: (deployment?.resources ?? []).map((json) => readResource(json, crypter)),
    pendingOperations: (deployment?.pending_operations ?? []).map(({ resource, type }) => ({
      resource: readResource(resource, crypter),
      type,
    })),
    metadata: deployment?.metadata ?? {},
  };
}

export function manifest(): { time: string; magic: string; version: string } {
  return { time: new Date().toISOString(), magic: magicOf(engineVersion), version: engineVersion };
}

/** The check sum of a manifest's version. */
export function magicOf(version: string): string {
  return createHash("sha256").update(version).digest("hex");
}

export function secretsProvider(secrets: SecretsManager): { type: string; state: { salt: string } } {
  return { type: "passphrase", state: { salt: secrets.salt } };
}

/** The text of a checkpoint. @param deployment as JSON */
export function checkpointText(qualifiedName: string, deployment: string | undefined): string {
  const latest = deployment === undefined ? "" : `,"latest":${deployment}`;
  return `{"version":${formatVersion},"checkpoint":{"stack":${JSON.stringify(qualifiedName)}${latest}}}`;
}

export function exportText(deployment: DeploymentJson | undefined): string {
  return JSON.stringify({ version: formatVersion, deployment: deployment ?? null }, null, 4);
}

/** The deployment with its secrets decrypted. */
export function withPlaintext(deployment: DeploymentJson, crypter: Crypter): DeploymentJson {
  const snapshot = readSnapshot(deployment, crypter);
  const plain = (state: ResourceState) => resourceSchema.parse(writeResource(state, toPlaintextState));
  return {
    ...deployment,
    resources: snapshot.resources.map(plain),
    ...(snapshot.pendingOperations.length > 0 && {
      pending_operations: snapshot.pendingOperations.map(({ resource, type }) => ({
        resource: plain(resource),
        type,
      })),
    }),
  };
}

/** @throws UserError with the first violation */
export function verifyIntegrity(json: DeploymentJson | undefined, resources: readonly ResourceState[]): void {
  if (!json) return;
  if (json.manifest.magic !== magicOf(json.manifest.version)) {
    throw damaged("its manifest does not fit its version");
  }
  const seen = new Set<string>();
  const current = new Set<string>();
  const providers = new Set<string>();
  for (const state of resources) {
    const { urn } = state;
    for (const { needed, as } of referencesOf(state)) {
      if (seen.has(needed)) continue;
      const later = resources.some((other) => other.urn === needed);
      throw damaged(`${as} of ${urn} is ${needed}, which ${later ? "comes after it" : "is not in it"}`);
    }
    if (state.provider !== "" && !providers.has(state.provider) && !state.pendingReplacement) {
      throw damaged(`the provider of ${urn} is ${state.provider}, which is not in it before`);
    }
    if (!state.delete && current.has(urn)) throw damaged(`${urn} is in it twice`);
    if (!state.delete) current.add(urn);
    if (isProviderType(state.type)) providers.add(`${urn}::${state.id}`);
    seen.add(urn);
  }
}

/** The references of a resource to earlier ones, without its provider. */
function referencesOf(state: ResourceState): { needed: string; as: string }[] {
  const { parent, dependencies, propertyDependencies, deletedWith, replaceWith } = state;
  return [
    ...(parent === "" ? [] : [{ needed: parent, as: "the parent" }]),
    ...dependencies.map((needed) => ({ needed, as: "a dependency" })),
    ...Object.entries(propertyDependencies).flatMap(([key, urns]) =>
      urns.map((needed) => ({ needed, as: `a dependency of "${key}"` })),
    ),
    ...(deletedWith === "" ? [] : [{ needed: deletedWith, as: "deletedWith" }]),
    ...replaceWith.map((needed) => ({ needed, as: "replaceWith" })),
  ];
}

function damaged(what: string): UserError {
  return new UserError(
    `the stack's state is damaged: ${what}.\nNothing was done. Put one of the stack's backups in its place, or repair ` +
      "what `pulumi stack export` gives and read it back by `pulumi stack import`.",
  );
}
