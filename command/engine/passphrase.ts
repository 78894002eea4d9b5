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
  if (!(await takesPassphrase(encryption, deployment))) return;
  refuseIfEmpty(`${deployment === undefined ? "create" : "open"} stack ${stack}`, environment);
}

/** @throws CodedError if the passphrase that Pulumi takes is empty */
export function refuseIfEmpty(cannot: string, environment: NodeJS.ProcessEnv): void {
  const empty = emptyPassphrase(environment);
  if (empty === undefined) return;
  throw new CodedError("empty-passphrase", `cannot ${cannot}: ${empty.text}. To go on, ${empty.next}`);
}

/** The state names its secrets provider. Without a name, it is the one for new stacks. */
async function takesPassphrase(
  { secretsProvider = "default", backend }: Encryption,
  deployment: Deployment | undefined,
): Promise<boolean> {
  const providers = propertyOf(propertyOf(deployment, "deployment"), "secrets_providers");
  const name = propertyOf(providers, "type") ?? secretsProvider;
  return name === "default" ? !isPulumiCloud(await backend()) : name === "passphrase";
}
