/** Refuses a passphrase that is empty, before Pulumi creates or opens a stack with it. */
import { CodedError } from "../../provider/util/error-codes.ts";
import { propertyOf } from "../../provider/util/json.ts";
import { emptyPassphrase, isPulumiCloud } from "../../provider/util/pulumi-command.ts";
import type { Deployment } from "./engine.ts";

/** What decides how Pulumi encrypts a state. */
export interface Encryption {
  readonly environment: NodeJS.ProcessEnv;
  /** For new stacks. Default: that of the backend. */
  readonly secretsProvider: string | undefined;
  /** Finds the address of the backend. */
  readonly backend: () => Promise<string>;
}

/**
 * For an empty passphrase. A state that is only read stays encrypted: that needs no passphrase.
 * @param exported reads the state of the stack; undefined for a stack that does not exist
 * @throws CodedError if the secrets provider of the stack takes a passphrase, and that is empty
 */
export async function refuseEmptyPassphrase(
  stack: string,
  encryption: Encryption,
  exported?: () => Promise<Deployment | undefined>,
): Promise<void> {
  const { environment } = encryption;
  const deployment = await exported?.();
  const provider = providerIn(deployment) ?? encryption.secretsProvider ?? "default";
  if (!takesPassphrase(provider, provider === "default" ? await encryption.backend() : "")) return;
  refuseIfEmpty(`${deployment === undefined ? "create" : "open"} stack ${stack}`, environment);
}

/** @throws CodedError if the passphrase that Pulumi takes is empty */
export function refuseIfEmpty(cannot: string, environment: NodeJS.ProcessEnv): void {
  const empty = emptyPassphrase(environment);
  if (empty === undefined) return;
  throw new CodedError("empty-passphrase", `cannot ${cannot}: ${empty.text}. To go on, ${empty.next}`);
}

/** The state names its secrets provider; undefined without a name: then it is the one for new stacks. */
function providerIn(deployment: Deployment | undefined): unknown {
  return propertyOf(propertyOf(propertyOf(deployment, "deployment"), "secrets_providers"), "type");
}

/** @param provider `default` is that of the backend */
export function takesPassphrase(provider: unknown, backend: string): boolean {
  return provider === "default" ? !isPulumiCloud(backend) : provider === "passphrase";
}
