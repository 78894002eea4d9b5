/** Finds the plugin of a package: Pulumi's own for dynamic providers, otherwise the one that Pulumi.yaml names. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { entryPoint, type Project, runtimeSchema } from "../backend/project.ts";
import { UserError } from "../errors.ts";
import { nodeArguments, resolveRunner, runtimeEnvironment, typescriptEnvironment } from "../run/program.ts";
import { dynamicPackage } from "../urn.ts";
import type { ProjectPlugin } from "./packages.ts";
import type { PluginCommand } from "./plugin-process.ts";

/** The configuration of a run as plugins get it: text by `<namespace>:<name>`. */
export type ConfigTexts = ReadonlyMap<string, string>;

/** @throws UserError if a plugin that Pulumi.yaml names does not exist */
export function checkPlugins({ plugins, file }: Project): void {
  for (const { name, folder, version, under } of plugins) {
    const problem = `${file} names a plugin for "${name}" under ${under}, but`;
    if (!existsSync(folder)) throw new UserError(`${problem} there is no folder ${folder}: correct its path`);
    if (!statSync(folder).isDirectory()) {
      throw new UserError(
        `${problem} ${folder} is not a folder: its path must name the folder of the plugin`,
      );
    }
    const same = plugins.filter((other) => other.name === name && other.version === version);
    if (version !== undefined && same.length > 1) {
      throw new UserError(`${file} names the plugin "${name}" ${version} twice under plugins.providers`);
    }
  }
}

/** The command that starts the plugin of a package. @param version undefined for any version */
export function findPlugin(
  project: Project,
  env: NodeJS.ProcessEnv,
  packageName: string,
  version: string | undefined,
  config: ConfigTexts,
): PluginCommand {
  const common = { packageName, env: pluginEnvironment(project, env, packageName, config) };
  if (packageName === dynamicPackage) {
    const path = resolveRunner(entryPoint(project).folder, "dynamic-provider");
    return { ...common, path, command: "node", args: [path], shown: true };
  }
  const plugin = project.plugins.find(
    (one) => one.name === packageName && (version === undefined || (one.version ?? version) === version),
  );
  if (!plugin) throw new UserError(unknownPlugin(project, packageName, version));
  return { ...common, ...pluginCommand(plugin, common.env), shown: false };
}

function pluginEnvironment(
  project: Project,
  env: NodeJS.ProcessEnv,
  packageName: string,
  config: ConfigTexts,
): NodeJS.ProcessEnv {
  const own = [...config].filter(([key]) => key.startsWith(`${packageName}:`));
  const named = own.map(([key, value]) => [key.slice(packageName.length + 1), value]);
  return {
    ...env,
    ...runtimeEnvironment(project),
    ...(packageName === dynamicPackage && { PULUMI_NODEJS_PROJECT: project.name }),
    PULUMI_PROJECT: project.name,
    PULUMI_CONFIG: JSON.stringify(Object.fromEntries(named)),
  };
}

function unknownPlugin(
  { file, plugins, downloads }: Project,
  packageName: string,
  version: string | undefined,
): string {
  const other = plugins.find(({ name }) => name === packageName);
  if (other) {
    return (
      `the program asks for the plugin "${packageName}" in version ${version}, but ${file} names version ` +
      `${other.version} under plugins.providers: make them the same`
    );
  }
  const source = downloads.get(packageName);
  const problem =
    source === undefined
      ? `there is no plugin for the package "${packageName}"`
      : `${file} names "${source}" for the package "${packageName}", which is no path of a folder`;
  return (
    `${problem}: this emulator for the Pulumi CLI runs dynamic providers and the plugins in folders that Pulumi.yaml ` +
    `names under plugins.providers or packages, none from a registry, Git, the PATH or ~/.pulumi/plugins. Name the ` +
    `folder of pulumi-resource-${packageName} in ${file} (packages: {${packageName}: ./<folder>}), or use the real Pulumi CLI`
  );
}

const pluginProjectSchema = z.looseObject({ runtime: runtimeSchema });

/** The executable with the plugin's name, otherwise the command from the PulumiPlugin.yaml. */
function pluginCommand(
  { name, folder }: ProjectPlugin,
  env: NodeJS.ProcessEnv,
): Pick<PluginCommand, "path" | "command" | "args" | "env"> {
  const path = join(folder, `pulumi-resource-${name}`);
  if (existsSync(path)) return { path, command: path, args: [], env };
  const file = join(folder, "PulumiPlugin.yaml");
  if (!existsSync(file)) {
    throw new UserError(
      `the folder ${folder} holds no plugin for "${name}": put the executable pulumi-resource-${name} there, or ` +
        "a PulumiPlugin.yaml",
    );
  }
  const parsed = pluginProjectSchema.safeParse(parse(readFileSync(file, "utf8")));
  if (!parsed.success) throw new UserError(`${file} is not valid: ${z.prettifyError(parsed.error)}`);
  const { runtime } = parsed.data;
  if (runtime.name !== "nodejs") {
    throw new UserError(
      `this emulator for the Pulumi CLI runs nodejs plugins only, ${file} asks for "${runtime.name}"`,
    );
  }
  return {
    path,
    command: "node",
    args: [resolveRunner(folder, "run-plugin"), ...nodeArguments(runtime), folder],
    env: { ...env, ...typescriptEnvironment(runtime) },
  };
}
