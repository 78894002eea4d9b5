/** What all resource classes share: the registration, secrets and claims. */
import * as pulumi from "@pulumi/pulumi";
import { secretOutputs } from "../../provider/resources/resource-types.ts";
import { claim } from "./claims.ts";
import { refuseMixture } from "./inline-program.ts";
import { programError } from "./program-error.ts";
import { type ResourceKind, registrationOf } from "./registration.ts";
import { suspendStackCapture, withStackTrace } from "./stack-capture.ts";

export interface Definition extends ResourceKind {
  /** Outputs that a program need not set; Pulumi makes an Output only of a key that is there. */
  readonly outputs: readonly string[];
}

/** The base of the resource classes. */
export abstract class BaseResource extends pulumi.CustomResource {
  protected constructor(
    definition: Definition,
    name: string,
    inputs: object,
    options: pulumi.CustomResourceOptions | undefined,
  ) {
    refuseReplaceOnChanges(definition, name, options);
    refuseMixture(definition.type, name);
    const registration = registrationOf(definition);
    const absent = Object.fromEntries(definition.outputs.map((key) => [key, undefined]));
    const props: pulumi.Inputs = {
      ...absent,
      ...withSecretCredentials(inputs),
      ...registration.props,
    };
    claim(definition.type, name, props);
    const { credentials } = props;
    const secrets = credentials === undefined || credentials === null ? [] : ["credentials"];
    const merged = pulumi.mergeOptions(options, {
      ...registration.options,
      additionalSecretOutputs: [...secrets, ...secretOutputs[definition.type]],
    });
    const resumeStackCapture = suspendStackCapture();
    try {
      super(registration.token, name, props, merged);
    } catch (error) {
      throw withStackTrace(error, resumeStackCapture, new.target);
    } finally {
      resumeStackCapture();
    }
    leaveToEngine(this, ["id", ...Object.keys(props)]);
  }
}

/**
 * The engine reports a failed registration. Unhandled, it would also fail the program, which then deletes nothing, even with
 * `--continue-on-error`. A dependent resource still fails it, because the engine would take that one for removed.
 */
function leaveToEngine(resource: pulumi.CustomResource, keys: readonly string[]): void {
  pulumi.recover(resource.urn, () => {
    for (const key of keys) {
      const output: unknown = Reflect.get(resource, key);
      if (pulumi.Output.isInstance(output)) pulumi.recover(output, () => undefined);
    }
    return "";
  });
}

/** The engine would replace without asking the provider, and the replacement removes a person, a seat, or a token. */
function refuseReplaceOnChanges(
  { type }: Definition,
  name: string,
  options: pulumi.CustomResourceOptions | undefined,
): void {
  if (!options?.replaceOnChanges?.length) return;
  throw programError(
    "invalid-program",
    `${type} "${name}": cannot use replaceOnChanges, because orgseat decides which changes replace a resource. Remove the option`,
  );
}

/** Credentials are secrets; a ServiceAccount given for them stands for its id and secret. */
function withSecretCredentials(inputs: object): pulumi.Inputs {
  const props: pulumi.Inputs = { ...inputs };
  const { credentials } = props;
  if (credentials === undefined || credentials === null) return props;
  const values = pulumi
    .output<object>(credentials)
    .apply((given) => (pulumi.Resource.isInstance(given) ? secretOf(given) : given));
  return { ...props, credentials: pulumi.secret(values) };
}

function secretOf(account: pulumi.Resource & { clientId?: unknown; clientSecret?: unknown }): object {
  return { clientId: account.clientId, clientSecret: account.clientSecret };
}

/** The inputs of every resource of an organization. */
export interface OrganizationResourceArgs {
  /**
   * The id of the organization, such as `acme-data`. Default: `orgseat:organizationId` of the stack. A change replaces the resource.
   */
  organizationId?: pulumi.Input<string>;
}

/** What happens to an object of the service when its declaration is removed. */
export type OnDelete = "delete" | "retain";

/** The credential for service accounts: an administrator of the organization, by username and password or by a token. */
export type AdminCredentials =
  | {
      /** The name with which the administrator signs in, with `password`. */
      username: pulumi.Input<string>;
      /** The password of the administrator. */
      password: pulumi.Input<string>;
      adminToken?: never;
    }
  | {
      /** A token or API key of an administrator, in place of username and password. orgseat does not renew it. */
      adminToken: pulumi.Input<string>;
      password?: never;
    };

/** The credential for users, seats, tokens, and onboarding: a service account, for example one of the same program. */
export interface AccountCredentials {
  /** The client id of the service account. */
  clientId: pulumi.Input<string>;
  /** The client secret of the service account. */
  clientSecret: pulumi.Input<string>;
}

/** A resource of an organization. */
export abstract class OrganizationResource extends BaseResource {
  /** The id of the organization. */
  declare readonly organizationId: pulumi.Output<string>;

  protected constructor(
    definition: Definition,
    name: string,
    inputs: object,
    options: pulumi.CustomResourceOptions | undefined,
  ) {
    super(definition, name, { organizationId: undefined, ...inputs }, options);
  }
}

/** A resource whose id is a user id. */
export abstract class UserResource extends OrganizationResource {
  /** The user id, the same as `id`. */
  get userId(): pulumi.Output<string> {
    // The preview of an update keeps only `id` known.
    return this.id;
  }

  /** Pulumi assigns every output to the object; `id` already has this one. */
  // biome-ignore lint/correctness/noUnusedPrivateClassMembers: Pulumi assigns it.
  private set userId(_stored: pulumi.Output<string>) {}
}

/** The credential of the model area: its API key, a UUID. */
export interface ModelCredentials {
  /** The key, a UUID. */
  apiKey: pulumi.Input<string>;
}

/** The inputs of every resource of the model area. */
export interface ModelResourceArgs {
  /** The API key. Default: `orgseat:apiKey`. A change updates only the state. */
  credentials?: pulumi.Input<ModelCredentials>;
}

/** The model file of a server, from "list servers". */
export interface ServedFile {
  /** The id of the file. */
  id?: string | null | undefined;
  /** The name of the file. */
  name?: string | null | undefined;
  /** Where the file is on the machine of the model area. */
  localPath?: string | null | undefined;
  /** Whether the model area has the file. */
  isDownloaded?: boolean | null | undefined;
  /** The quantization of the model in the file, such as `Q4_K_M`. */
  quantization?: string | null | undefined;
}

/** The configuration of a server, from "list servers". The service defines the fields of the parameters. */
export interface ServerConfig {
  /** Empty if the service does not return it. */
  modelFileName: string;
  /** The parameters of the server's API. */
  apiParams?: Record<string, unknown> | null | undefined;
  /** The parameters with which the server loads the model. */
  loadParams?: Record<string, unknown> | null | undefined;
  /** The parameters of each answer of the model. */
  inferParams?: Record<string, unknown> | null | undefined;
  /** The folder of the server's logs. */
  logsDir?: string | null | undefined;
}

/** The address on which a server listens. */
export interface ServerAddress {
  /** The name or the IP address of its machine. */
  host?: string | null | undefined;
  /** The port, 1 to 65535. */
  port?: number | null | undefined;
}
