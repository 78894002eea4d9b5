/** What programs may ask for and this stand-in does not have: each is refused by its name, with the way out. */

import { UserError } from "./errors.ts";

export function refusal(what: string, instead = "use the real Pulumi CLI for this program"): UserError {
  return new UserError(`this stand-in for the Pulumi CLI does not have ${what}: ${instead}`);
}

/** Refuses configuration that would change what the engine does, were it known here. */
export function refuseConfig(config: ReadonlyMap<string, unknown>): void {
  const key = "pulumi:autonaming";
  if (config.has(key)) {
    throw refusal(
      `the configuration ${key}`,
      `remove it (pulumi config rm ${key}), or use the real Pulumi CLI`,
    );
  }
}

/** What the SDK finds missing it blames on the age of the CLI: an update of the stand-in is no way out. */
const missing = /The Pulumi CLI does not support (?:the )?([\w ]+?)\. Please update the Pulumi CLI\.?/;

const names: Record<string, string | undefined> = {
  parameterization: "parameterized packages",
};

/** The SDK's own message about a feature that is missing here, in words that fit. Undefined: it is about nothing of the kind. */
export function refusalOf(message: string): string | undefined {
  const [sentence, feature] = missing.exec(message) ?? [];
  if (sentence === undefined || feature === undefined) return undefined;
  return message.replace(sentence, refusal(names[feature] ?? feature).message);
}
