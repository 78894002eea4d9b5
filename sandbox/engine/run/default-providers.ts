/** Default providers: one per package and version, registered on first use. */
import type { ConfigValue } from "../backend/config.ts";
import type { DeploymentRun } from "../deployment/run.ts";
import { plainGoal } from "../steps/goal.ts";
import { referenceTo } from "../steps/new-state.ts";
import { dynamicPackage, providerTypeOf } from "../urn.ts";
import { type PropertyMap, Secret } from "../values.ts";

export class DefaultProviders {
  readonly #run: Pick<DeploymentRun, "register">;
  readonly #config: ReadonlyMap<string, ConfigValue>;
  readonly #references = new Map<string, Promise<string>>();

  constructor(run: Pick<DeploymentRun, "register">, config: ReadonlyMap<string, ConfigValue>) {
    this.#run = run;
    this.#config = config;
  }

  /** The reference of the provider. */
  reference(packageName: string, version: string): Promise<string> {
    const key = `${packageName}@${version}`;
    const known = this.#references.get(key) ?? this.#register(packageName, version);
    this.#references.set(key, known);
    return known;
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

/** The inputs by which a provider resource names the version of its plugin. */
export function versionInputs(version: string): PropertyMap {
  return { __internal: {}, version };
}

/** The configuration in the package's namespace. Dynamic providers get all of it, with namespaces. */
function packageConfig(config: ReadonlyMap<string, ConfigValue>, packageName: string): PropertyMap {
  const inputs: PropertyMap = {};
  for (const [key, { value, secret }] of config) {
    const [namespace, name = ""] = key.split(":");
    if (packageName !== dynamicPackage && namespace !== packageName) continue;
    inputs[packageName === dynamicPackage ? key : name] = secret ? new Secret(value) : value;
  }
  return inputs;
}
