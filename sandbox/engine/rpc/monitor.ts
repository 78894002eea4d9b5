/** The service a program talks to: it registers resources here and hears what became of them. */
import type grpc from "@grpc/grpc-js";
import providerPb from "@pulumi/pulumi/proto/provider_pb.js";
import resourceGrpc from "@pulumi/pulumi/proto/resource_grpc_pb.js";
import resourcePb from "@pulumi/pulumi/proto/resource_pb.js";
import type { Run } from "../deployment/run.ts";
import { messageOf } from "../errors.ts";
import type { Goal } from "../steps/goal.ts";
import type { RegisterResult } from "../steps/step.ts";
import { isProviderType, packageOf } from "../urn.ts";
import { decodeMap, toWire } from "../values.ts";
import { type Empty, empty, struct } from "./messages.ts";
import { goalOf, inheritFromParent, readGoalOf } from "./requests.ts";

/** Codes of gRPC answers; importing them from grpc-js would load it only for two numbers. */
const unavailable = 14;
const unimplemented = 12;
const unknownCode = 2;

export interface MonitorContext {
  run: Run;
  project: string;
  projectRoot: string;
  stack: string;
  config: Record<string, string>;
  secretKeys: string[];
  parallel: number;
  dryRun: boolean;
  /** The reference of the default provider of a package, registered on first use. */
  defaultProvider: (packageName: string) => Promise<string>;
  /** The outputs and the inputs of what the program knows of a resource: for references to it. */
  lookUp: (urn: string) => { urn: string; id: string; state: Record<string, unknown> } | undefined;
  /** The program has finished; resolves when the run is over. */
  onFinished: () => Promise<void>;
}

type Handler<Request, Response> = (request: Request) => Promise<Response>;

/** An async function as the handler of a call: thrown errors become the answer's status. */
export function unary<Request, Response>(
  handler: Handler<Request, Response>,
): grpc.handleUnaryCall<Request, Response> {
  return (call, callback) => {
    handler(call.request).then(
      (response) => callback(null, response),
      (error) => {
        const code = error instanceof Error && error.name === "Unavailable" ? unavailable : codeOf(error);
        callback({ code, details: messageOf(error) });
      },
    );
  };
}

class Unimplemented extends Error {
  override name = "Unimplemented";
}

function codeOf(error: unknown): number {
  return error instanceof Unimplemented ? unimplemented : unknownCode;
}

function notHere(what: string) {
  return async () => {
    throw new Unimplemented(`${what} is not part of this stand-in for the Pulumi CLI`);
  };
}

const features = resourcePb.ResourceMonitorFeature;
const supported = [
  features.RESOURCE_MONITOR_FEATURE_SECRETS,
  features.RESOURCE_MONITOR_FEATURE_RESOURCE_REFERENCES,
  features.RESOURCE_MONITOR_FEATURE_OUTPUT_VALUES,
  features.RESOURCE_MONITOR_FEATURE_ALIAS_SPECS,
  features.RESOURCE_MONITOR_FEATURE_DELETED_WITH,
  features.RESOURCE_MONITOR_FEATURE_REPLACE_WITH,
];
const supportedNames = new Set([
  "secrets",
  "resourceReferences",
  "outputValues",
  "aliasSpecs",
  "deletedWith",
  "replaceWith",
]);

export const monitorService = resourceGrpc.ResourceMonitorService;

/** The handlers of the service for one run. */
export function monitorHandlers(context: MonitorContext) {
  const goals = new Map<string, Goal>();
  return {
    getDeploymentInfo: unary(async () => deploymentInfo(context)),
    supportsFeature: unary(async (request: InstanceType<typeof resourcePb.SupportsFeatureRequest>) => {
      const response = new resourcePb.SupportsFeatureResponse();
      response.setHassupport(supportedNames.has(request.getId()));
      return response;
    }),
    registerResource: unary((request: InstanceType<typeof resourcePb.RegisterResourceRequest>) =>
      registerResource(context, goals, request),
    ),
    readResource: unary((request: InstanceType<typeof resourcePb.ReadResourceRequest>) =>
      readResource(context, request),
    ),
    registerResourceOutputs: unary(
      async (request: InstanceType<typeof resourcePb.RegisterResourceOutputsRequest>) => {
        await context.run.registerOutputs(request.getUrn(), decodeMap(request.getOutputs()?.toJavaScript()));
        return empty();
      },
    ),
    signalAndWaitForShutdown: unary(async (_: Empty) => {
      await context.onFinished();
      return empty();
    }),
    invoke: unary((request: InstanceType<typeof resourcePb.ResourceInvokeRequest>) =>
      invoke(context, request),
    ),
    call: unary(notHere("Call")),
    existsResource: unary(notHere("ExistsResource")),
    registerStackTransform: unary(notHere("RegisterStackTransform")),
    registerStackInvokeTransform: unary(notHere("RegisterStackInvokeTransform")),
    registerResourceHook: unary(notHere("RegisterResourceHook")),
    registerErrorHook: unary(notHere("RegisterErrorHook")),
    registerPackage: unary(notHere("RegisterPackage")),
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
  response.setSupportedfeaturesList(supported);
  return response;
}

/** Which provider serves a resource. */
async function providerFor(context: MonitorContext, type: string, given: string): Promise<string> {
  if (isProviderType(type)) return "";
  const packageName = packageOf(type);
  if (packageName !== "pulumi-nodejs") {
    throw new Error(
      `this stand-in for the Pulumi CLI runs dynamic resources only; ${type} needs a provider plugin and the real CLI`,
    );
  }
  return given === "" ? context.defaultProvider(packageName) : given;
}

async function registerResource(
  context: MonitorContext,
  goals: Map<string, Goal>,
  request: InstanceType<typeof resourcePb.RegisterResourceRequest>,
) {
  if (request.getRemote()) throw new Error("this stand-in cannot construct remote components");
  const goal = goalOf(request, context.projectRoot);
  const parent = goals.get(goal.parent);
  if (parent) inheritFromParent(goal, parent);
  if (goal.custom) goal.provider = await providerFor(context, goal.type, goal.provider);
  else goal.provider = "";
  const result = await context.run.register(goal);
  goals.set(result.state.urn, goal);
  return registered(goal, result);
}

function registered(goal: Goal, { state, result, unknown }: RegisterResult) {
  const response = new resourcePb.RegisterResourceResponse();
  response.setUrn(state.urn);
  response.setId(state.id);
  response.setObject(struct(goal.custom ? toWire(state.outputs) : {}));
  // The SDK knows no other word for a skipped resource.
  response.setResult(result === "success" ? resourcePb.Result.SUCCESS : resourcePb.Result.FAIL);
  if (unknown) response.setUnknown(true);
  return response;
}

async function readResource(
  context: MonitorContext,
  request: InstanceType<typeof resourcePb.ReadResourceRequest>,
) {
  const goal = readGoalOf(request, context.projectRoot);
  if (goal.type === "pulumi:pulumi:StackReference") {
    throw new Error("this stand-in for the Pulumi CLI knows no stack references");
  }
  goal.provider = await providerFor(context, goal.type, goal.provider);
  const { state } = await context.run.read(goal);
  const response = new resourcePb.ReadResourceResponse();
  response.setUrn(state.urn);
  response.setProperties(struct(toWire(state.outputs)));
  return response;
}

/** Only what the SDK itself asks for: which resource a reference means. */
async function invoke(
  context: MonitorContext,
  request: InstanceType<typeof resourcePb.ResourceInvokeRequest>,
) {
  const args = decodeMap(request.getArgs()?.toJavaScript());
  const urn = args.urn;
  if (request.getTok() !== "pulumi:pulumi:getResource" || typeof urn !== "string") {
    throw new Error(`this stand-in for the Pulumi CLI has no provider for the function ${request.getTok()}`);
  }
  const found = context.lookUp(urn);
  if (!found) throw new Error(`unknown resource ${urn}`);
  const response = new providerPb.InvokeResponse();
  response.setReturn(struct(found));
  return response;
}
