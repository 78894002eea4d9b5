/** Public names that have changed: for one release, each is an error that says the new name. */
import type { Environment } from "./setting-values.ts";

/** Variables, configuration keys, flags, and endings of files, by their former name. */
const newNames: Readonly<Record<string, string>> = {
  ORGSEAT_AUDIT: "ORGSEAT_AUDIT_LOG",
  ORGSEAT_CREATIONS: "ORGSEAT_WORK_DIR",
  ORGSEAT_DIALECT: "ORGSEAT_PLATFORM",
  ORGSEAT_MEMBERS: "ORGSEAT_MEMBERS_FILE",
  ORGSEAT_NAMES: "ORGSEAT_NAMES_FILE",
  ORGSEAT_PULUMI: "ORGSEAT_PULUMI_PATH",
  ORGSEAT_RUN: "ORGSEAT_RUN_ID",
  "orgseat:dialect": "orgseat:platform",
  "--allow-removals": "--approve",
  "--managed": "--machine-users",
  "--protect": "--never-remove",
  ".leavers.csv": ".offboarded.csv",
};

/** The new name of a former one; undefined for every other name. */
export function newNameOf(name: string): string | undefined {
  return Object.hasOwn(newNames, name) ? newNames[name] : undefined;
}

/** The former names of a name. */
export function formerNamesOf(name: string): string[] {
  return Object.keys(newNames).filter((former) => newNames[former] === name);
}

/** One sentence for each former name with a value. @param config a value of the stack's configuration by its full key */
export function formerNameIssues(
  config: (key: string) => string | undefined,
  environment: Environment,
): string[] {
  return Object.entries(newNames)
    .filter(([name]) => Boolean(config(name)) || Boolean(environment[name]))
    .map(([name, newName]) => `${name} is now ${newName}: rename it`);
}

/** @throws if the environment has a former name: the command would otherwise run without its value */
export function refuseFormerNames(environment: Environment): void {
  const issues = formerNameIssues(() => undefined, environment);
  if (issues.length > 0) throw new Error(`invalid environment: ${issues.join("; ")}`);
}
