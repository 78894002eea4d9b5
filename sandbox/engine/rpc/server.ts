/** The engine's gRPC server, on a free port of the loopback address. */
import grpc from "@grpc/grpc-js";
import { channelOptions } from "./messages.ts";

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
