/**
 * Removes secrets from the messages of a run. A module of a roster or the provider of a store can put
 * a credential of the environment or the value of a token into an error. Each token that reaches them is in the state first, so
 * environment and state have what to remove.
 */
import type { Redactor } from "../../provider/api/client/redact.ts";
import { SIGNATURE } from "../../provider/util/json.ts";
import type { Deployment, StackOutcome, StackRun } from "./engine.ts";

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

/** Variables that have a secret by their name: those of orgseat, of Pulumi, and of the services that modules and stores use. */
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

/** Whether code other than orgseat's and Pulumi's runs: it gets the values of tokens. */
export function runsOtherCode({ program }: StackRun, { steps }: StackOutcome): boolean {
  return program.roster.deliver !== undefined || steps.some(({ type }) => type === "Delivered");
}

export function hasTexts({ diagnostics, undelivered, failure }: StackOutcome): boolean {
  return (
    diagnostics.length > 0 ||
    undelivered.length > 0 ||
    (failure !== undefined && failure.code !== "cancelled" && failure.code !== "stack-locked")
  );
}

/** @param mask rewrites a text */
export function withTexts(outcome: StackOutcome, mask: (text: string) => string): StackOutcome {
  const masked = <Item extends { readonly text: string }>(item: Item): Item => ({
    ...item,
    text: mask(item.text),
  });
  const { diagnostics, undelivered, failure } = outcome;
  return {
    ...outcome,
    diagnostics: diagnostics.map(masked),
    undelivered: undelivered.map(masked),
    failure: failure && masked(failure),
  };
}
