/**
 * Removes secrets from the messages of a run. A module of a roster, a custom program, or the provider of a store can put
 * the value of a token into an error. Each value that reaches them is in the state first, so the state has what to remove.
 */
import { Redactor } from "../../../provider/api/client/redact.ts";
import type { Deployment, StackOutcome, StackRun } from "./engine.ts";

/** Pulumi's mark of a secret in a state, whether encrypted or shown. */
const SECRET_KEY = "4dabf18193072939515e22adb298388d";

export function isSecret(value: unknown): value is object {
  return typeof value === "object" && value !== null && SECRET_KEY in value;
}

/** The secrets of a state with shown values. */
export function secretsIn(deployment: Deployment): Redactor {
  const redactor = new Redactor();
  for (const secret of found(deployment, isSecret)) {
    if (!("plaintext" in secret) || typeof secret.plaintext !== "string") continue;
    for (const value of found(JSON.parse(secret.plaintext), isText)) redactor.add(value);
  }
  return redactor;
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
  const hasModule = program.kind === "module" || program.roster.deliver !== undefined;
  return hasModule || steps.some(({ type }) => type === "Delivered");
}

export function hasTexts({ diagnostics, undelivered, failure }: StackOutcome): boolean {
  return diagnostics.length > 0 || undelivered.length > 0 || failure?.code === "failed";
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
