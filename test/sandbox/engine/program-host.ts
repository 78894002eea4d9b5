/** Serves the fixture's program to an engine, as the Automation API serves an inline program; forked by `hosted`. */
import { type ChildProcess, fork } from "node:child_process";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import type grpc from "@grpc/grpc-js";
import languageGrpc from "@pulumi/pulumi/proto/language_grpc_pb.js";
import { z } from "zod";
import { startServer } from "../../../sandbox/engine/rpc/server.ts";
import { compileCache, noClosures } from "../../setup/quick-node.ts";

const requestSchema = z.object({ folder: z.string(), provider: z.string() });
const answerSchema = z.object({ address: z.string() });

let host: ChildProcess | undefined;

/** Where the program of a folder is served, until the next call. @param provider the file with the provider */
export function hosted(folder: string, provider: string): Promise<string> {
  host ??= start();
  const asked = host;
  return new Promise((resolve, reject) => {
    const fail = () => reject(new Error("the process that serves the program has ended"));
    asked.once("exit", fail).once("message", (message) => {
      asked.off("exit", fail);
      resolve(answerSchema.parse(message).address);
    });
    asked.send({ folder, provider });
  });
}

function start(): ChildProcess {
  const started = fork(fileURLToPath(import.meta.url), ["serve"], {
    env: { ...process.env, NODE_COMPILE_CACHE: compileCache },
    execArgv: [noClosures, "--stack-trace-limit=0"],
  });
  started.unref();
  started.channel?.unref();
  return started;
}

type Program = (folder: string, text: (provider: string) => string) => Promise<unknown>;
type Server = new (program: () => unknown) => grpc.UntypedServiceImplementation;

async function serve(): Promise<void> {
  const require = createRequire(import.meta.url);
  const automation: { LanguageServer: Server } = require("@pulumi/pulumi/automation/server.js");
  const fixture: { program: Program } = require("./fixture/program.js");
  let current = { folder: "", provider: "" };
  const text = (name: string) => `exports.handler=()=>require("${current.provider}").${name}`;
  const run = () => fixture.program(current.folder, text);
  forgetLostEngines();
  const server = await startServer();
  server.addService(languageGrpc.LanguageRuntimeService, new automation.LanguageServer(run));
  process.on("message", (message) => {
    current = requestSchema.parse(message);
    process.send?.({ address: server.address });
  });
  process.once("disconnect", () => process.exit());
}

/** The program of an engine that was killed fails in the end, wherever it is: the one that runs then must not hear of it. */
function forgetLostEngines(): void {
  const lost = (error: unknown) => error instanceof Error && "code" in error && error.code === 14;
  process.emit = new Proxy(process.emit, {
    apply: (emit, self, [event, error, ...rest]) =>
      (/^(unhandledRejection|uncaughtException)$/.test(String(event)) && lost(error)) ||
      Reflect.apply(emit, self, [event, error, ...rest]),
  });
}

if (process.argv[2] === "serve" && process.send) await serve();
