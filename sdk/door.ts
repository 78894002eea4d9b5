/**
 * How the classes reach the provider: as dynamic resources, whose provider Pulumi runs from the packages of the program, or
 * as resources of the packaged plugin. Programs have dynamic resources; the plugin makes the children of its components.
 */
import type * as pulumi from "@pulumi/pulumi";

/** The names of the provider's exports. They stand in the state of every stack: never rename one. */
type ProviderExport =
  | "serviceAccount"
  | "orgUser"
  | "seatAssignment"
  | "userToken"
  | "onboarding"
  | "modelServer"
  | "vectorTable"
  | "vectorDatabase";

export interface ResourceKind {
  readonly type: string;
  readonly provider: ProviderExport;
}

interface Registration {
  /** The type token. */
  readonly token: string;
  readonly props: { readonly __provider?: string };
  readonly options: pulumi.CustomResourceOptions;
}

type Door = (kind: ResourceKind) => Registration;

const dynamicDoor: Door = ({ type, provider }) => ({
  token: dynamicToken(type),
  // The state keeps the provider's text, so it is one constant line a resource.
  props: { __provider: `exports.handler=()=>require("orgseat/provider").${provider}` },
  options: {},
});

/** The alias keeps what a stack has as a dynamic resource. */
const pluginDoor =
  (version: string | undefined): Door =>
  ({ type }) => ({
    token: `orgseat:index:${type}`,
    props: {},
    options: { aliases: [{ type: dynamicToken(type) }], ...(version === undefined ? {} : { version }) },
  });

function dynamicToken(type: string): string {
  return `pulumi-nodejs:orgseat:${type}`;
}

let door = dynamicDoor;

export function registrationOf(kind: ResourceKind): Registration {
  return door(kind);
}

/**
 * Has the classes of this process register the plugin's types from now on.
 * @param version of the plugin that serves them. Default: Pulumi decides.
 */
export function registerPluginTypes(version?: string): void {
  door = pluginDoor(version);
}
