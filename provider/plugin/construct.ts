/**
 * Construct: registers an OrgMember and its resources with Pulumi, as the component of Node programs does. Values pass
 * through as Pulumi marked them: secrets stay secrets, and unknown values unknown.
 */

import { credentials, type ServiceError } from "@grpc/grpc-js";
import aliasPb from "@pulumi/pulumi/proto/alias_pb.js";
import providerPb from "@pulumi/pulumi/proto/provider_pb.js";
import resourceGrpc from "@pulumi/pulumi/proto/resource_grpc_pb.js";
import resourcePb from "@pulumi/pulumi/proto/resource_pb.js";
import { z } from "zod";
import {
  accessEnd,
  type Ignored,
  ignoredInParts,
  isCommon,
  partsOfMember,
  seatIssue,
} from "../resources/org-user/member.ts";
import type { PlanContext } from "../resources/resource.ts";
import { holdsUnknown, UNKNOWN_MARKER } from "../resources/unknown.ts";
import { CodedError } from "../util/error-codes.ts";
import { type Props, rawEntries, rawStruct, readStruct, reference, writeStruct } from "./wire.ts";

const MEMBER = "orgseat:index:OrgMember";

/** What the service needs besides the request. */
interface Environment extends Pick<PlanContext, "can"> {
  /** The reference of this Provider, which serves the children. */
  readonly provider: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly warn: (text: string) => void;
  readonly info: (text: string) => void;
}

/** What Pulumi knows of a registered resource. */
interface Registered {
  readonly urn: string;
  /** The marker of unknown values, if there is no id yet. */
  readonly id: string;
}

type Inputs = ReturnType<typeof inputsOf>;

/** @throws Error in words for the user, before anything is registered, if the inputs declare no member */
export async function construct(
  request: providerPb.ConstructRequest,
  environment: Environment,
): Promise<providerPb.ConstructResponse> {
  const type = request.getType();
  if (type !== MEMBER) throw new CodedError("version-mismatch", `the plugin has no component ${type}`);
  const name = request.getName();
  const inputs = inputsOf(request);
  const end = accessEnd(name, inputs.accessUntil, environment.now);
  if (typeof end === "string") throw new CodedError("invalid-input", end);
  if (end.notice?.severity === "warning") environment.warn(end.notice.text);
  else if (end.notice !== undefined) environment.info(end.notice.text);
  const ignored = ignoredInParts(name, request.getIgnorechangesList());
  if (ignored.warning !== undefined) environment.warn(ignored.warning);
  const monitor = new Monitor(request.getMonitorendpoint());
  try {
    const { urn } = await monitor.register(componentOf(request));
    const response = new providerPb.ConstructResponse();
    response.setUrn(urn);
    const children = new Children(request, { parent: urn, ...environment, ignored }, monitor);
    if (!end.ended) await registerMember(name, inputs, children, response);
    await monitor.registerNoOutputs(urn);
    return response;
  } finally {
    monitor.close();
  }
}

/** Each resource after the one that it needs. */
async function registerMember(
  name: string,
  { person, seat, token, accessUntil }: Inputs,
  children: Children,
  response: providerPb.ConstructResponse,
): Promise<void> {
  const parts = partsOfMember(name, person, seat, token, accessUntil);
  const state: Record<string, unknown> = {};
  const put = (key: string, value: unknown, ...sources: Registered[]): void => {
    state[key] = value;
    const dependencies = new providerPb.ConstructResponse.PropertyDependencies();
    dependencies.setUrnsList(sources.map(({ urn }) => urn));
    response.getStatedependenciesMap().set(key, dependencies);
  };
  const user = await children.register({ type: "OrgUser", ...parts.user });
  put("user", reference(user.urn, user.id), user);
  put("userId", user.id, user);
  const seated =
    parts.seat && (await children.register({ type: "SeatAssignment", from: "seat", ...parts.seat }, user));
  if (seated) put("seat", reference(seated.urn, seated.id), seated);
  if (seated && parts.token) {
    const made = await children.register({ type: "UserToken", from: "token", ...parts.token }, user, seated);
    put("token", reference(made.urn, made.id), made);
  }
  response.setState(writeStruct(state));
}

/** Those that decide what is registered have to be known; the others keep their marks. */
function inputsOf(request: providerPb.ConstructRequest) {
  const name = request.getName();
  const { seat, token, accessUntil: _, ...person } = rawStruct(request.getInputs());
  const plain = readStruct(request.getInputs()).props;
  const unknown = ["seat", "token", "accessUntil"].find((key) => isUnknown(plain[key]));
  if (unknown !== undefined)
    throw new CodedError(
      "invalid-input",
      `OrgMember "${name}": ${unknown} is not known before the run, but it decides which resources the program declares. Set it to a plain value.`,
    );
  const issue = seatIssue(name, plain.seat, plain.token ?? undefined);
  if (issue !== undefined) throw new CodedError("invalid-input", issue);
  const entries = (value: unknown): Props => rawEntries(z.looseObject({}).parse(value));
  const { accessUntil } = plain;
  return {
    person,
    seat: typeof plain.seat === "boolean" ? plain.seat : entries(seat),
    token: plain.token === undefined || plain.token === null ? undefined : entries(token),
    accessUntil: accessUntil ?? undefined,
  };
}

function isUnknown(value: unknown): boolean {
  return typeof value === "string" && holdsUnknown(value);
}

function componentOf(request: providerPb.ConstructRequest): resourcePb.RegisterResourceRequest {
  const component = registration(request.getType(), request.getName(), request.getParent());
  component.setObject(writeStruct({}));
  component.setDependenciesList(request.getDependenciesList());
  component.setAliasesList(request.getAliasesList());
  component.setDeletedwith(request.getDeletedwith());
  component.setReplaceWithList(request.getReplaceWithList());
  component.setParentstacktracehandle(request.getStackTraceHandle());
  const protect = request.getProtect();
  if (request.hasProtect() && protect !== undefined) component.setProtect(protect);
  const retain = request.getRetainondelete();
  if (request.hasRetainondelete() && retain !== undefined) component.setRetainondelete(retain);
  for (const [key, value] of request.getProvidersMap().entries()) component.getProvidersMap().set(key, value);
  return component;
}

function registration(type: string, name: string, parent: string): resourcePb.RegisterResourceRequest {
  const request = new resourcePb.RegisterResourceRequest();
  request.setType(type);
  request.setName(name);
  request.setParent(parent);
  request.setAcceptsecrets(true);
  request.setAliasspecs(true);
  request.setSupportspartialvalues(true);
  request.setSupportsresultreporting(true);
  return request;
}

interface Part {
  readonly type: "OrgUser" | "SeatAssignment" | "UserToken";
  readonly name: string;
  readonly args: Props;
  /** The component's input that has the entries of `args`. Default: they are its own inputs. */
  readonly from?: "seat" | "token";
}

interface Shared {
  readonly parent: string;
  readonly provider: string;
  readonly ignored: Ignored;
  readonly can: Environment["can"];
}

/** The resources of one component. They inherit its options from Pulumi, except `ignoreChanges`. */
class Children {
  readonly #request: providerPb.ConstructRequest;
  readonly #shared: Shared;
  readonly #monitor: Monitor;

  constructor(request: providerPb.ConstructRequest, shared: Shared, monitor: Monitor) {
    this.#request = request;
    this.#shared = shared;
    this.#monitor = monitor;
  }

  /** @param needed the resources that have to be there before; the first is the user */
  register({ type, name, args, from }: Part, ...needed: readonly Registered[]): Promise<Registered> {
    const [user] = needed;
    const { parent, provider, ignored, can } = this.#shared;
    const child = registration(`orgseat:index:${type}`, name, parent);
    child.setCustom(true);
    child.setProvider(provider);
    child.setIgnorechangesList(ignored[from ?? "user"]);
    // The option overrides diff, so it is only for the types whose every replacement removes first.
    if (type === "SeatAssignment" || (type === "UserToken" && !can.revokesByTokenId)) {
      child.setDeletebeforereplace(true);
      child.setDeletebeforereplacedefined(true);
    }
    child.setParentstacktracehandle(this.#request.getStackTraceHandle());
    child.setObject(writeStruct({ ...args, ...(user === undefined ? {} : { userId: user.id }) }));
    child.setAliasesList([aliasOfType(`pulumi-nodejs:orgseat:${type}`)]);
    const urns = needed.map(({ urn }) => urn);
    const all = new Set([...this.#request.getDependenciesList(), ...urns]);
    for (const key of Object.keys(args)) {
      const own = this.#dependenciesOf(from !== undefined && !isCommon(key) ? from : key);
      setDependencies(child, key, own);
      for (const urn of own) all.add(urn);
    }
    if (user !== undefined) setDependencies(child, "userId", urns);
    child.setDependenciesList([...all]);
    return this.#monitor.register(child);
  }

  #dependenciesOf(input: string): string[] {
    return this.#request.getInputdependenciesMap().get(input)?.getUrnsList() ?? [];
  }
}

function setDependencies(child: resourcePb.RegisterResourceRequest, key: string, urns: string[]): void {
  const dependencies = new resourcePb.RegisterResourceRequest.PropertyDependencies();
  dependencies.setUrnsList(urns);
  child.getPropertydependenciesMap().set(key, dependencies);
}

/** What was a dynamic resource stays the same resource. */
function aliasOfType(type: string): aliasPb.Alias {
  const spec = new aliasPb.Alias.Spec();
  spec.setType(type);
  const alias = new aliasPb.Alias();
  alias.setSpec(spec);
  return alias;
}

/** Pulumi's service that registers resources. */
class Monitor {
  readonly #client: resourceGrpc.ResourceMonitorClient;

  constructor(address: string) {
    // The engine is on this machine; grpc would reach it through the proxy of `https_proxy`.
    this.#client = new resourceGrpc.ResourceMonitorClient(address, credentials.createInsecure(), {
      "grpc.enable_http_proxy": 0,
    });
  }

  close(): void {
    this.#client.close();
  }

  /** A resource that failed has no id. Pulumi reports it, and skips what depends on it. */
  async register(request: resourcePb.RegisterResourceRequest): Promise<Registered> {
    const response = await answerTo<resourcePb.RegisterResourceResponse>((done) =>
      this.#client.registerResource(request, done),
    );
    return { urn: response.getUrn(), id: response.getId() || UNKNOWN_MARKER };
  }

  async registerNoOutputs(urn: string): Promise<void> {
    const request = new resourcePb.RegisterResourceOutputsRequest();
    request.setUrn(urn);
    request.setOutputs(writeStruct({}));
    await answerTo((done) => this.#client.registerResourceOutputs(request, done));
  }
}

function answerTo<Response>(
  send: (done: (error: ServiceError | null, response: Response) => void) => void,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    send((error, response) => (error === null ? resolve(response) : reject(error)));
  });
}
