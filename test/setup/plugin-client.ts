/** The packaged plugin's service over gRPC in this process, and a client that calls it as Pulumi's engine does. */
import { credentials, type Metadata, Server, ServerCredentials, type ServiceError } from "@grpc/grpc-js";
import providerGrpc from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import providerPb from "@pulumi/pulumi/proto/provider_pb.js";
import statusPb from "@pulumi/pulumi/proto/status_pb.js";
import structPb, { type Struct } from "google-protobuf/google/protobuf/struct_pb.js";
import { onTestFinished } from "vitest";
import { pluginHandlers } from "../../provider/plugin/server.ts";
import type { ProviderProcess } from "../../provider/runtime/process.ts";

export type Props = Record<string, unknown>;

export const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
const SIGNATURE = "4dabf18193072939515e22adb298388d";

/** By their numbers. */
const kindNames = Object.fromEntries(
  Object.entries(providerPb.PropertyDiff.Kind).map(([name, number]) => [Number(number), name]),
);

/** A value with the mark of a secret. */
export function secret(value: unknown): Props {
  return { [SIGNATURE]: "1b47061264138c4ac30d75fd1eb44270", value };
}

/** A call that failed, and the partial creation of its details. */
export class CallFailed extends Error {
  readonly code: number;
  readonly partial: { readonly id: string; readonly outs: Props; readonly reasons: string[] } | undefined;

  constructor(error: ServiceError) {
    super(error.details);
    this.code = error.code;
    this.partial = partialOf(error.metadata);
  }
}

/** Until the test ends. @param version what the plugin says of itself */
export async function pluginClient(process: ProviderProcess, version = "0.1.0") {
  const { close, ...plugin } = await connectPlugin(process, version);
  onTestFinished(close);
  return plugin;
}

/** The same until it is closed. */
export async function connectPlugin(process: ProviderProcess, version = "0.1.0") {
  const server = new Server();
  const handlers = pluginHandlers(process, { version, schema: () => `{"version":"${version}"}` });
  server.addService(providerGrpc.ResourceProviderService, handlers);
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  const client = new providerGrpc.ResourceProviderClient(`127.0.0.1:${port}`, credentials.createInsecure());
  const close = (): void => {
    client.close();
    server.forceShutdown();
  };
  return { client, close, ...callsOf(client) };
}

type Client = InstanceType<typeof providerGrpc.ResourceProviderClient>;

export function callsOf(client: Client) {
  return {
    async check(type: string, olds: Props, news: Props, name = "it") {
      const request = described(new providerPb.CheckRequest(), type, name);
      request.setOlds(struct(olds));
      request.setNews(struct(news));
      const response = await sent<providerPb.CheckResponse>((done) => client.check(request, done));
      return {
        inputs: plain(response.getInputs()),
        failures: response.getFailuresList().map((one) => ({ ...one.toObject() })),
      };
    },
    async diff(type: string, id: string, olds: Props, oldInputs: Props, news: Props) {
      const request = described(new providerPb.DiffRequest(), type);
      request.setId(id);
      request.setOlds(struct(olds));
      request.setOldInputs(struct(oldInputs));
      request.setNews(struct(news));
      const response = await sent<providerPb.DiffResponse>((done) => client.diff(request, done));
      const detailed: Record<string, string | undefined> = {};
      response.getDetaileddiffMap().forEach((property: providerPb.PropertyDiff, key: string) => {
        detailed[key] = kindNames[property.getKind()];
      });
      return {
        changes: response.getChanges() === providerPb.DiffResponse.DiffChanges.DIFF_SOME,
        replaces: response.getReplacesList(),
        deleteBeforeReplace: response.getDeletebeforereplace(),
        detailed,
      };
    },
    async create(type: string, inputs: Props, preview = false, timeout = 0) {
      const request = described(new providerPb.CreateRequest(), type);
      request.setTimeout(timeout);
      request.setProperties(struct(inputs));
      request.setPreview(preview);
      const response = await sent<providerPb.CreateResponse>((done) => client.create(request, done));
      return { id: response.getId(), outs: plain(response.getProperties()) };
    },
    async update(type: string, id: string, olds: Props, news: Props, preview = false, timeout = 0) {
      const request = described(new providerPb.UpdateRequest(), type);
      request.setTimeout(timeout);
      request.setId(id);
      request.setOlds(struct(olds));
      request.setNews(struct(news));
      request.setPreview(preview);
      const response = await sent<providerPb.UpdateResponse>((done) => client.update(request, done));
      return { outs: plain(response.getProperties()) };
    },
    async read(type: string, id: string, state: Props, inputs: Props) {
      const request = described(new providerPb.ReadRequest(), type);
      request.setId(id);
      request.setProperties(struct(state));
      request.setInputs(struct(inputs));
      const response = await sent<providerPb.ReadResponse>((done) => client.read(request, done));
      return {
        id: response.getId(),
        props: plain(response.getProperties()),
        inputs: plain(response.getInputs()),
      };
    },
    async delete(type: string, id: string, state: Props, timeout = 0) {
      const request = described(new providerPb.DeleteRequest(), type);
      request.setTimeout(timeout);
      request.setId(id);
      request.setProperties(struct(state));
      await sent((done) => client.delete(request, done));
    },
    async list(type: string, query: Props, { limit = 0, pageSize = 0, continuation = "" } = {}) {
      const request = new providerPb.ListRequest();
      request.setToken(`orgseat:index:${type}`);
      request.setQuery(struct(query));
      request.setLimit(limit);
      request.setPageSize(pageSize);
      request.setContinuationToken(continuation);
      const page = { results: [] as { id: string; name: string }[], continuation: "", isComputed: false };
      const stream = client.list(request);
      stream.on("data", (response: providerPb.ListResponse) => {
        const { result } = response.toObject();
        if (result !== undefined) page.results.push(result);
        page.continuation = response.getContinuation()?.getContinuationToken() ?? page.continuation;
        page.isComputed ||= response.hasComputed();
      });
      return new Promise<typeof page>((resolve, reject) => {
        stream
          .on("end", () => resolve(page))
          .on("error", (error: ServiceError) => reject(new CallFailed(error)));
      });
    },
    /** @returns the result, with its marks */
    async invoke(name: string, args: Props) {
      const request = new providerPb.InvokeRequest();
      request.setTok(`orgseat:index:${name}`);
      request.setArgs(struct(args));
      return plain(
        (await sent<providerPb.InvokeResponse>((done) => client.invoke(request, done))).getReturn(),
      );
    },
    async configure(args: Props, name = "default") {
      const request = new providerPb.ConfigureRequest();
      request.setName(name);
      request.setArgs(struct(args));
      return (await sent<providerPb.ConfigureResponse>((done) => client.configure(request, done))).toObject();
    },
  };
}

/** Sends a call. @throws CallFailed */
export function sent<Response>(
  start: (done: (error: ServiceError | null, response: Response) => void) => void,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    start((error, response) => (error === null ? resolve(response) : reject(new CallFailed(error))));
  });
}

export function struct(props: Props): Struct {
  return structPb.Struct.fromJavaScript(JSON.parse(JSON.stringify(props)));
}

export function plain(value: Struct | undefined): Props {
  return value?.toJavaScript() ?? {};
}

interface Described {
  setUrn(urn: string): unknown;
  setName(name: string): unknown;
  setType(type: string): unknown;
}

function described<Request extends Described>(request: Request, type: string, name = "it"): Request {
  const token = `orgseat:index:${type}`;
  request.setUrn(`urn:pulumi:dev::test::${token}::${name}`);
  request.setName(name);
  request.setType(token);
  return request;
}

function partialOf(metadata: Metadata): CallFailed["partial"] {
  const [details] = metadata.get("grpc-status-details-bin");
  if (details === undefined || typeof details === "string") return undefined;
  const [any] = statusPb.Status.deserializeBinary(details).getDetailsList();
  if (any === undefined) return undefined;
  const failed = providerPb.ErrorResourceInitFailed.deserializeBinary(any.getValue_asU8());
  return { id: failed.getId(), outs: plain(failed.getProperties()), reasons: failed.getReasonsList() };
}
