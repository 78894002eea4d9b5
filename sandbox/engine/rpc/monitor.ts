/** The service with which a program registers resources. */
import type grpc from "@grpc/grpc-js";
import providerPb from "@pulumi/pulumi/proto/provider_pb.js";
import resourceGrpc from "@pulumi/pulumi/proto/resource_grpc_pb.js";
import resourcePb from "@pulumi/pulumi/proto/resource_pb.js";
import type { DeploymentRun } from "../deployment/run.ts";
import { messageOf, UserError } from "../errors.ts";
import type { CheckFailure, Constructed, Provider } from "../plugins/provider.ts";
import { unsupportedError } from "../refusals.ts";
import { type DefaultProviders, versionInputs } from "../run/default-providers.ts";
import type { Goal } from "../steps/goal.ts";
import type { RegisterResult } from "../steps/step.ts";
import { isProviderType, packageOf } from "../urn.ts";
import { decodeMap, type PropertyMap, toWire } from "../values.ts";
import { type ConstructContext, constructedResponse, constructMessage } from "./construct.ts";
import { type Empty, empty, struct } from "./messages.ts";
import {
  goalOf,
  inheritFromParent,
  readGoalOf,
  refuseDownload,
  refuseUnknown,
  type Served,
} from "./requests.ts";

/** Status codes of gRPC. An import would load grpc-js for two numbers. */
const unavailable = 14;
const unknownCode = 2;

export interface MonitorContext extends ConstructContext {
  run: DeploymentRun;
  projectRoot: string;
  /** The provider with this reference. */
  provider: (reference: string) => Provider | undefined;
  /** For resources and functions without their own provider. */
  defaultProviders: DefaultProviders;
  /** A resource that the program has registered, for references to it. */
  lookUp: (urn: string) => { urn: string; id: string; state: Record<string, unknown> } | undefined;
  /** The program has finished; resolves when the run is over. */
  onFinished: () => Promise<void>;
}

type Handler<Request, Response> = (request: Request) => Promise<Response>;

/** An async function as the handler of a call: a thrown error becomes the status. */
export function asyncHandler<Request, Response>(
  handler: Handler<Request, Response>,
): grpc.handleUnaryCall<Request, Response> {
  return (call, callback) => {
    handler(call.request).then(
      (response) => callback(null, response),
      (error) => {
        const code = error instanceof Error && error.name === "Unavailable" ? unavailable : unknownCode;
        callback({ code, details: messageOf(error) });
      },
    );
  };
}

function unsupported(what: string) {
  return async () => {
    throw unsupportedError(what);
  };
}

const features = resourcePb.ResourceMonitorFeature;
const supported = new Map([
  ["secrets", features.RESOURCE_MONITOR_FEATURE_SECRETS],
  ["resourceReferences", features.RESOURCE_MONITOR_FEATURE_RESOURCE_REFERENCES],
  ["outputValues", features.RESOURCE_MONITOR_FEATURE_OUTPUT_VALUES],
  ["aliasSpecs", features.RESOURCE_MONITOR_FEATURE_ALIAS_SPECS],
  ["deletedWith", features.RESOURCE_MONITOR_FEATURE_DELETED_WITH],
  ["replaceWith", features.RESOURCE_MONITOR_FEATURE_REPLACE_WITH],
]);

const stackReferenceType = "pulumi:pulumi:StackReference";

export const monitorService = resourceGrpc.ResourceMonitorService;

/** The handlers of the service for one run. */
export function monitorHandlers(context: MonitorContext) {
  const goals = new Map<string, Goal>();
  // The engine reports a UserError and stops the run; otherwise the program would report it again.
  const unary = <Request, Response>(handler: Handler<Request, Response>) =>
    asyncHandler((request: Request) =>
      handler(request).catch((error) => {
        throw error instanceof UserError ? context.run.refuse(error) : error;
      }),
    );
  return {
    getDeploymentInfo: unary(async () => deploymentInfo(context)),
    supportsFeature: unary(supportsFeature),
    registerResource: unary((request: InstanceType<typeof resourcePb.RegisterResourceRequest>) =>
      registerResource(context, goals, request),
    ),
    readResource: unary((request: InstanceType<typeof resourcePb.ReadResourceRequest>) =>
      readResource(context, request),
    ),
    registerResourceOutputs: unary(
      (request: InstanceType<typeof resourcePb.RegisterResourceOutputsRequest>) =>
        registerOutputs(context, request),
    ),
    signalAndWaitForShutdown: unary(async (_: Empty) => {
      await context.onFinished();
      return empty();
    }),
    invoke: unary((request: InstanceType<typeof resourcePb.ResourceInvokeRequest>) =>
      invoke(context, request),
    ),
    call: unary(unsupported("methods of remote components")),
    existsResource: unary(unsupported("questions whether a resource exists")),
    registerStackTransform: unary(unsupported("transforms")),
    registerStackInvokeTransform: unary(unsupported("invoke transforms")),
    registerResourceHook: unary(unsupported("resource hooks")),
    registerErrorHook: unary(unsupported("error hooks")),
    registerPackage: unary(unsupported("parameterized packages")),
  };
}

function deploymentInfo(context: MonitorContext) {
  const response = new resourcePb.DeploymentInfo();
  response.setProject(context.project);
  response.setStack(context.stack);
  response.setOrganization("organization");
  response.setDryrun(context.dryRun);
  response.setParallel(context.parallel);
  for (const [key, value] of Object.entries(context.config)) response.getConfigMap().set(key, value);
  response.setConfigsecretkeysList(context.secretKeys);
  response.setSupportedfeaturesList([...supported.values()]);
  return response;
}

async function supportsFeature(request: InstanceType<typeof resourcePb.SupportsFeatureRequest>) {
  const response = new resourcePb.SupportsFeatureResponse();
  response.setHassupport(supported.has(request.getId()));
  return response;
}

/** Which provider serves a resource or a function. */
function providerFor(context: MonitorContext, token: string, request: Served): Promise<string> {
  const given = request.getProvider();
  if (given !== "") return Promise.resolve(given);
  refuseDownload(token, request);
  return context.defaultProviders.reference(packageOf(token), request.getVersion());
}

async function registerResource(
  context: MonitorContext,
  goals: Map<string, Goal>,
  request: InstanceType<typeof resourcePb.RegisterResourceRequest>,
) {
  refuseUnknown(request);
  const goal = goalOf(request, context.projectRoot);
  if (request.getRemote()) {
    const constructed = await construct(context, goal, request);
    if (constructed) return constructedResponse(constructed);
  }
  const parent = goals.get(goal.parent);
  if (parent) inheritFromParent(goal, parent);
  if (isProviderType(goal.type)) {
    refuseDownload(goal.type, request);
    if (request.getVersion() !== "") Object.assign(goal.properties, versionInputs(request.getVersion()));
  }
  goal.provider =
    goal.custom && !isProviderType(goal.type) ? await providerFor(context, goal.type, request) : "";
  const result = await context.run.register(goal);
  goals.set(result.state.urn, goal);
  return registered(goal, result);
}

function registered(goal: Goal, { state, result, unknown }: RegisterResult) {
  const response = new resourcePb.RegisterResourceResponse();
  response.setUrn(state.urn);
  response.setId(state.id);
  response.setObject(struct(goal.custom ? toWire(state.outputs) : {}));
  // The SDK has no status for a skipped resource.
  response.setResult(result === "success" ? resourcePb.Result.SUCCESS : resourcePb.Result.FAIL);
  if (unknown) response.setUnknown(true);
  return response;
}

async function registerOutputs(
  { run }: MonitorContext,
  request: InstanceType<typeof resourcePb.RegisterResourceOutputsRequest>,
) {
  await run.registerOutputs(request.getUrn(), decodeMap(request.getOutputs()?.toJavaScript()));
  return empty();
}

/** The plugin registers the component and its resources, by the requests that it sends to this service. */
async function construct(
  context: MonitorContext,
  { type, name, properties }: Goal,
  request: InstanceType<typeof resourcePb.RegisterResourceRequest>,
): Promise<Constructed | undefined> {
  const reference = await providerFor(context, type, request);
  const provider = context.provider(reference);
  if (!provider) throw new Error(`unknown provider '${reference}' for the component ${name}`);
  try {
    return await provider.construct({ message: constructMessage(request, context), inputs: properties });
  } catch (error) {
    throw new UserError(`${type} resource '${name}' has a problem: ${messageOf(error)}`);
  }
}

async function readResource(
  context: MonitorContext,
  request: InstanceType<typeof resourcePb.ReadResourceRequest>,
) {
  const goal = readGoalOf(request, context.projectRoot);
  if (goal.type === stackReferenceType) throw unsupportedError(`stack references (${goal.name})`);
  goal.provider = await providerFor(context, goal.type, request);
  const { state } = await context.run.read(goal);
  const response = new resourcePb.ReadResourceResponse();
  response.setUrn(state.urn);
  response.setProperties(struct(toWire(state.outputs)));
  return response;
}

async function invoke(
  context: MonitorContext,
  request: InstanceType<typeof resourcePb.ResourceInvokeRequest>,
) {
  const token = request.getTok();
  const args = decodeMap(request.getArgs()?.toJavaScript());
  const response = new resourcePb.ResourceInvokeResponse();
  if (packageOf(token) === "pulumi") {
    response.setReturn(struct(builtIn(context, token, args)));
    return response;
  }
  const reference = await providerFor(context, token, request);
  const provider = context.provider(reference);
  if (!provider) throw new Error(`unknown provider '${reference}' for the function ${token}`);
  const { result, failures } = await provider
    .invoke({ token, args, preview: context.dryRun })
    .catch((error) =>
      Promise.reject(new Error(`invocation of ${token} returned an error: ${messageOf(error)}`)),
    );
  response.setReturn(struct(toWire(result)));
  response.setFailuresList(failures.map(failureMessage));
  return response;
}

/** The engine's own functions: the SDK looks up the resource of a reference. */
function builtIn(context: MonitorContext, token: string, { urn }: PropertyMap) {
  if (token !== "pulumi:pulumi:getResource" || typeof urn !== "string")
    throw unsupportedError(`the function ${token}`);
  const found = context.lookUp(urn);
  if (!found) throw new Error(`unknown resource ${urn}`);
  return found;
}

function failureMessage({ property, reason }: CheckFailure) {
  const failure = new providerPb.CheckFailure();
  failure.setProperty(property);
  failure.setReason(reason);
  return failure;
}
