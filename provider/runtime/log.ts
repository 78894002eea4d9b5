/** Sends diagnostics to Pulumi's engine. */
import { credentials, Metadata } from "@grpc/grpc-js";
import engineService from "@pulumi/pulumi/proto/engine_grpc_pb.js";
import messages from "@pulumi/pulumi/proto/engine_pb.js";
import { visibleLines } from "../util/text.ts";

export type LogSeverity = "info" | "warning";

export interface Log {
  write(severity: LogSeverity, text: string): void;
  /** Resolves when every message has arrived or failed. */
  flush(): Promise<void>;
}

const DEADLINE_MS = 2000;

/** A log that sends each text once. @param address the engine's gRPC address */
export function createEngineLog(address: string): Log {
  const client = new engineService.EngineClient(address, credentials.createInsecure(), {
    // The engine is on this machine; grpc would reach it through the proxy of `https_proxy`.
    "grpc.enable_http_proxy": 0,
  });
  const written = new Set<string>();
  const underWay = new Set<Promise<void>>();
  return {
    write(severity, text) {
      if (written.has(text)) return;
      written.add(text);
      const request = new messages.LogRequest();
      request.setSeverity(severity === "warning" ? messages.LogSeverity.WARNING : messages.LogSeverity.INFO);
      request.setMessage(visibleLines(text));
      const sent = new Promise<void>((resolve) => {
        // A message that cannot be delivered must not fail the resource it is about.
        client.log(request, new Metadata(), { deadline: Date.now() + DEADLINE_MS }, () => resolve());
      });
      underWay.add(sent);
      sent.finally(() => underWay.delete(sent));
    },
    async flush() {
      await Promise.all(underWay);
    },
  };
}
