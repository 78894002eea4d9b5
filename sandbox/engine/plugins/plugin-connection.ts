/** The gRPC connection to a plugin, and the errors of a plugin that ends during a call. */
import grpc from "@grpc/grpc-js";
import providerGrpc from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import type { Struct } from "google-protobuf/google/protobuf/struct_pb.js";
import { channelOptions, empty } from "../rpc/messages.ts";
import { propertiesOf, providerErrorOf } from "../rpc/responses.ts";
import type { PropertyMap } from "../values.ts";
import { within } from "../within.ts";
import type { RunningPlugin } from "./plugin-process.ts";
import { ProviderError } from "./provider.ts";

type Client = InstanceType<typeof providerGrpc.ResourceProviderClient>;
type Done<Response> = (error: grpc.ServiceError | null, response: Response) => void;
type Start<Response> = (client: Client, done: Done<Response>) => grpc.ClientUnaryCall;
type Read = (value: Struct | undefined) => PropertyMap;

/** Readers for the properties of a partial failure. */
interface Readers {
  outputs?: Read;
  inputs?: Read;
}

/** Time limits: to accept a connection, to cancel, and to end after a lost connection. */
const connectMs = 10_000;
const cancelMs = 5_000;
const endMs = 1_000;

const unimplemented = 12;
const unavailable = 14;

export class PluginConnection {
  readonly #process: RunningPlugin;
  readonly #client: Client;
  #endReported = false;

  private constructor(process: RunningPlugin, client: Client) {
    this.#process = process;
    this.#client = client;
  }

  /** Waits until the plugin accepts a connection on the port that it prints. */
  static async open(process: RunningPlugin): Promise<PluginConnection> {
    const address = `127.0.0.1:${await process.port}`;
    const client = new providerGrpc.ResourceProviderClient(
      address,
      grpc.credentials.createInsecure(),
      channelOptions,
    );
    return new Promise((resolve, reject) => {
      client.waitForReady(Date.now() + connectMs, (error) => {
        if (!error) return resolve(new PluginConnection(process, client));
        process.kill();
        client.close();
        reject(
          new Error(`the plugin ${process.path} did not begin responding on ${address}, the port it printed`),
        );
      });
    });
  }

  get path(): string {
    return this.#process.path;
  }

  /** Calls the plugin. @param what the call in messages, such as "the creation of p" */
  async call<Response>(what: string, start: Start<Response>, readers: Readers = {}): Promise<Response> {
    const { error, response } = await this.#send(start);
    if (!error) return response;
    if (error.code === unavailable) await this.#throwIfEnded(what);
    const read = readers.outputs ?? ((value) => propertiesOf(value, { unknowns: false }));
    throw providerErrorOf(error, read, readers.inputs ?? read);
  }

  /** Calls the plugin. @returns undefined if an older plugin does not have the call */
  async tryCall<Response>(
    what: string,
    start: Start<Response>,
    isMissing: (error: grpc.ServiceError) => boolean = () => false,
  ): Promise<Response | undefined> {
    let missing = false;
    const noticing: Start<Response> = (client, done) =>
      start(client, (error, response) => {
        missing = error !== null && (error.code === unimplemented || isMissing(error));
        done(error, response);
      });
    try {
      return await this.call(what, noticing);
    } catch (error) {
      if (missing) return undefined;
      throw error;
    }
  }

  #send<Response>(start: Start<Response>) {
    type Answer = { error: grpc.ServiceError } | { error: undefined; response: Response };
    return new Promise<Answer & { response?: Response }>((resolve) => {
      start(this.#client, (error, response) => resolve(error ? { error } : { error: undefined, response }));
    });
  }

  /** After a lost connection: throws how the process ended, if it has. */
  async #throwIfEnded(what: string): Promise<void> {
    const how = await within(endMs, this.#process.exited);
    if (how === undefined) return;
    this.#endReported = true;
    throw new ProviderError(
      `the plugin ${this.path} exited prematurely (${how}) during ${what}. This is a bug of the plugin: report it ` +
        `to its authors. ${this.#process.lastOutput}`,
    );
  }

  /** Asks the plugin to cancel its work. Resolves on its response. */
  cancel(): Promise<void> {
    return new Promise((resolve) => {
      const deadline = Date.now() + cancelMs;
      this.#client.cancel(empty(), new grpc.Metadata(), { deadline }, () => resolve());
    });
  }

  /** Ends the plugin. @returns a message if it had ended before, and no call has reported that */
  async close(): Promise<string | undefined> {
    const how = this.#process.prematureEnd;
    if (how === undefined) await this.cancel();
    this.#client.close();
    await this.#process.stop();
    if (how === undefined || this.#endReported) return undefined;
    return `the plugin ${this.path} exited prematurely (${how}). ${this.#process.lastOutput}`;
  }
}
