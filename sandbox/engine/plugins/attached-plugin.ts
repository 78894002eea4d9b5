/** A plugin that runs already, for example in a debugger: `PULUMI_DEBUG_PROVIDERS=<package>:<port>,...`. */
import { UserError } from "../errors.ts";
import { portOf, type RunningPlugin } from "./plugin-process.ts";

const variable = "PULUMI_DEBUG_PROVIDERS";

/** The engine does not end it. */
class AttachedPlugin implements RunningPlugin {
  readonly path: string;
  readonly port: Promise<number>;
  readonly exited = new Promise<string>(() => {});
  readonly prematureEnd = undefined;
  readonly lastOutput = "";

  constructor(packageName: string, port: number) {
    this.path = `${packageName} (attached to by ${variable})`;
    this.port = Promise.resolve(port);
  }

  async stop(): Promise<void> {}

  kill(): void {}
}

/** The plugin of the package, if the environment names one. */
export function attachedPlugin(env: NodeJS.ProcessEnv, packageName: string): AttachedPlugin | undefined {
  for (const entry of (env[variable] ?? "").split(",")) {
    const [name = "", text = ""] = entry.split(":");
    if (name !== packageName) continue;
    const port = portOf(text);
    if (port !== undefined) return new AttachedPlugin(packageName, port);
    throw new UserError(`${variable} has to name the port of "${packageName}" by a number, not by "${text}"`);
  }
  return undefined;
}
