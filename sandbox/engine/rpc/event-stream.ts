/** Where `--event-log` sends events: a file, or the Automation API's gRPC server. */
import { appendFileSync } from "node:fs";
import grpc from "@grpc/grpc-js";
import eventsGrpc from "@pulumi/pulumi/proto/events_grpc_pb.js";
import eventsPb from "@pulumi/pulumi/proto/events_pb.js";
import { channelOptions } from "./messages.ts";

export interface EventSink {
  write: (line: string) => void;
  /** Resolves when everything has arrived. */
  close: () => Promise<void>;
}

export function fileSink(file: string): EventSink {
  return { write: (line) => appendFileSync(file, `${line}\n`), close: async () => {} };
}

export function grpcSink(address: string): EventSink {
  const client = new eventsGrpc.EventsClient(address, grpc.credentials.createInsecure(), channelOptions);
  let ended: () => void = () => {};
  const end = new Promise<void>((resolve) => {
    ended = resolve;
  });
  // The receiver may have ended; the update does not depend on it.
  const stream = client.streamEvents(() => ended());
  stream.on("error", () => ended());
  return {
    write: (line) => {
      const request = new eventsPb.EventRequest();
      request.setEvent(line);
      stream.write(request);
    },
    close: async () => {
      stream.end();
      await end;
      client.close();
    },
  };
}
