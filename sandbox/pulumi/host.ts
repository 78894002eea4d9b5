/**
 * Pulumi's language host for Node, for a CLI that was built from source: it starts the program and the plugins with the
 * SDK's own runners. The build makes one file of it and its packages; the engine's address is its last argument.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import grpc from "@grpc/grpc-js";
import languageGrpc from "@pulumi/pulumi/proto/language_grpc_pb.js";
import language from "@pulumi/pulumi/proto/language_pb.js";
import plugin from "@pulumi/pulumi/proto/plugin_pb.js";

/** The exit code of the SDK's runner after it has reported a failure. */
const REPORTED = 32;
const LARGEST_MESSAGE_BYTES = 400 * 1024 * 1024;

const children = new Set<ChildProcess>();

const handlers = {
  handshake: unary(async () => new language.LanguageHandshakeResponse()),
  getPluginInfo: unary(async () => new plugin.PluginInfo()),
  getRequiredPackages: unary(async () => new language.GetRequiredPackagesResponse()),
  getProgramDependencies: unary(async () => new language.GetProgramDependenciesResponse()),
  run: unary(run),
  cancel: unary(async () => {
    end();
    return new language.RunResponse();
  }),
  runPlugin: (call: grpc.ServerWritableStream<language.RunPluginRequest, language.RunPluginResponse>) => {
    const [info, args] = [call.request.getInfo(), call.request.getArgsList()];
    const folder = info?.getProgramDirectory() ?? "";
    const own = call.request.getEnvList().map((line) => line.split(/=(.*)/s).slice(0, 2));
    const place = {
      folder: call.request.getPwd(),
      variables: Object.fromEntries(own),
      stdio: "pipe",
    } as const;
    const isPolicyPack = call.request.getKind() === "analyzer";
    // A policy pack reads its version from the folder in which it runs.
    const child = isPolicyPack
      ? start("run-policy-pack", folder, info, [...args, folder], { ...place, folder })
      : start("run-plugin", folder, info, [folder, ...args], place);
    pass(child, call, language.RunPluginResponse);
    call.on("cancelled", () => child.kill());
    child.once("close", (code) => {
      call.write(new language.RunPluginResponse().setExitcode(code ?? 1));
      call.end();
    });
  },
  installDependencies: (
    call: grpc.ServerWritableStream<
      language.InstallDependenciesRequest,
      language.InstallDependenciesResponse
    >,
  ) => {
    const child = spawn("npm", ["install"], { cwd: call.request.getDirectory() });
    pass(child, call, language.InstallDependenciesResponse);
    child.once("close", (code) =>
      code === 0 ? call.end() : call.destroy(new Error(`npm install exited with code ${code}`)),
    );
  },
};

/** Streams the output of a child. */
function pass<Response>(
  { stdout, stderr }: ChildProcess,
  call: { write(response: Response): unknown },
  Answer: new () => { setStdout(text: Buffer): Response; setStderr(text: Buffer): Response },
): void {
  stdout?.on("data", (data: Buffer) => call.write(new Answer().setStdout(data)));
  stderr?.on("data", (data: Buffer) => call.write(new Answer().setStderr(data)));
}

/** Runs the program; its output is that of this process, which the engine shows. */
async function run(request: language.RunRequest): Promise<language.RunResponse> {
  const info = request.getInfo();
  const [folder, entry] = [info?.getProgramDirectory() ?? request.getPwd(), info?.getEntryPoint() ?? "."];
  const config = Object.fromEntries(request.getConfigMap().toArray());
  const args = [
    ...["--monitor", request.getMonitorAddress(), "--engine", process.argv.at(-1) ?? ""],
    ...["--organization", request.getOrganization(), "--project", request.getProject()],
    ...["--stack", request.getStack(), "--root-directory", info?.getRootDirectory() ?? folder],
    ...["--pwd", request.getPwd(), "--parallel", String(request.getParallel())],
    ...(request.getDryrun() ? ["--dry-run"] : []),
    ...[entry, ...request.getArgsList()],
  ];
  const variables = {
    PULUMI_CONFIG: JSON.stringify(config),
    PULUMI_CONFIG_SECRET_KEYS: JSON.stringify(request.getConfigsecretkeysList()),
  };
  const child = start("run", folder, info, args, {
    folder: request.getPwd(),
    variables,
    stdio: "inherit",
  });
  const ended = await new Promise<number | NodeJS.Signals | null>((resolve) => {
    child.once("close", (code, signal) => resolve(signal ?? code));
  });
  const response = new language.RunResponse();
  if (ended === REPORTED) response.setBail(true);
  else if (ended !== 0) response.setError(`Program exited with non-zero exit code: ${ended}`);
  return response;
}

interface Place {
  readonly folder: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly stdio: "inherit" | "pipe";
}

/** Starts a runner of the SDK that is installed for the program. */
function start(
  runner: string,
  program: string,
  info: language.ProgramInfo | undefined,
  args: readonly string[],
  { folder, variables, stdio }: Place,
): ChildProcess {
  const script = createRequire(join(program, "index.js")).resolve(`@pulumi/pulumi/cmd/${runner}/index.js`);
  const options: Readonly<Record<string, unknown>> = info?.getOptions()?.toJavaScript() ?? {};
  const { nodeargs = "", typescript, tsconfig } = options;
  const own = String(nodeargs).match(/"[^"]*"|'[^']*'|\S+/g) ?? [];
  const env = {
    ...process.env,
    ...variables,
    ...(typescript !== false && { PULUMI_NODEJS_TYPESCRIPT: "true" }),
    ...(typeof tsconfig === "string" && { PULUMI_NODEJS_TSCONFIG_PATH: tsconfig }),
  };
  const whole = [...own.map((one) => one.replace(/^(["'])(.*)\1$/, "$2")), script, ...args];
  const child = spawn(process.execPath, whole, { cwd: folder, env, stdio: ["ignore", stdio, stdio] });
  children.add(child);
  child.once("close", () => children.delete(child));
  return child;
}

function unary<Request, Response>(work: (request: Request) => Promise<Response>) {
  return (call: grpc.ServerUnaryCall<Request, Response>, answer: grpc.sendUnaryData<Response>): void => {
    work(call.request).then(
      (response) => answer(null, response),
      (error: Error) => answer({ code: grpc.status.UNKNOWN, message: error.message }),
    );
  };
}

function end(): void {
  for (const child of children) child.kill("SIGKILL");
}

const server = new grpc.Server({
  "grpc.max_receive_message_length": LARGEST_MESSAGE_BYTES,
  "grpc.max_send_message_length": LARGEST_MESSAGE_BYTES,
});
server.addService(languageGrpc.LanguageRuntimeService, handlers);
server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, port) => {
  if (error) throw error;
  console.log(port);
});

// A killed engine leaves its hosts to another parent.
const engine = process.ppid;
setInterval(() => {
  if (process.ppid === engine) return;
  end();
  process.exit();
}, 1000);
