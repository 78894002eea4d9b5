/**
 * The packaged plugin: Pulumi's ResourceProvider service over the methods of the dynamic providers. It adds what those
 * cannot have: a schema, typed configuration, previews of creations and updates, differences by property, imports.
 */

import type { UntypedServiceImplementation } from "@grpc/grpc-js";
import pluginPb from "@pulumi/pulumi/proto/plugin_pb.js";
import providerGrpc from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import providerPb from "@pulumi/pulumi/proto/provider_pb.js";
import { secretKeys } from "../config/setting-values.ts";
import { readSettings } from "../config/settings.ts";
import { holdsUnknown } from "../resources/unknown.ts";
import type { ProviderProcess } from "../runtime/process.ts";
import { CodedError, withCode } from "../util/error-codes.ts";
import { CheckedResources } from "./claims.ts";
import { list } from "./listing.ts";
import { invoke } from "./lookups.ts";
import { type ServedResource, servedResources } from "./resources.ts";
import { checkFailure, diffResponse, Failure, unary } from "./responses.ts";
import { type Props, readStruct, writeStruct } from "./wire.ts";

/** What the service needs besides the process. */
interface Package {
  /** That of the npm package. */
  readonly version: string;
  /** The text of schema.json. */
  schema(): string;
}

type Secrets = ReadonlySet<string>;
const CONFIG_SECRETS: Secrets = new Set(secretKeys);

/** The handlers of the service. Missing ones return UNIMPLEMENTED. */
export function pluginHandlers(
  process: ProviderProcess,
  { version, schema }: Package,
): UntypedServiceImplementation {
  const resources = servedResources(process);
  const resourceOf = (type: string): ServedResource => {
    const found = resources.get(type);
    if (found === undefined)
      throw new CodedError("version-mismatch", `the plugin orgseat ${version} has no resource ${type}`);
    return found;
  };
  return {
    ...packageHandlers(version, schema),
    ...configHandlers(process),
    ...planHandlers(resourceOf),
    ...changeHandlers(resourceOf, process),
    list: (call: Parameters<typeof list>[0]) => void list(call, process),
    invoke: unary((request: providerPb.InvokeRequest) => invoke(request, process)),
    // What waits ends at once; requests that have begun end without help, within `operationTimeout`.
    cancel: unary(async () => {
      process.cancel();
      return empty();
    }),
  };
}

function packageHandlers(version: string, schema: () => string) {
  return {
    handshake: unary(async (_request: providerPb.ProviderHandshakeRequest) => {
      const response = new providerPb.ProviderHandshakeResponse();
      response.setAcceptSecrets(true);
      return response;
    }),
    getPluginInfo: unary(async () => {
      const response = new pluginPb.PluginInfo();
      response.setVersion(version);
      return response;
    }),
    getSchema: unary(async (_request: providerPb.GetSchemaRequest) => {
      const response = new providerPb.GetSchemaResponse();
      response.setSchema(schema());
      return response;
    }),
  };
}

function configHandlers(process: ProviderProcess) {
  return {
    checkConfig: unary(async (request: providerPb.CheckRequest) => {
      const { props } = readStruct(request.getNews());
      const response = new providerPb.CheckResponse();
      response.setInputs(writeStruct(props, CONFIG_SECRETS));
      const issues = issuesOf(props, request.getName());
      response.setFailuresList(issues.map((issue) => checkFailure(withCode(issue, "invalid-configuration"))));
      return response;
    }),
    /** Never a replacement: resources belong to an organization, and know it themselves. */
    diffConfig: unary(async (request: providerPb.DiffRequest) => {
      const olds = readStruct(request.getOldInputs()).props;
      const news = readStruct(request.getNews()).props;
      const diff = diffResponse({ changes: true }, olds, news);
      if (diff.getDiffsList().length === 0) diff.setChanges(providerPb.DiffResponse.DiffChanges.DIFF_NONE);
      return diff;
    }),
    configure: unary(async (request: providerPb.ConfigureRequest) => {
      const { props } = readStruct(request.getArgs());
      process.configure(configOf(props), { isProvider: isExplicit(request.getName() ?? "default") });
      const response = new providerPb.ConfigureResponse();
      response.setAcceptsecrets(true);
      response.setSupportspreview(true);
      return response;
    }),
  };
}

type ResourceOf = (type: string) => ServedResource;

function planHandlers(resourceOf: ResourceOf) {
  const checked = new CheckedResources();
  return {
    check: unary(async (request: providerPb.CheckRequest) => {
      const resource = resourceOf(request.getType());
      const news = readStruct(request.getNews());
      const { inputs = {}, failures = [] } = await resource.methods.check(
        readStruct(request.getOlds()).props,
        news.props,
      );
      const response = new providerPb.CheckResponse();
      response.setInputs(writeStruct(inputs, secretsOf(resource, news.secrets)));
      const conflicts = checked.add(request.getUrn(), resource.type, inputs);
      response.setFailuresList([
        ...failures.map(({ reason, property }) => checkFailure(reason, property)),
        ...conflicts.map((conflict) => checkFailure(conflict)),
      ]);
      return response;
    }),
    diff: unary(async (request: providerPb.DiffRequest) => {
      const olds = readStruct(request.getOlds()).props;
      const news = readStruct(request.getNews()).props;
      const diff = await resourceOf(request.getType()).methods.diff(request.getId(), olds, news);
      return diffResponse(diff, readStruct(request.getOldInputs()).props, news);
    }),
    read: unary(async (request: providerPb.ReadRequest) => {
      const resource = resourceOf(request.getType());
      const olds = readStruct(request.getProperties());
      const inputs = readStruct(request.getInputs());
      // An import by a program has inputs and no state.
      const given = Object.keys(olds.props).length > 0 ? olds.props : inputs.props;
      const found = await resource.methods.read(request.getId(), given);
      const response = new providerPb.ReadResponse();
      if (found.id === undefined) return response;
      const secrets = secretsOf(resource, new Set([...olds.secrets, ...inputs.secrets]));
      response.setId(found.id);
      response.setProperties(writeStruct(found.props ?? {}, secrets));
      response.setInputs(writeStruct(found.inputs ?? inputs.props, secrets));
      return response;
    }),
  };
}

function changeHandlers(resourceOf: ResourceOf, process: ProviderProcess) {
  return {
    create: unary(async (request: providerPb.CreateRequest) => {
      const resource = resourceOf(request.getType());
      const news = readStruct(request.getProperties());
      const secrets = secretsOf(resource, news.secrets);
      const response = new providerPb.CreateResponse();
      if (request.getPreview()) {
        response.setProperties(writeStruct(resource.previewCreate(news.props), secrets));
        return response;
      }
      const { id, outs } = await process
        .withTimeout(request.getTimeout(), () => resource.methods.create(news.props))
        .catch(failWith(secrets));
      response.setId(id);
      response.setProperties(writeStruct(outs ?? {}, secrets));
      return response;
    }),
    update: unary(async (request: providerPb.UpdateRequest) => {
      const resource = resourceOf(request.getType());
      const olds = readStruct(request.getOlds());
      const news = readStruct(request.getNews());
      // A partial update keeps what the program made a secret before.
      const secrets = secretsOf(resource, new Set([...olds.secrets, ...news.secrets]));
      const response = new providerPb.UpdateResponse();
      const { outs } = request.getPreview()
        ? { outs: resource.previewUpdate(olds.props, news.props) }
        : await process
            .withTimeout(request.getTimeout(), () =>
              resource.methods.update(request.getId(), olds.props, news.props),
            )
            .catch(failWith(secrets));
      response.setProperties(writeStruct(outs ?? {}, secretsOf(resource, news.secrets)));
      return response;
    }),
    delete: unary(async (request: providerPb.DeleteRequest) => {
      const { props } = readStruct(request.getProperties());
      const { methods } = resourceOf(request.getType());
      await process.withTimeout(request.getTimeout(), () => methods.delete(request.getId(), props));
      return empty();
    }),
  };
}

/** The class of this message is not exported; "cancel" takes one. */
function empty() {
  return providerGrpc.ResourceProviderService.cancel.requestDeserialize(Buffer.alloc(0));
}

function failWith(secrets: Secrets) {
  return (error: unknown): never => {
    throw new Failure(error, secrets);
  };
}

/** The keys that are secrets in every state, and those that the program made secrets. */
function secretsOf({ secrets }: ServedResource, given: Secrets): Secrets {
  return new Set([...secrets, ...given]);
}

/** A value by its full key: `orgseat:orgUrl`. SDKs pass numbers as numbers or as JSON. */
export function configOf(args: Props): (key: string) => string | undefined {
  return (key) => {
    const value = args[key.replace(/^orgseat:/, "")] ?? undefined;
    return typeof value === "string" || value === undefined ? value : JSON.stringify(value);
  };
}

/** Whether a Provider has arguments of a program, and not the stack's configuration. @param name that of its URN */
export function isExplicit(name: string): boolean {
  return !/^default(_|$)/.test(name);
}

/** The validation issues of the arguments, one sentence each. */
export function issuesOf(args: Props, name: string): readonly string[] {
  // Arguments that are not known yet can complete those that are.
  if (holdsUnknown(args)) return [];
  return readSettings(configOf(args), process.env, { isProvider: isExplicit(name) }).issues;
}
