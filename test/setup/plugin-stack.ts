/** Stacks whose program has resources of the packaged plugin, by the text that makes dynamic resources. */
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { packageRoot } from "../../sandbox/pulumi/package-root.ts";
import { nodeOptions } from "./quick-node.ts";
import type { TestStack } from "./stack.ts";

const preload = fileURLToPath(new URL("plugin-types.cjs", import.meta.url));

/** From now on the program has resources of the plugin. */
export function usePlugin(stack: TestStack): void {
  stack.environment.NODE_OPTIONS = `${nodeOptions} ${JSON.stringify(`--require=${preload}`)}`;
  const plugin = { name: "orgseat", path: join(packageRoot, "plugin") };
  appendFileSync(join(stack.folder, "Pulumi.yaml"), `plugins: ${JSON.stringify({ providers: [plugin] })}\n`);
}
