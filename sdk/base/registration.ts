/**
 * How the classes reach the provider: as dynamic resources, whose provider Pulumi runs from the packages of the program, or
 * as resources of the packaged plugin. Programs have dynamic resources; the plugin makes the children of its components.
 */
import type * as pulumi from "@pulumi/pulumi";
import type { ResourceType } from "../../provider/resources/resource-types.ts";
import { requireProvider } from "./copies.ts";

export interface ResourceKind {
  readonly type: ResourceType;
}

interface Registration {
  /** The type token. */
  readonly token: string;
  readonly props: { readonly __provider?: string };
  readonly options: pulumi.CustomResourceOptions;
}

type Door = (kind: ResourceKind) => Registration;

const dynamicDoor: Door = ({ type }) => {
  requireProvider();
  return { token: dynamicToken(type), props: { __provider: providerText(type) }, options: {} };
};

/** The alias keeps what a stack has as a dynamic resource. */
const pluginDoor =
  (version: string | undefined): Door =>
  ({ type }) => ({
    token: pluginToken(type),
    props: {},
    options: { aliases: [{ type: dynamicToken(type) }], ...(version === undefined ? {} : { version }) },
  });

export function dynamicToken(type: string): string {
  return `pulumi-nodejs:orgseat:${type}`;
}

function pluginToken(type: string): string {
  return `orgseat:index:${type}`;
}

/**
 * Where Pulumi finds the provider of a dynamic resource: an export of provider/index.ts. The state of every stack
 * contains it, so it is one constant line.
 */
export function providerText(type: ResourceType): string {
  return `exports.handler=()=>require("orgseat/provider").${type.charAt(0).toLowerCase()}${type.slice(1)}`;
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
