/** Starts the packaged plugin: one process for each Provider of a program. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Server, ServerCredentials } from "@grpc/grpc-js";
import providerGrpc from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import { z } from "zod";
import { onEngineEnd } from "../runtime/engine-end.ts";
import { createEngineLog } from "../runtime/log.ts";
import { ProviderProcess } from "../runtime/process.ts";
import { systemClock } from "../util/instants.ts";
import { pluginHandlers } from "./server.ts";

/** The folder `plugin` of the package, which has package.json and schema.json. */
const FOLDER = fileURLToPath(new URL("../../../plugin", import.meta.url));

/** Large enough for the states of large resources. */
const MESSAGE_BYTES = 400 * 1024 * 1024;

/** @param argv ends with the address of Pulumi's engine */
export async function main(argv: readonly string[], folder = FOLDER): Promise<void> {
  const engine = argv.at(-1) ?? "";
  const { version } = z
    .object({ version: z.string() })
    .parse(JSON.parse(readFileSync(join(folder, "package.json"), "utf8")));
  const provider = new ProviderProcess({
    environment: process.env,
    log: () => createEngineLog(engine),
    clock: systemClock,
  });
  const schema = () => readFileSync(join(folder, "schema.json"), "utf8");
  const server = new Server({
    "grpc.max_receive_message_length": MESSAGE_BYTES,
    "grpc.max_send_message_length": MESSAGE_BYTES,
  });
  server.addService(providerGrpc.ResourceProviderService, pluginHandlers(provider, { version, schema }));
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  onEngineEnd(engine, () => void provider.end().finally(() => process.exit()));
  // Pulumi reads the port from the first line.
  process.stdout.write(`${port}\n`);
}
