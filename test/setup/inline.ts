/** Programs that run inline, as with the Automation API: another process has them ready, and the engine asks it. */
import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { compileCache, noClosures } from "./quick-node.ts";

export const hostRequestSchema = z.object({
  folder: z.string(),
  environment: z.record(z.string(), z.string()),
});
const hostedAtSchema = z.object({ address: z.string() });
export type HostedAt = z.output<typeof hostedAtSchema>;

/** Those of this process, one for each set of Node's options; they end with it. */
const hosts = new Map<string, ChildProcess>();
let busy = false;

/**
 * Runs an engine with the program of a project at hand, one at a time: where programs of one process run side by side,
 * Pulumi takes what goes wrong in one for a failure of all.
 * @param environment of the engine; its `ORGSEAT_*` and `NODE_OPTIONS` are the program's too
 * @param run gets the engine's options for that
 */
export async function withInlineProgram<Result extends { readonly code: number }>(
  folder: string,
  environment: Readonly<Record<string, string>>,
  run: (options: readonly string[]) => Promise<Result>,
): Promise<Result> {
  if (busy) throw new Error("an inline program is running: give one of the two stacks a process of its own");
  busy = true;
  try {
    const options = environment.NODE_OPTIONS ?? "";
    const host = hosts.get(options) ?? startHost(options);
    const address = await addressAt(host, folder, environment);
    const result = await run([`--client=${address}`, "--exec-kind", "auto.inline"]);
    // Pulumi's library counts what failed in a process among the failures of the next program there.
    if (result.code !== 0) end(options, host);
    return result;
  } finally {
    busy = false;
  }
}

/** Where the host serves the program of a folder. */
function addressAt(
  host: ChildProcess,
  folder: string,
  environment: Readonly<Record<string, string>>,
): Promise<string> {
  const own = Object.entries(environment).filter(([name]) => name.startsWith("ORGSEAT_"));
  return new Promise((resolve, reject) => {
    const hear = (message: unknown): void => {
      host.off("exit", fail);
      resolve(hostedAtSchema.parse(message).address);
    };
    const fail = (): void => {
      host.off("message", hear);
      reject(new Error("the process of the inline programs has ended"));
    };
    host.once("message", hear).once("exit", fail);
    host.send({ folder, environment: Object.fromEntries(own) });
  });
}

function end(options: string, host: ChildProcess): void {
  hosts.delete(options);
  host.kill();
}

function startHost(options: string): ChildProcess {
  const outside = Object.entries(process.env).filter(([name]) => !/^(ORGSEAT|PULUMI)_/i.test(name));
  const started = fork(fileURLToPath(new URL("inline-host.ts", import.meta.url)), {
    env: { ...Object.fromEntries(outside), NODE_COMPILE_CACHE: compileCache, NODE_OPTIONS: options },
    execArgv: [noClosures, "--stack-trace-limit=0"],
  });
  started.unref();
  started.channel?.unref();
  started.once("exit", () => hosts.get(options) === started && hosts.delete(options));
  hosts.set(options, started);
  return started;
}
