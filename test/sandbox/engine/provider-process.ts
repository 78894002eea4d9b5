/** Pulumi's process of dynamic providers, started by a test that has several commands attach to it. */
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { compileCache, nodeOptions } from "../../setup/quick-node.ts";

const script = createRequire(import.meta.url).resolve("@pulumi/pulumi/cmd/dynamic-provider/index.js");

export interface ProviderProcess {
  /** Leads an engine to it. */
  readonly variables: Readonly<Record<string, string>>;
  stop(): void;
}

/** Starts one in the folder of a program. */
export async function startProvider(folder: string): Promise<ProviderProcess> {
  const env = { ...process.env, NODE_COMPILE_CACHE: compileCache, NODE_OPTIONS: nodeOptions };
  // In the place of an engine's address, which differs from command to command.
  const child = spawn(process.execPath, [script, "none"], {
    cwd: folder,
    env,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const port = await new Promise<string>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`the provider process ended with ${code}`)));
    createInterface({ input: child.stdout }).once("line", resolve);
  });
  return {
    variables: { PULUMI_DEBUG_PROVIDERS: `pulumi-nodejs:${port}` },
    stop: () => child.kill("SIGKILL"),
  };
}
