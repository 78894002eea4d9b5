import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { packageRoot } from "../../sandbox/pulumi/package-root.ts";
import { oncePerRun } from "./once.ts";
import { compileCache } from "./quick-node.ts";

/** Loads what a provider process loads; the address stands for the engine's. */
const LOAD_PROVIDER = `process.argv = ["", "", "127.0.0.1:9"];
require("@pulumi/pulumi/cmd/dynamic-provider/index.js");
require("orgseat/provider");
setImmediate(() => process.exit());
`;

/**
 * Has the provider process compiled. Node keeps what it compiled when a process ends by itself, and engines kill their
 * providers: without this each would compile everything again. Where sources are broken on purpose nothing is built, and
 * Pulumi's part would go on for ever without it.
 */
export async function compileProvider(): Promise<void> {
  if (!existsSync(join(packageRoot, "dist/provider/index.js"))) return;
  await oncePerRun("provider-compiled", async () => {
    const env = { ...process.env, NODE_COMPILE_CACHE: compileCache };
    await promisify(execFile)(process.execPath, ["-e", LOAD_PROVIDER], { cwd: packageRoot, env });
  });
}
