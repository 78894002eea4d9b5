/** Refuses options of a program's requests that the stand-in does not have. */
import type resourcePb from "@pulumi/pulumi/proto/resource_pb.js";
import { unsupportedError } from "../refusals.ts";

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
