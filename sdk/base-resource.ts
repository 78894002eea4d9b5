/** What all resource classes share: the type token, the provider's text, secrets and claims. */
import * as pulumi from "@pulumi/pulumi";
import { type Claim, claim } from "./claims.ts";
import { suspendStackCapture, withStackTrace } from "./stack-capture.ts";

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

export interface Definition {
  readonly type: string;
  readonly provider: ProviderExport;
  /** Outputs that are no inputs; Pulumi makes an Output only of a key that is there. */
  readonly outputs: readonly string[];
  readonly secretOutputs: readonly string[];
  readonly claims: readonly Claim[];
}

/** The base of the resource classes. The state keeps the provider's text, so it is one constant line a resource. */
export abstract class BaseResource extends pulumi.CustomResource {
  protected constructor(
    definition: Definition,
    name: string,
    inputs: object,
    options: pulumi.CustomResourceOptions | undefined,
  ) {
    const absent = Object.fromEntries(definition.outputs.map((key) => [key, undefined]));
    const props: pulumi.Inputs = {
      ...absent,
      ...withSecretCredentials(inputs),
      __provider: `exports.handler=()=>require("orgseat/provider").${definition.provider}`,
    };
    for (const one of definition.claims) claim(definition.type, name, props, one);
    const { credentials } = props;
    const secrets = credentials === undefined || credentials === null ? [] : ["credentials"];
    const merged = pulumi.mergeOptions(options, {
      additionalSecretOutputs: [...secrets, ...definition.secretOutputs],
    });
    const resumeStackCapture = suspendStackCapture();
    try {
      super(`pulumi-nodejs:orgseat:${definition.type}`, name, props, merged);
    } catch (error) {
      throw withStackTrace(error, resumeStackCapture, new.target);
    } finally {
      resumeStackCapture();
    }
  }
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
