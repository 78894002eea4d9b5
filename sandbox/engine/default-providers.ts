/** The providers that serve resources which name none: one a package and version, registered when first needed. */
import type { ConfigValue } from "./config.ts";
import type { Run } from "./deployment/run.ts";
import { UserError } from "./errors.ts";
import { plainGoal } from "./steps/goal.ts";
import { referenceTo } from "./steps/new-state.ts";
import { dynamicPackage, providerTypeOf } from "./urn.ts";
import { type PropertyMap, Secret } from "./values.ts";

const disabledKey = "pulumi:disable-default-providers";

export class DefaultProviders {
  readonly #run: Pick<Run, "register">;
  readonly #config: ReadonlyMap<string, ConfigValue>;
  readonly #references = new Map<string, Promise<string>>();

  constructor(run: Pick<Run, "register">, config: ReadonlyMap<string, ConfigValue>) {
    this.#run = run;
    this.#config = config;
  }

  /** The reference of the provider; `user` is what needs it, for messages. */
  reference(packageName: string, version: string, user: string): Promise<string> {
    this.#refuseDisabled(packageName, user);
    const key = `${packageName}@${version}`;
    const known = this.#references.get(key) ?? this.#register(packageName, version);
    this.#references.set(key, known);
    return known;
  }

  #refuseDisabled(packageName: string, user: string): void {
    const disabled: unknown = JSON.parse(this.#config.get(disabledKey)?.value || "[]");
    if (!Array.isArray(disabled) || !disabled.some((name) => name === "*" || name === packageName)) return;
    throw new UserError(
      `Default provider for '${packageName}' disabled. '${user}' must use an explicit provider.`,
    );
  }

  async #register(packageName: string, version: string): Promise<string> {
    const goal = plainGoal({
      type: providerTypeOf(packageName),
      name: version === "" ? "default" : `default_${version.replace(/[^A-Za-z0-9]+/g, "_")}`,
      custom: true,
      properties: {
        ...packageConfig(this.#config, packageName),
        ...(version !== "" && versionInputs(version)),
      },
    });
    return referenceTo((await this.#run.register(goal)).state);
  }
}

/** The version of its plugin, as a provider resource states it. */
export function versionInputs(version: string): PropertyMap {
  return { __internal: {}, version };
}

/** The configuration of a package's own namespace; dynamic providers get all there is, with its namespaces. */
function packageConfig(config: ReadonlyMap<string, ConfigValue>, packageName: string): PropertyMap {
  const inputs: PropertyMap = {};
  for (const [key, { value, secret }] of config) {
    const [namespace, name = ""] = key.split(":");
    if (packageName !== dynamicPackage && namespace !== packageName) continue;
    inputs[packageName === dynamicPackage ? key : name] = secret ? new Secret(value) : value;
  }
  return inputs;
}
