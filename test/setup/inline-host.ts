/**
 * The process in which the inline programs of a test file live, as a person's live in the process that uses the
 * Automation API. Asked over IPC, it serves a project's program to the engine by that API's own server.
 */
import { createRequire } from "node:module";
import type grpc from "@grpc/grpc-js";
import languageGrpc from "@pulumi/pulumi/proto/language_grpc_pb.js";
import { startServer } from "../../sandbox/engine/rpc/engine-service.ts";
import { type HostedAt, hostRequestSchema } from "./inline.ts";

interface Served {
  readonly address: string;
  /** `ORGSEAT_*` of the program. */
  environment: Readonly<Record<string, string>>;
}

type Program = (folder: string) => unknown;

const require = createRequire(import.meta.url);
const automation: { LanguageServer: new (program: () => unknown) => grpc.UntypedServiceImplementation } =
  require("@pulumi/pulumi/automation/server.js");

const served = new Map<string, Served>();

process.on("message", async (message) => {
  const { folder, environment, program } = hostRequestSchema.parse(message);
  const one = served.get(folder) ?? (await serve(folder, programs[program]));
  one.environment = environment;
  const answer: HostedAt = { address: one.address };
  process.send?.(answer);
});
process.once("disconnect", () => process.exit());

/** What makes the resources of a folder, loaded when the first program of its kind is asked for. */
const programs = {
  declared: async (): Promise<Program> => (await import("./declared-program.ts")).inlineProgram,
  scenario: async (): Promise<Program> => {
    const fixture: { inlineProgram: Program } = require("../sandbox/engine/fixture/program.js");
    return fixture.inlineProgram;
  },
};

async function serve(folder: string, load: () => Promise<Program>): Promise<Served> {
  const make = await load();
  const server = await startServer();
  const one: Served = { address: server.address, environment: {} };
  const program = async () => within(one.environment, () => make(folder));
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
