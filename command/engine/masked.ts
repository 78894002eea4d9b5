/** Removes secrets from the messages of a run: those of the environment and of the states that the command has read. */
import type { Redactor } from "../../provider/api/client/redact.ts";
import { SIGNATURE } from "../../provider/util/json.ts";
import type { Deployment, StackOutcome } from "./engine.ts";

export function isSecret(value: unknown): value is object {
  return typeof value === "object" && value !== null && SIGNATURE in value;
}

/** Adds the secrets of a state with shown values. */
export function addSecretsOfState(redactor: Redactor, deployment: Deployment): void {
  for (const secret of found(deployment, isSecret)) {
    if (!("plaintext" in secret) || typeof secret.plaintext !== "string") continue;
    for (const value of found(JSON.parse(secret.plaintext), isText)) redactor.add(value);
  }
}

/** Variables that have a secret by their name: those of orgseat, of Pulumi, and of other services. */
const SECRET_NAME = /(?:SECRET|PASSWORD|PASSPHRASE|TOKEN|_KEY)$/i;

/** Adds the secrets of an environment: of variables whose name says so, and the passwords of addresses. */
export function addSecretsOfEnvironment(redactor: Redactor, environment: NodeJS.ProcessEnv): void {
  for (const [name, value = ""] of Object.entries(environment)) {
    if (SECRET_NAME.test(name)) for (const text of [value, ...value.split(/\r?\n/)]) redactor.add(text);
    redactor.add(/^[a-z][\w+.-]*:\/\/[^/@:]*:([^/@]+)@/i.exec(value)?.[1]);
  }
}

function* found<Found>(value: unknown, isWanted: (value: unknown) => value is Found): Generator<Found> {
  if (isWanted(value)) yield value;
  else if (typeof value === "object" && value !== null)
    for (const part of Object.values(value)) yield* found(part, isWanted);
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

/** @param mask rewrites a text */
export function withTexts(outcome: StackOutcome, mask: (text: string) => string): StackOutcome {
  const masked = <Item extends { readonly text: string }>(item: Item): Item => ({
    ...item,
    text: mask(item.text),
  });
  const { diagnostics, failure } = outcome;
  return {
    ...outcome,
    diagnostics: diagnostics.map(masked),
    failure: failure && masked(failure),
  };
}
