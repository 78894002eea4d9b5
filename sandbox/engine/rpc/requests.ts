/** Converts a program's requests to goals. */
import { relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type aliasPb from "@pulumi/pulumi/proto/alias_pb.js";
import type resourcePb from "@pulumi/pulumi/proto/resource_pb.js";
import type sourcePb from "@pulumi/pulumi/proto/source_pb.js";
import { UserError } from "../errors.ts";
import { unsupportedError } from "../refusals.ts";
import type { Alias, Goal, ReadGoal } from "../steps/goal.ts";
import { decodeMap } from "../values.ts";

export function goalOf(request: resourcePb.RegisterResourceRequest, projectRoot: string): Goal {
  return {
    type: request.getType(),
    name: request.getName(),
    custom: request.getCustom(),
    properties: decodeMap(request.getObject()?.toJavaScript()),
    parent: request.getParent(),
    provider: request.getProvider(),
    dependencies: [...new Set(request.getDependenciesList())].sort(),
    propertyDependencies: propertyDependenciesOf(request),
    aliases: [
      ...request.getAliasurnsList().map((urn: string) => ({ urn })),
      ...request.getAliasesList().map(aliasOf),
    ],
    protect: request.hasProtect() ? request.getProtect() : undefined,
    retainOnDelete: request.hasRetainondelete() ? request.getRetainondelete() : undefined,
    deleteBeforeReplace:
      request.getDeletebeforereplacedefined() || request.getDeletebeforereplace()
        ? request.getDeletebeforereplace()
        : undefined,
    ignoreChanges: request.getIgnorechangesList(),
    replaceOnChanges: request.getReplaceonchangesList(),
    additionalSecretOutputs: request.getAdditionalsecretoutputsList(),
    deletedWith: request.getDeletedwith(),
    replaceWith: request.getReplaceWithList(),
    importId: request.getImportid(),
    customTimeouts: customTimeoutsOf(request),
    sourcePosition: position(request.getSourceposition(), projectRoot),
    stackTrace: (request.getStacktrace()?.getFramesList() ?? []).map((frame: sourcePb.StackFrame) => {
      const at = position(frame.getPc(), projectRoot);
      return at === "" ? {} : { sourcePosition: at };
    }),
  };
}

function propertyDependenciesOf(request: resourcePb.RegisterResourceRequest): Record<string, string[]> {
  const dependencies: Record<string, string[]> = {};
  request
    .getPropertydependenciesMap()
    .forEach((value: resourcePb.RegisterResourceRequest.PropertyDependencies, key: string) => {
      dependencies[key] = value.getUrnsList();
    });
  return dependencies;
}

/** In seconds, by operation. Undefined if the program sets none. */
function customTimeoutsOf(request: resourcePb.RegisterResourceRequest): Record<string, number> | undefined {
  const set = Object.entries(request.getCustomtimeouts()?.toObject() ?? {}).filter(([, text]) => text !== "");
  if (set.length === 0) return undefined;
  return Object.fromEntries(set.map(([operation, text]) => [operation, secondsOf(text)]));
}

const units: Record<string, number> = { ns: 1e-9, us: 1e-6, µs: 1e-6, ms: 1e-3, s: 1, m: 60, h: 3600 };

/** The seconds of a timeout such as "1h30m". */
export function secondsOf(timeout: string): number {
  const parts = [...timeout.matchAll(/(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)/g)];
  if (parts.length === 0 || parts.map(([part]) => part).join("") !== timeout) {
    throw new UserError(`"${timeout}" is not a timeout: write it as "30s", "5m" or "1h30m"`);
  }
  return parts.reduce((sum, [, count, unit]) => sum + Number(count) * (units[unit ?? ""] ?? 0), 0);
}

function aliasOf(alias: aliasPb.Alias): Alias {
  const spec = alias.getSpec();
  if (!spec) return { urn: alias.getUrn() };
  return {
    name: spec.getName(),
    type: spec.getType(),
    stack: spec.getStack(),
    project: spec.getProject(),
    parent: spec.getParenturn(),
    noParent: spec.getNoparent(),
  };
}

/** A source position in the state's format, relative to the project. */
function position(source: sourcePb.SourcePosition | undefined, projectRoot: string): string {
  if (!source?.getUri().startsWith("file://")) return "";
  const path = relative(projectRoot, fileURLToPath(source.getUri())).split(sep).join("/");
  return `project:///${path}#${source.getLine()},${source.getColumn()}`;
}

export function readGoalOf(request: resourcePb.ReadResourceRequest, projectRoot: string): ReadGoal {
  return {
    id: request.getId(),
    type: request.getType(),
    name: request.getName(),
    parent: request.getParent(),
    provider: request.getProvider(),
    properties: decodeMap(request.getProperties()?.toJavaScript()),
    dependencies: [...new Set(request.getDependenciesList())].sort(),
    additionalSecretOutputs: request.getAdditionalsecretoutputsList(),
    sourcePosition: position(request.getSourceposition(), projectRoot),
  };
}

/** Options that a child inherits from its parent unless it has its own. */
export function inheritFromParent(child: Goal, parent: Goal): void {
  child.protect ??= parent.protect;
  child.retainOnDelete ??= parent.retainOnDelete;
  if (child.deletedWith === "") child.deletedWith = parent.deletedWith;
}

/** A request that a provider serves. */
export interface Served {
  getProvider(): string;
  getVersion(): string;
  getPlugindownloadurl(): string;
}

export function refuseDownload(token: string, request: Served): void {
  if (request.getPlugindownloadurl() === "") return;
  throw unsupportedError(
    `downloads of plugins (the option pluginDownloadURL of ${token})`,
    "name the folder of the plugin in Pulumi.yaml under packages, or use the real Pulumi CLI",
  );
}

export function refuseUnknown(request: InstanceType<typeof resourcePb.RegisterResourceRequest>): void {
  const what = `of ${request.getName()}`;
  if (request.getTransformsList().length > 0) throw unsupportedError(`the option transforms ${what}`);
  if (request.getStateMigrationsList().length > 0)
    throw unsupportedError(`the option stateMigrations ${what}`);
  if (request.getEnvvarmappingsMap().getLength() > 0)
    throw unsupportedError(`the option envVarMappings ${what}`);
  if (request.getHidediffsList().length > 0) throw unsupportedError(`the option hideDiffs ${what}`);
  if (request.hasReplacementTrigger()) throw unsupportedError(`the option replacementTrigger ${what}`);
  if (Object.values(request.getHooks()?.toObject() ?? {}).some((hooks) => hooks.length > 0)) {
    throw unsupportedError(`the option hooks ${what}`);
  }
}
