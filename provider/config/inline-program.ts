/**
 * A lookup of an inline program runs in the process that uses the Automation API; the provider of its resources is started by the CLI, which
 * alone gets the workspace's `envVars`. So the environment that the lookup sees can be that of another organization.
 */
import { areaOfKey, areas, environmentName, keysOf } from "./setting-groups.ts";
import type { Environment } from "./setting-values.ts";

/** Where an inline program has settings for lookups. @param names of the keys, or `them` */
export function inlineRemedy(names: string): string {
  return `In an inline program, set ${names} in the stack's configuration (\`stack.setAllConfig\`, with \`secret: true\` for secrets), or in the options of the lookup, which doesn't see the workspace's \`envVars\``;
}

/**
 * Why the environment can be that of another organization; undefined if it has no needed value, or is the only source. Values
 * can be secrets, so it names only keys.
 * @param config a value of the stack's configuration by its full key
 * @param needed the keys whose values the lookup needs
 * @param stacks those whose inline programs have looked up something in this process
 */
export function inlineMixture(
  config: (key: string) => string | undefined,
  environment: Environment,
  needed: readonly string[],
  stacks: readonly string[],
): string | undefined {
  const isConfigured = (key: string) => Boolean(config(nameOf(key)));
  // The environment wins for an address and a credential, as it does for resources.
  const taken = needed.filter((key) => {
    const value = environment[environmentName(key)];
    return value && (isConfigured(key) ? areaOfKey(key) && value !== config(nameOf(key)) : true);
  });
  const identifying = ["organizationId", ...areas.flatMap(keysOf)].filter((key) => identifies(key, needed));
  const configured = identifying.filter(isConfigured).map(nameOf);
  const isShared = stacks.length > 1;
  if (taken.length === 0 || (configured.length === 0 && !isShared)) return undefined;
  const variables = taken.map(environmentName).join(", ");
  const absent = taken.filter((key) => !isConfigured(key)).map(nameOf);
  const reason =
    configured.length > 0
      ? `the stack's configuration has ${configured.join(", ")}`
      : `this process runs the programs of ${stacks.length} stacks (${stacks.join(", ")})`;
  return [
    `${reason}, but the environment of this process sets ${variables}, which can be of another organization. Remove these variables from it`,
    ...(absent.length > 0 ? [inlineRemedy(absent.join(", "))] : []),
    ...(isShared
      ? []
      : [`If the environment is right, set everything there, and remove ${configured.join(", ")}`]),
  ].join(". ");
}

/** Whether a key of the configuration says which organization, or which model area, a lookup is about. */
function identifies(key: string, needed: readonly string[]): boolean {
  return key === "organizationId" || areaOfKey(key) === "organization" || needed.includes(key);
}

function nameOf(key: string): string {
  return `orgseat:${key}`;
}
