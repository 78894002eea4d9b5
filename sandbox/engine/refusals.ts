/** Errors about features that programs can use with the Pulumi CLI only. */

import { UserError } from "./errors.ts";

export function unsupportedError(
  what: string,
  instead = "use the real Pulumi CLI for this program",
): UserError {
  return new UserError(`this emulator for the Pulumi CLI does not have ${what}: ${instead}`);
}

/** Refuses configuration of engine features that the emulator does not have. */
export function refuseConfig(config: ReadonlyMap<string, unknown>): void {
  for (const key of ["pulumi:autonaming", "pulumi:disable-default-providers"]) {
    if (!config.has(key)) continue;
    throw unsupportedError(
      `the configuration ${key}`,
      `run \`pulumi config rm ${key}\`, or use the Pulumi CLI`,
    );
  }
}

/** The SDK's message about a missing feature. Its advice, to update the CLI, does not help with the emulator. */
const missing = /The Pulumi CLI does not support (?:the )?([\w ]+?)\. Please update the Pulumi CLI\.?/;

const names: Record<string, string | undefined> = {
  parameterization: "parameterized packages",
};

/** The SDK's message about a missing feature with the emulator's advice; undefined for any other message. */
export function refusalOf(message: string): string | undefined {
  const [sentence, feature] = missing.exec(message) ?? [];
  if (sentence === undefined || feature === undefined) return undefined;
  return message.replace(sentence, unsupportedError(names[feature] ?? feature).message);
}
