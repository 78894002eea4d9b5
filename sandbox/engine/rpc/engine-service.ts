/** The service that programs and providers send their messages to. */
import engineGrpc from "@pulumi/pulumi/proto/engine_grpc_pb.js";
import enginePb from "@pulumi/pulumi/proto/engine_pb.js";
import type { EventBus, Severity } from "../events.ts";
import { empty } from "./messages.ts";
import { unary } from "./monitor.ts";

export const engineService = engineGrpc.EngineService;

export function engineHandlers(events: EventBus, rootUrn: () => string) {
  let root = "";
  const severities: Record<number, Severity> = {
    [enginePb.LogSeverity.DEBUG]: "debug",
    [enginePb.LogSeverity.INFO]: "info",
    [enginePb.LogSeverity.WARNING]: "warning",
    [enginePb.LogSeverity.ERROR]: "error",
  };
  return {
    log: unary(async (request: InstanceType<typeof enginePb.LogRequest>) => {
      const severity = severities[request.getSeverity()] ?? "info";
      events.diagnose(severity, request.getUrn() || rootUrn(), request.getMessage(), request.getEphemeral());
      return empty();
    }),
    getRootResource: unary(async (_: InstanceType<typeof enginePb.GetRootResourceRequest>) => {
      const response = new enginePb.GetRootResourceResponse();
      response.setUrn(root);
      return response;
    }),
    setRootResource: unary(async (request: InstanceType<typeof enginePb.SetRootResourceRequest>) => {
      root = request.getUrn();
      return new enginePb.SetRootResourceResponse();
    }),
    startDebugging: unary(async (_: InstanceType<typeof enginePb.StartDebuggingRequest>) => empty()),
    requirePulumiVersion: unary(
      async (_: InstanceType<typeof enginePb.RequirePulumiVersionRequest>) =>
        new enginePb.RequirePulumiVersionResponse(),
    ),
  };
}
