/** A configured plugin, which has the resources and functions of its package. */
import providerPb from "@pulumi/pulumi/proto/provider_pb.js";
import type { Struct } from "google-protobuf/google/protobuf/struct_pb.js";
import { constructedOf } from "../rpc/construct.ts";
import { type Empty, struct } from "../rpc/messages.ts";
import { diffOf, failuresOf, markedProperties } from "../rpc/responses.ts";
import { containsSecrets, type PropertyMap, Secret, toProvider, withoutUnknowns } from "../values.ts";
import type { PluginConnection } from "./plugin-connection.ts";
import { type Accepts, describe, fillDiff, resourceNameOf } from "./plugin-requests.ts";
import {
  type Checked,
  type CheckRequest,
  type ComponentRequest,
  type Constructed,
  type CreateRequest,
  type DeleteRequest,
  type DiffRequest,
  DiffUnavailable,
  type InvokeRequest,
  type Provider,
  type ProviderDiff,
  ProviderError,
  type ReadRequest,
  type ReadResult,
  type UpdateRequest,
} from "./provider.ts";

/** The result of the handshake or of the configuration. */
export interface Protocol extends Accepts {
  /** Whether Create and Update support previews. */
  previews: boolean;
}

export class ConfiguredPlugin implements Provider {
  readonly #connection: PluginConnection;
  /** Undefined: parts of its configuration are unknown before the update, so the engine does not call it. */
  readonly #protocol: Promise<Protocol | undefined>;

  constructor(connection: PluginConnection, protocol: Promise<Protocol | undefined>) {
    this.#connection = connection;
    this.#protocol = protocol;
  }

  async check({ urn, olds, news, preview }: CheckRequest): Promise<Checked> {
    const protocol = await this.#protocol;
    if (!protocol) return { inputs: news, failures: [] };
    const request = new providerPb.CheckRequest();
    describe(request, urn);
    request.setOlds(struct(toProvider(olds, protocol)));
    request.setNews(struct(toProvider(preview ? news : withoutUnknowns(news), protocol)));
    request.setRandomseed(crypto.getRandomValues(new Uint8Array(32)));
    const response = await this.#connection.call<providerPb.CheckResponse>(
      `the check of ${resourceNameOf(urn)}`,
      (client, done) => client.check(request, done),
    );
    const inputs = reader(protocol, news, preview)(response.getInputs());
    return { inputs, failures: failuresOf(response.getFailuresList()) };
  }

  async diff(asked: DiffRequest): Promise<ProviderDiff> {
    const protocol = await this.#protocol;
    if (!protocol) {
      throw new DiffUnavailable(
        "The provider for this resource has inputs that are not known during preview.\n" +
          "This preview may not correctly represent the changes that will be applied during an update.",
      );
    }
    const request = new providerPb.DiffRequest();
    fillDiff(request, asked, protocol);
    const response = await this.#connection.call<providerPb.DiffResponse>(
      `the comparison of ${resourceNameOf(asked.urn)}`,
      (client, done) => client.diff(request, done),
    );
    return diffOf(asked.urn, response);
  }

  async create({ urn, inputs, preview, timeout }: CreateRequest) {
    const protocol = await this.#protocol;
    if (!protocol || (preview && !protocol.previews))
      return { id: "", outputs: outputsWithoutCall(protocol, inputs) };
    const request = new providerPb.CreateRequest();
    describe(request, urn);
    request.setProperties(struct(toProvider(inputs, protocol)));
    request.setPreview(preview);
    request.setTimeout(timeout);
    const read = reader(protocol, inputs, preview);
    const response = await this.#connection
      .call<providerPb.CreateResponse>(
        `the creation of ${resourceNameOf(urn)}`,
        (client, done) => client.create(request, done),
        { outputs: read },
      )
      .catch((error) => {
        throw error instanceof ProviderError && error.partial?.id === "" ? withoutId(urn) : error;
      });
    const id = response.getId();
    if (id === "" && !preview) throw withoutId(urn);
    return { id, outputs: read(response.getProperties()) };
  }

  async update(asked: UpdateRequest): Promise<PropertyMap> {
    const protocol = await this.#protocol;
    if (!protocol || (asked.preview && !protocol.previews))
      return outputsWithoutCall(protocol, asked.newInputs);
    const request = new providerPb.UpdateRequest();
    fillDiff(request, asked, protocol);
    request.setPreview(asked.preview);
    request.setTimeout(asked.timeout);
    const read = reader(protocol, asked.newInputs, asked.preview);
    const response = await this.#connection.call<providerPb.UpdateResponse>(
      `the update of ${resourceNameOf(asked.urn)}`,
      (client, done) => client.update(request, done),
      { outputs: read },
    );
    return read(response.getProperties());
  }

  async read(asked: ReadRequest): Promise<ReadResult> {
    const protocol = await this.#protocol;
    if (!protocol) return { id: "", outputs: {}, inputs: {} };
    const request = new providerPb.ReadRequest();
    describe(request, asked.urn);
    request.setId(asked.id);
    request.setProperties(struct(toProvider(asked.state, protocol)));
    request.setInputs(struct(toProvider(asked.inputs, protocol)));
    request.setTimeout(asked.timeout);
    const readOutputs = reader(protocol, asked.state, false);
    const readInputs = reader(protocol, asked.inputs, false);
    const response = await this.#connection.call<providerPb.ReadResponse>(
      `the reading of ${resourceNameOf(asked.urn)}`,
      (client, done) => client.read(request, done),
      { outputs: readOutputs, inputs: readInputs },
    );
    const [outputs, inputs] = [response.getProperties(), response.getInputs()];
    return {
      id: response.getId(),
      outputs: outputs && readOutputs(outputs),
      inputs: inputs && readInputs(inputs),
    };
  }

  async delete({ urn, id, inputs, outputs, timeout }: DeleteRequest): Promise<void> {
    const protocol = await this.#protocol;
    if (!protocol) throw new Error(`the provider of ${urn} has a configuration that is not known yet`);
    const request = new providerPb.DeleteRequest();
    describe(request, urn);
    request.setId(id);
    request.setProperties(struct(toProvider(outputs, protocol)));
    request.setOldInputs(struct(toProvider(inputs, protocol)));
    request.setTimeout(timeout);
    await this.#connection.call<Empty>(`the deletion of ${resourceNameOf(urn)}`, (client, done) =>
      client.delete(request, done),
    );
  }

  async invoke({ token, args, preview }: InvokeRequest) {
    const protocol = await this.#protocol;
    if (!protocol) return { result: {}, failures: [] };
    const request = new providerPb.InvokeRequest();
    request.setTok(token);
    request.setArgs(struct(toProvider(args, protocol)));
    request.setPreview(preview);
    const response = await this.#connection.call<providerPb.InvokeResponse>(
      `the function ${token}`,
      (client, done) => client.invoke(request, done),
    );
    const result = markedProperties(response.getReturn(), {}, { unknowns: false, keepsSecrets: true });
    // The result may contain any part of secret arguments.
    if (containsSecrets(args) && !protocol.secrets) {
      for (const [key, value] of Object.entries(result)) {
        if (!(value instanceof Secret)) result[key] = new Secret(value);
      }
    }
    return { result, failures: failuresOf(response.getFailuresList()) };
  }

  async construct({ message, inputs }: ComponentRequest): Promise<Constructed | undefined> {
    const protocol = await this.#protocol;
    if (!protocol) return undefined;
    message.setInputs(struct(toProvider(inputs, protocol)));
    const response = await this.#connection.call<providerPb.ConstructResponse>(
      `the construction of ${message.getName()}`,
      (client, done) => client.construct(message, done),
    );
    return constructedOf(response, message.getDryrun());
  }
}

/** Reads responses about a resource. @param ins the inputs, for the secrets that a plugin drops */
function reader(protocol: Protocol, ins: PropertyMap, preview: boolean) {
  return (value: Struct | undefined) =>
    markedProperties(value, ins, { unknowns: preview, keepsSecrets: protocol.secrets });
}

/** The outputs in a preview without a call: the inputs, or nothing if the provider's own configuration is unknown. */
function outputsWithoutCall(protocol: Protocol | undefined, inputs: PropertyMap): PropertyMap {
  return protocol ? { ...inputs } : {};
}

function withoutId(urn: string): ProviderError {
  return new ProviderError(`plugin returned empty resource.ID from create '${urn}'`, { unsure: true });
}
