/**
 * The process in which the inline programs of a test file live, as a person's live in the process that uses the
 * Automation API. Asked over IPC, it serves a project's program to the engine by that API's own server.
 */
import { createRequire } from "node:module";
import type grpc from "@grpc/grpc-js";
import languageGrpc from "@pulumi/pulumi/proto/language_grpc_pb.js";
import { z } from "zod";
import { startServer } from "../../sandbox/engine/rpc/server.ts";
import { type HostedAt, hostRequestSchema } from "./inline.ts";

interface Served {
  readonly address: string;
  /** `ORGSEAT_*` of the program. */
  environment: Readonly<Record<string, string>>;
}

const {
  LanguageServer,
}: { LanguageServer: new (program: () => unknown) => grpc.UntypedServiceImplementation } = createRequire(
  import.meta.url,
)("@pulumi/pulumi/automation/server.js");

const served = new Map<string, Served>();

process.on("message", async (message) => {
  const { folder, environment, module } = hostRequestSchema.parse(message);
  const one = served.get(folder) ?? (await serve(folder, module));
  one.environment = environment;
  const answer: HostedAt = { address: one.address };
  process.send?.(answer);
});
process.once("disconnect", () => process.exit());

const moduleSchema = z.object({ inlineProgram: z.custom<(folder: string) => unknown>(isFunction) });

function isFunction(value: unknown): boolean {
  return typeof value === "function";
}

async function serve(folder: string, module: string): Promise<Served> {
  const { inlineProgram } = moduleSchema.parse(await import(module));
  const server = await startServer();
  const one: Served = { address: server.address, environment: {} };
  const program = async () => within(one.environment, () => inlineProgram(folder));
  server.addService(languageGrpc.LanguageRuntimeService, new LanguageServer(program));
  served.set(folder, one);
  return one;
}

/** Each program finds its own environment while it makes its resources. */
function within<Result>(environment: Readonly<Record<string, string>>, make: () => Result): Result {
  const before = { ...process.env };
  Object.assign(process.env, environment);
  try {
    return make();
  } finally {
    for (const name of Object.keys(environment)) {
      const value = before[name];
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
}
