/** A provider plugin: handshake, check of its configuration, configuration. Dynamic providers are plugins too. */
import { dirname } from "node:path";
import type { PluginInfo } from "@pulumi/pulumi/proto/plugin_pb.js";
import providerPb from "@pulumi/pulumi/proto/provider_pb.js";
import { empty, struct } from "../rpc/messages.ts";
import { diffOf, failuresOf, markedProperties } from "../rpc/responses.ts";
import { dynamicPackage, packageOf, parseUrn } from "../urn.ts";
import { containsUnknowns, type PropertyMap, toProvider, toWire, unwrapSecrets } from "../values.ts";
import { ConfiguredPlugin, type Protocol } from "./configured-plugin.ts";
import { PluginConnection } from "./plugin-connection.ts";
import type { ProcessOptions, RunningPlugin } from "./plugin-process.ts";
import { describe, fillDiff, resourceNameOf } from "./plugin-requests.ts";
import type { Checked, CheckRequest, DiffRequest, Provider, ProviderDiff } from "./provider.ts";

/** Requests about a provider's own configuration have no marks. */
const plain = { secrets: false, resources: false };
const internalError = 13;

export class Plugin {
  /** Empty if the plugin does not report it. */
  readonly version: string;
  readonly #connection: PluginConnection;
  /** The result of the handshake; undefined for a plugin without one. */
  readonly #agreed: Protocol | undefined;

  private constructor(connection: PluginConnection, version: string, agreed: Protocol | undefined) {
    this.#connection = connection;
    this.version = version;
    this.#agreed = agreed;
  }

  /** Connects to a started process and makes the handshake. */
  static async connect(process: RunningPlugin, { engineAddress }: ProcessOptions): Promise<Plugin> {
    const connection = await PluginConnection.open(process);
    const request = new providerPb.ProviderHandshakeRequest();
    request.setEngineAddress(engineAddress);
    request.setRootDirectory(dirname(process.path));
    request.setProgramDirectory(dirname(process.path));
    request.setConfigureWithUrn(true);
    request.setInvokeWithPreview(true);
    const answer = await connection.tryCall<providerPb.ProviderHandshakeResponse>(
      "the handshake",
      (client, done) => client.handshake(request, done),
    );
    const info = await connection.call<PluginInfo>("the question for its version", (client, done) =>
      client.getPluginInfo(empty(), done),
    );
    const agreed = answer && {
      secrets: answer.getAcceptSecrets(),
      resources: answer.getAcceptResources(),
      previews: true,
    };
    return new Plugin(connection, info.getVersion(), agreed);
  }

  async checkConfig({ urn, olds, news }: CheckRequest): Promise<Checked> {
    const request = new providerPb.CheckRequest();
    describe(request, urn);
    request.setOlds(struct(toProvider(olds, plain)));
    request.setNews(struct(toProvider(news, plain)));
    const response = await this.#connection.tryCall<providerPb.CheckResponse>(
      `the check of ${resourceNameOf(urn)}`,
      (client, done) => client.checkConfig(request, done),
      ({ code }) => answersEmpty(urn, code),
    );
    if (!response) return { inputs: news, failures: [] };
    const inputs = markedProperties(response.getInputs(), news, { unknowns: true, keepsSecrets: false });
    return { inputs, failures: failuresOf(response.getFailuresList()) };
  }

  async diffConfig(asked: DiffRequest): Promise<ProviderDiff> {
    const request = new providerPb.DiffRequest();
    fillDiff(request, asked, plain);
    const response = await this.#connection.tryCall<providerPb.DiffResponse>(
      `the comparison of ${resourceNameOf(asked.urn)}`,
      (client, done) => client.diffConfig(request, done),
      ({ code }) => answersEmpty(asked.urn, code),
    );
    return diffOf(asked.urn, response ?? new providerPb.DiffResponse());
  }

  /** Starts to configure. The first call of the provider reports a failure. */
  configure(urn: string, id: string, inputs: PropertyMap): Provider {
    const protocol = this.#configure(urn, id, inputs);
    protocol.catch(() => {});
    return new ConfiguredPlugin(this.#connection, protocol);
  }

  async #configure(urn: string, id: string, inputs: PropertyMap): Promise<Protocol | undefined> {
    const variables = Object.entries(inputs).filter(([key]) => key !== "version");
    if (variables.some(([, value]) => containsUnknowns(value))) return undefined;
    const request = new providerPb.ConfigureRequest();
    describe(request, urn);
    request.setId(id);
    request.setArgs(struct(toWire(inputs)));
    for (const [key, value] of variables) {
      const bare = unwrapSecrets(value);
      const text = typeof bare === "string" ? bare : JSON.stringify(bare);
      request.getVariablesMap().set(`${packageOf(parseUrn(urn).type)}:config:${key}`, text);
    }
    request.setAcceptsecrets(true);
    request.setAcceptresources(true);
    request.setSendsOldInputs(true);
    request.setSendsOldInputsToDelete(true);
    const response = await this.#connection.call<providerPb.ConfigureResponse>(
      `the configuration of the provider ${resourceNameOf(urn)}`,
      (client, done) => client.configure(request, done),
    );
    return (
      this.#agreed ?? {
        secrets: response.getAcceptsecrets(),
        resources: response.getAcceptresources(),
        previews: response.getSupportspreview(),
      }
    );
  }

  /** Asks the plugin to cancel its work. */
  cancel(): Promise<void> {
    return this.#connection.cancel();
  }

  /** Ends the plugin. @returns a message if it had ended before, and no call has reported that */
  close(): Promise<string | undefined> {
    return this.#connection.close();
  }
}

/** Dynamic providers of older SDKs answer calls that they do not have with an internal error. */
function answersEmpty(urn: string, code: number): boolean {
  return packageOf(parseUrn(urn).type) === dynamicPackage && code === internalError;
}
