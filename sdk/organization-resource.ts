/**
 * What all resource classes share: the type token, the provider's text, secrets and the organization's options.
 */
import * as pulumi from "@pulumi/pulumi";
import { type Claim, claim } from "./claims.ts";

/** Inputs that every resource takes. */
export interface OrganizationOptions {
  /**
   * The organization the resource lives in, a GUID. Default: `orgseat:organizationId` of the stack.
   * Changing it replaces the resource.
   */
  organizationId?: pulumi.Input<string>;
}

/** The credential of calls 1 to 3: an administrator of the organization. */
export interface AdminCredentials {
  username: pulumi.Input<string>;
  password: pulumi.Input<string>;
}

/** The credential of calls 4 to 11: a service account, for example one of the same program. */
export interface AccountCredentials {
  clientId: pulumi.Input<string>;
  clientSecret: pulumi.Input<string>;
}

/** The names of the provider's exports. They stand in the state of every stack: never rename one. */
type ProviderExport = "serviceAccount" | "orgUser" | "seatAssignment" | "userToken";

interface Definition {
  readonly type: string;
  readonly provider: ProviderExport;
  /** Outputs that are no inputs; Pulumi makes an Output only of a key that is there. */
  readonly outputs: readonly string[];
  readonly secretOutputs: readonly string[];
  readonly claims: readonly Claim[];
}

/** The base of the resource classes. The state keeps the provider's text, so it is one constant line a resource. */
export abstract class OrganizationResource extends pulumi.CustomResource {
  /** The organization the resource lives in. */
  declare readonly organizationId: pulumi.Output<string>;

  protected constructor(
    definition: Definition,
    name: string,
    inputs: object,
    options: pulumi.CustomResourceOptions | undefined,
  ) {
    const absent = Object.fromEntries(
      ["organizationId", ...definition.outputs].map((key) => [key, undefined]),
    );
    const props: pulumi.Inputs = {
      ...absent,
      ...withSecretCredentials(inputs),
      __provider: `exports.handler=()=>require("orgseat/provider").${definition.provider}`,
    };
    for (const one of definition.claims) claim(definition.type, name, props, one);
    super(
      `pulumi-nodejs:orgseat:${definition.type}`,
      name,
      props,
      pulumi.mergeOptions(options, { additionalSecretOutputs: ["credentials", ...definition.secretOutputs] }),
    );
  }
}

/** A resource whose id is a user id. */
export abstract class UserResource extends OrganizationResource {
  /** The user id. It is the id itself, because the preview of an update keeps that one known and nothing else. */
  get userId(): pulumi.Output<string> {
    return this.id;
  }

  /** Pulumi stores every property on the object; this one has its place in `id`. */
  // biome-ignore lint/correctness/noUnusedPrivateClassMembers: Pulumi assigns it.
  private set userId(_stored: pulumi.Output<string>) {}
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

function secretOf(account: pulumi.Resource & Partial<AccountCredentials>): object {
  return { clientId: account.clientId, clientSecret: account.clientSecret };
}
