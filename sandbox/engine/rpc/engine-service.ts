/** The service that programs and providers send their messages to. */

import grpc from "@grpc/grpc-js";
import engineGrpc from "@pulumi/pulumi/proto/engine_grpc_pb.js";
import enginePb from "@pulumi/pulumi/proto/engine_pb.js";
import type { EventBus, Severity } from "../events.ts";
import { refusalOf } from "../refusals.ts";
import { channelOptions, empty } from "./messages.ts";
import { asyncHandler as unary } from "./monitor.ts";

export const engineService = engineGrpc.EngineService;

/** @param onRefusal called after the SDK reports a feature that the emulator does not have */
export function engineHandlers(events: EventBus, rootUrn: string, onRefusal: () => void) {
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
      const refused = severity === "error" ? refusalOf(request.getMessage()) : undefined;
      if (refused !== undefined) onRefusal();
      const message = refused ?? request.getMessage();
      events.diagnose(severity, request.getUrn() || rootUrn, message, request.getEphemeral());
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

type Service = Parameters<grpc.Server["addService"]>;

export interface RpcServer {
  address: string;
  addService(service: Service[0], handlers: Service[1]): void;
  stop(): void;
}

export async function startServer(): Promise<RpcServer> {
  const server = new grpc.Server(channelOptions);
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  return {
    address: `127.0.0.1:${port}`,
    addService: (service, handlers) => server.addService(service, handlers),
    stop: () => server.forceShutdown(),
  };
}
