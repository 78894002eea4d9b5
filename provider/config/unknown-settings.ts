/** Finds configuration names that orgseat does not read: mostly misspelled ones. */

import { nearest } from "../util/nearest.ts";
import { environmentName, settingKeys } from "./setting-values.ts";

export interface UnknownSetting {
  /** `orgseat:apikey` or `ORGSEAT_APIKEY`. */
  readonly name: string;
  /** The nearest known name, in the same form; undefined if none is near. */
  readonly meant: string | undefined;
}

const NAMESPACE = "orgseat:";
const PREFIX = "ORGSEAT_";
/** Variables without a configuration key. */
export const runVariables = [
  "ORGSEAT_ALLOW_REMOVALS",
  "ORGSEAT_AUDIT_LOG",
  "ORGSEAT_RUN_ID",
  "ORGSEAT_COMMIT",
  "ORGSEAT_ACTOR",
  "ORGSEAT_APPROVER",
  "ORGSEAT_PULUMI_PATH",
  "ORGSEAT_SECRETS_PROVIDER",
];
/** Variables that only commands of `orgseat` set. */
const COMMANDS = ["ORGSEAT_APPROVED_PLAN", "ORGSEAT_PLAN", "ORGSEAT_RUN_REPORT"];
const VARIABLES = [...settingKeys.map((key) => environmentName(key)), ...runVariables, ...COMMANDS].map(
  (name) => name.slice(PREFIX.length),
);
/** Variables of the tests. */
const TESTS = `${PREFIX}TEST_`;

/** @param configured the full keys of the stack's configuration */
export function unknownSettings(
  configured: Iterable<string>,
  environment: Readonly<Record<string, string | undefined>>,
): UnknownSetting[] {
  const variables = Object.keys(environment).filter((name) => environment[name] && !name.startsWith(TESTS));
  return [...unknownOf(NAMESPACE, settingKeys, configured), ...unknownOf(PREFIX, VARIABLES, variables)];
}

function unknownOf(prefix: string, known: readonly string[], names: Iterable<string>): UnknownSetting[] {
  return [...names].flatMap((name) => {
    const rest = name.slice(prefix.length);
    if (!name.startsWith(prefix) || known.includes(rest)) return [];
    const meant = nearest(rest, known);
    return [{ name, meant: meant === undefined ? undefined : prefix + meant }];
  });
}
