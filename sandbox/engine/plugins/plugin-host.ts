/** Starts the plugins of a run and ends them. */

import { entryPoint, type Project } from "../backend/project.ts";
import type { EventBus } from "../events.ts";
import { dynamicPackage } from "../urn.ts";
import { Plugin } from "./plugin.ts";
import { attachedPlugin, PluginProcess, type ProcessOptions, type RunningPlugin } from "./plugin-process.ts";
import { type ConfigTexts, findPlugin } from "./plugins.ts";

interface PluginHostOptions {
  project: Project;
  env: NodeJS.ProcessEnv;
  engineAddress: string;
  events: EventBus;
}

export class PluginHost {
  readonly #options: PluginHostOptions;
  readonly #process: ProcessOptions;
  readonly #processes: RunningPlugin[] = [];
  readonly #loaded = new Set<Plugin>();
  #warm: RunningPlugin | undefined;
  #config: ConfigTexts = new Map();
  #over = false;

  constructor(options: PluginHostOptions) {
    const { project, engineAddress, events } = options;
    this.#options = options;
    this.#process = {
      folder: entryPoint(project).folder,
      engineAddress,
      onOutput: (line, stream) => events.diagnose(stream === "stderr" ? "info#err" : "info", "", line),
    };
  }

  /** Plugins that start from now on get this configuration in their environment. */
  set config(config: ConfigTexts) {
    this.#config = config;
  }

  /** Starts the process of dynamic providers before it is needed, at the same time as the program. */
  warmUp(): void {
    try {
      this.#warm = this.#start(dynamicPackage, undefined);
    } catch {
      // The first use reports the error.
    }
  }

  #start(packageName: string, version: string | undefined): RunningPlugin {
    if (this.#over) throw new Error("the plugins of this run are being ended");
    const { project, env } = this.#options;
    const attached = attachedPlugin(env, packageName);
    if (attached) return attached;
    const plugin = findPlugin(project, env, packageName, version, this.#config);
    const process = new PluginProcess(plugin, this.#process);
    this.#processes.push(process);
    return process;
  }

  #takeWarm(packageName: string): RunningPlugin | undefined {
    if (packageName !== dynamicPackage) return undefined;
    const warm = this.#warm;
    this.#warm = undefined;
    // The process started before the configuration was known.
    const fits = ![...this.#config.keys()].some((key) => key.startsWith(`${dynamicPackage}:`));
    if (!fits) warm?.kill();
    return fits ? warm : undefined;
  }

  async load(packageName: string, version: string | undefined): Promise<Plugin> {
    const process = this.#takeWarm(packageName) ?? this.#start(packageName, version);
    const plugin = await Plugin.connect(process, this.#process);
    this.#loaded.add(plugin);
    if (version !== undefined && isOlder(plugin.version, version)) {
      this.#options.events.warn(
        "",
        `resource plugin ${packageName} is expected to have version >=${version}, but has ${plugin.version}; ` +
          "the wrong version may be on your path, or this may be a bug in the plugin",
      );
    }
    return plugin;
  }

  /** Ends one plugin before the others. */
  async unload(plugin: Plugin): Promise<void> {
    if (!this.#loaded.delete(plugin)) return;
    const message = await plugin.close();
    if (message !== undefined) this.#options.events.error("", message);
  }

  /** Asks the plugins to cancel their work. */
  async cancel(): Promise<void> {
    await Promise.all([...this.#loaded].map((plugin) => plugin.cancel()));
  }

  /** Asks the plugins to end, then kills the rest. */
  async stop(): Promise<void> {
    this.#over = true;
    await Promise.all([...this.#loaded].map((plugin) => this.unload(plugin)));
    this.kill();
  }

  /** Kills the plugins, including those that have not printed their port yet. */
  kill(): void {
    this.#over = true;
    for (const process of this.#processes) process.kill();
  }
}

/** Whether a plugin's version is lower than the wanted one. */
function isOlder(version: string, wanted: string): boolean {
  const parts = (text: string) => (/^v?(\d+)\.(\d+)\.(\d+)/.exec(text) ?? []).slice(1).map(Number);
  const [has, wants] = [parts(version), parts(wanted)];
  if (has.length === 0) return true;
  const differing = wants.findIndex((part, index) => part !== has[index]);
  return differing >= 0 && (has[differing] ?? 0) < (wants[differing] ?? 0);
}
