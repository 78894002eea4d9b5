/** What all resource classes share: the registration, secrets and claims. */
import * as pulumi from "@pulumi/pulumi";
import { type Claim, claim } from "./claims.ts";
import { type ResourceKind, registrationOf } from "./registration.ts";
import { suspendStackCapture, withStackTrace } from "./stack-capture.ts";

export interface Definition extends ResourceKind {
  /** Outputs that are no inputs; Pulumi makes an Output only of a key that is there. */
  readonly outputs: readonly string[];
  readonly secretOutputs: readonly string[];
  readonly claims: readonly Claim[];
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
    const registration = registrationOf(definition);
    const absent = Object.fromEntries(definition.outputs.map((key) => [key, undefined]));
    const props: pulumi.Inputs = {
      ...absent,
      ...withSecretCredentials(inputs),
      ...registration.props,
    };
    for (const one of definition.claims) claim(definition.type, name, props, one);
    const { credentials } = props;
    const secrets = credentials === undefined || credentials === null ? [] : ["credentials"];
    const merged = pulumi.mergeOptions(options, {
      ...registration.options,
      additionalSecretOutputs: [...secrets, ...definition.secretOutputs],
    });
    const resumeStackCapture = suspendStackCapture();
    try {
      super(registration.token, name, props, merged);
    } catch (error) {
      throw withStackTrace(error, resumeStackCapture, new.target);
    } finally {
      resumeStackCapture();
    }
  }
}

/** The engine would replace without asking the provider, and the replacement removes a person, a seat or a token. */
function refuseReplaceOnChanges(
  { type }: Definition,
  name: string,
  options: pulumi.CustomResourceOptions | undefined,
): void {
  if (!options?.replaceOnChanges?.length) return;
  throw new pulumi.RunError(
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
