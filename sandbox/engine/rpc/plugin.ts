/** The process that runs dynamic providers: Pulumi's own, started as the Pulumi CLI starts it. */
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import grpc from "@grpc/grpc-js";
import providerGrpc from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import type {
  CheckResponse,
  ConfigureResponse,
  CreateResponse,
  DiffResponse,
  ReadResponse,
  UpdateResponse,
} from "@pulumi/pulumi/proto/provider_pb.js";
import providerPb from "@pulumi/pulumi/proto/provider_pb.js";
import statusPb from "@pulumi/pulumi/proto/status_pb.js";
import type { Struct } from "google-protobuf/google/protobuf/struct_pb.js";
import { adopt } from "../children.ts";
import { resolveRunner } from "../program.ts";
import { parseUrn } from "../urn.ts";
import { annotateSecrets, decodeMap, type PropertyMap, toProvider, toWire } from "../values.ts";
import { channelOptions } from "./channel.ts";
import { type Empty, empty, struct } from "./messages.ts";
import { type CheckFailure, type Diff, type Provider, ProviderError } from "./provider.ts";

type Client = InstanceType<typeof providerGrpc.ResourceProviderClient>;
type Done<Response> = (error: grpc.ServiceError | null, response: Response) => void;

export interface PluginOptions {
  /** The program's folder: modules resolve from here. */
  folder: string;
  engineAddress: string;
  env: NodeJS.ProcessEnv;
  /** Hears every line the process prints. */
  onOutput: (line: string, stream: "stdout" | "stderr") => void;
}

function fromStruct(value: Struct | undefined): PropertyMap {
  return decodeMap(value?.toJavaScript());
}

export class DynamicPlugin implements Provider {
  readonly #process: ChildProcess;
  readonly #client: Client;

  private constructor(process: ChildProcess, client: Client) {
    this.#process = process;
    this.#client = client;
  }

  /** Starts the process and waits for its port. */
  static async start(options: PluginOptions): Promise<DynamicPlugin> {
    const script = resolveRunner(options.folder, "dynamic-provider");
    const child = spawn("node", [script, options.engineAddress], {
      cwd: options.folder,
      env: options.env,
      stdio: ["ignore", "pipe", "pipe"],
      // Ctrl-C reaches the engine first, which lets calls under way end.
      detached: true,
    });
    adopt(child);
    const port = await readPort(child, options.onOutput);
    const client = new providerGrpc.ResourceProviderClient(
      `127.0.0.1:${port}`,
      grpc.credentials.createInsecure(),
      channelOptions,
    );
    return new DynamicPlugin(child, client);
  }

  async configure(inputs: PropertyMap): Promise<void> {
    const request = new providerPb.ConfigureRequest();
    request.setArgs(struct(toWire(inputs)));
    request.setAcceptsecrets(true);
    request.setAcceptresources(true);
    request.setSendsOldInputs(true);
    request.setSendsOldInputsToDelete(true);
    await call<ConfigureResponse>((done) => this.#client.configure(request, done));
  }

  async check(urn: string, olds: PropertyMap, news: PropertyMap) {
    const request = new providerPb.CheckRequest();
    describe(request, urn);
    request.setOlds(struct(toProvider(olds)));
    request.setNews(struct(toProvider(news)));
    const response = await call<CheckResponse>((done) => this.#client.check(request, done));
    const inputs = fromStruct(response.getInputs());
    annotateSecrets(inputs, news);
    const failures: CheckFailure[] = response
      .getFailuresList()
      .map((failure) => ({ property: failure.getProperty(), reason: failure.getReason() }));
    return { inputs, failures };
  }

  async diff(asked: Parameters<Provider["diff"]>[0]): Promise<Diff> {
    const request = new providerPb.DiffRequest();
    describe(request, asked.urn);
    request.setId(asked.id);
    request.setOlds(struct(toProvider(asked.oldOutputs)));
    request.setNews(struct(toProvider(asked.newInputs)));
    request.setOldInputs(struct(toProvider(asked.oldInputs)));
    request.setIgnorechangesList(asked.ignoreChanges);
    const response = await call<DiffResponse>((done) => this.#client.diff(request, done));
    const { DIFF_NONE, DIFF_SOME } = providerPb.DiffResponse.DiffChanges;
    const changes = response.getChanges();
    return {
      changes: changes === DIFF_SOME ? true : changes === DIFF_NONE ? false : undefined,
      replaceKeys: response.getReplacesList(),
      changedKeys: response.getDiffsList(),
      deleteBeforeReplace: response.getDeletebeforereplace(),
    };
  }

  async create(urn: string, inputs: PropertyMap) {
    const request = new providerPb.CreateRequest();
    describe(request, urn);
    request.setProperties(struct(toProvider(inputs)));
    const response = await call<CreateResponse>((done) => this.#client.create(request, done), inputs);
    if (response.getId() === "")
      throw new ProviderError(`plugin returned empty resource.ID from create '${urn}'`);
    return { id: response.getId(), outputs: marked(response.getProperties(), inputs) };
  }

  async update(asked: Parameters<Provider["update"]>[0]): Promise<PropertyMap> {
    const request = new providerPb.UpdateRequest();
    describe(request, asked.urn);
    request.setId(asked.id);
    request.setOlds(struct(toProvider(asked.oldOutputs)));
    request.setNews(struct(toProvider(asked.newInputs)));
    request.setOldInputs(struct(toProvider(asked.oldInputs)));
    request.setIgnorechangesList(asked.ignoreChanges);
    const response = await call<UpdateResponse>(
      (done) => this.#client.update(request, done),
      asked.newInputs,
    );
    return marked(response.getProperties(), asked.newInputs);
  }

  async read(asked: Parameters<Provider["read"]>[0]) {
    const request = new providerPb.ReadRequest();
    describe(request, asked.urn);
    request.setId(asked.id);
    request.setProperties(struct(toProvider(asked.state)));
    request.setInputs(struct(toProvider(asked.inputs)));
    const response = await call<ReadResponse>(
      (done) => this.#client.read(request, done),
      asked.state,
      asked.inputs,
    );
    const inputs = response.getInputs();
    return {
      id: response.getId(),
      outputs: marked(response.getProperties(), asked.state),
      inputs: inputs === undefined ? undefined : marked(inputs, asked.inputs),
    };
  }

  async delete(urn: string, id: string, inputs: PropertyMap, outputs: PropertyMap): Promise<void> {
    const request = new providerPb.DeleteRequest();
    describe(request, urn);
    request.setId(id);
    request.setProperties(struct(toProvider(outputs)));
    request.setOldInputs(struct(toProvider(inputs)));
    await call<Empty>((done) => this.#client.delete(request, done));
  }

  /** Asks the process to give up what it is doing. Pulumi's acknowledges and goes on. */
  cancel(): void {
    this.#client.cancel(empty(), () => {});
  }

  stop(): void {
    this.#client.close();
    this.#process.kill("SIGKILL");
  }
}

function marked(value: Struct | undefined, ins: PropertyMap): PropertyMap {
  const outputs = fromStruct(value);
  annotateSecrets(outputs, ins);
  return outputs;
}

function describe(
  request: { setUrn(v: string): unknown; setName(v: string): unknown; setType(v: string): unknown },
  urn: string,
) {
  const { name, type } = parseUrn(urn);
  request.setUrn(urn);
  request.setName(name);
  request.setType(type);
}

/** Calls, and turns failures into ProviderErrors; `ins` say which values of a partial result are secret. */
function call<Response>(
  start: (done: Done<Response>) => grpc.ClientUnaryCall,
  ins: PropertyMap = {},
  inputs: PropertyMap = ins,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    start((error, response) => {
      if (error) reject(toProviderError(error, ins, inputs));
      else resolve(response);
    });
  });
}

function toProviderError(error: grpc.ServiceError, ins: PropertyMap, inputs: PropertyMap): ProviderError {
  for (const details of error.metadata.get("grpc-status-details-bin")) {
    if (typeof details === "string") continue;
    for (const detail of statusPb.Status.deserializeBinary(details).getDetailsList()) {
      if (!detail.getTypeUrl().endsWith("pulumirpc.ErrorResourceInitFailed")) continue;
      const failed = providerPb.ErrorResourceInitFailed.deserializeBinary(detail.getValue_asU8());
      const reasons = failed.getReasonsList();
      const given = failed.getInputs();
      return new ProviderError(initMessage(reasons), {
        id: failed.getId(),
        properties: marked(failed.getProperties(), ins),
        inputs: given === undefined ? undefined : marked(given, inputs),
        reasons,
      });
    }
  }
  return new ProviderError(error.details || error.message);
}

/** The sentence Pulumi makes of a partial failure's reasons. */
function initMessage(reasons: string[]): string {
  if (reasons.length === 0) return "resource init failed";
  const count = reasons.length === 1 ? "1 error" : `${reasons.length} errors`;
  return `${count} occurred:\n\t* ${reasons.join("\n\t* ")}\n`;
}

/** The first line a provider prints is its port; everything else is for people. */
function readPort(child: ChildProcess, onOutput: PluginOptions["onOutput"]): Promise<number> {
  return new Promise((resolve, reject) => {
    const errors: string[] = [];
    let port: number | undefined;
    if (!child.stdout || !child.stderr) throw new Error("the provider process has no output");
    createInterface({ input: child.stdout }).on("line", (line) => {
      if (port !== undefined) return onOutput(line, "stdout");
      port = Number(line);
      if (Number.isInteger(port) && port > 0) resolve(port);
      else reject(new Error(`the provider process printed "${line}" where its port was expected`));
    });
    createInterface({ input: child.stderr }).on("line", (line) => {
      if (port === undefined) errors.push(line);
      onOutput(line, "stderr");
    });
    child.once("error", (error) =>
      reject(new Error(`could not start the provider process: ${error.message}`)),
    );
    child.once("exit", (code) =>
      reject(new Error(`the provider process ended with code ${code}\n${errors.join("\n")}`)),
    );
  });
}
