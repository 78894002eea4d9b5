/** Construct: a plugin registers a component and its resources at the engine's own service. */
import providerPb from "@pulumi/pulumi/proto/provider_pb.js";
import resourcePb from "@pulumi/pulumi/proto/resource_pb.js";
import type { Constructed } from "../plugins/provider.ts";
import { toWire, withoutUnknowns } from "../values.ts";
import { struct } from "./messages.ts";
import { propertiesOf } from "./responses.ts";

/** What a plugin learns about the run in which it registers. */
export interface ConstructContext {
  project: string;
  stack: string;
  config: Record<string, string>;
  secretKeys: string[];
  parallel: number;
  dryRun: boolean;
  /** The address of the service that registers resources. */
  monitorAddress: string;
}

/** The request for a component with all its options, without the inputs. */
export function constructMessage(
  asked: resourcePb.RegisterResourceRequest,
  context: ConstructContext,
): providerPb.ConstructRequest {
  const request = new providerPb.ConstructRequest();
  describeRun(request, context);
  request.setType(asked.getType());
  request.setName(asked.getName());
  request.setParent(asked.getParent());
  request.setDependenciesList(asked.getDependenciesList());
  request.setAliasesList(asked.getAliasesList());
  request.setAdditionalsecretoutputsList(asked.getAdditionalsecretoutputsList());
  request.setDeletedwith(asked.getDeletedwith());
  request.setReplaceWithList(asked.getReplaceWithList());
  request.setIgnorechangesList(asked.getIgnorechangesList());
  request.setReplaceonchangesList(asked.getReplaceonchangesList());
  if (asked.hasProtect()) request.setProtect(asked.getProtect() ?? false);
  if (asked.hasRetainondelete()) request.setRetainondelete(asked.getRetainondelete() ?? false);
  if (asked.getDeletebeforereplacedefined()) request.setDeletebeforereplace(asked.getDeletebeforereplace());
  const timeouts = asked.getCustomtimeouts();
  if (timeouts) {
    const copy = new providerPb.ConstructRequest.CustomTimeouts();
    copy.setCreate(timeouts.getCreate());
    copy.setUpdate(timeouts.getUpdate());
    copy.setDelete(timeouts.getDelete());
    copy.setRead(timeouts.getRead());
    request.setCustomtimeouts(copy);
  }
  for (const [name, reference] of asked.getProvidersMap().entries())
    request.getProvidersMap().set(name, reference);
  for (const [key, value] of asked.getPropertydependenciesMap().entries()) {
    const dependencies = new providerPb.ConstructRequest.PropertyDependencies();
    dependencies.setUrnsList(value.getUrnsList());
    request.getInputdependenciesMap().set(key, dependencies);
  }
  return request;
}

function describeRun(request: providerPb.ConstructRequest, context: ConstructContext): void {
  request.setProject(context.project);
  request.setStack(context.stack);
  request.setOrganization("organization");
  request.setDryrun(context.dryRun);
  request.setParallel(context.parallel);
  request.setMonitorendpoint(context.monitorAddress);
  for (const [key, value] of Object.entries(context.config)) request.getConfigMap().set(key, value);
  request.setConfigsecretkeysList(context.secretKeys);
}

export function constructedOf(response: providerPb.ConstructResponse, preview: boolean): Constructed {
  const dependencies = new Map<string, string[]>();
  for (const [key, value] of response.getStatedependenciesMap().entries())
    dependencies.set(key, value.getUrnsList());
  // With --continue-on-error the values of a failed resource stay unknown in an update too.
  const state = propertiesOf(response.getState(), { unknowns: true });
  return { urn: response.getUrn(), state: preview ? state : withoutUnknowns(state), dependencies };
}

/** What the program learns about its component. */
export function constructedResponse({ urn, state, dependencies }: Constructed) {
  const response = new resourcePb.RegisterResourceResponse();
  response.setUrn(urn);
  response.setObject(struct(toWire(state)));
  for (const [key, urns] of dependencies) {
    const behind = new resourcePb.RegisterResourceResponse.PropertyDependencies();
    behind.setUrnsList(urns);
    response.getPropertydependenciesMap().set(key, behind);
  }
  return response;
}
