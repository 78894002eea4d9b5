/**
 * The process in which the inline programs of a test file live, as a person's live in the process that uses the
 * Automation API. Asked over IPC, it serves a project's program to the engine by that API's own server.
 */
import { createRequire } from "node:module";
import { promisify } from "node:util";
import grpc from "@grpc/grpc-js";
import languageGrpc from "@pulumi/pulumi/proto/language_grpc_pb.js";
import { inlineProgram } from "./declared-program.ts";
import { type HostedAt, hostRequestSchema } from "./inline.ts";

interface Served {
  readonly address: string;
  /** `ORGSEAT_*` of the program. */
  environment: Readonly<Record<string, string>>;
}

const LARGEST_MESSAGE_BYTES = 400 * 1024 * 1024;
const require = createRequire(import.meta.url);
const automation: { LanguageServer: new (program: () => unknown) => grpc.UntypedServiceImplementation } =
  require("@pulumi/pulumi/automation/server.js");

const served = new Map<string, Served>();

process.on("message", async (message) => {
  const { folder, environment } = hostRequestSchema.parse(message);
  const one = served.get(folder) ?? (await serve(folder));
  one.environment = environment;
  const answer: HostedAt = { address: one.address };
  process.send?.(answer);
});
process.once("disconnect", () => process.exit());

async function serve(folder: string): Promise<Served> {
  const server = new grpc.Server({ "grpc.max_receive_message_length": LARGEST_MESSAGE_BYTES });
  const port = await promisify(server.bindAsync.bind(server))(
    "127.0.0.1:0",
    grpc.ServerCredentials.createInsecure(),
  );
  const one: Served = { address: `127.0.0.1:${port}`, environment: {} };
  const program = async () => within(one.environment, () => inlineProgram(folder));
  server.addService(languageGrpc.LanguageRuntimeService, new automation.LanguageServer(program));
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
