/** The process of a provider plugin: one from its start to its end, or one that runs already. */
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { endWithEngine, signalGroup } from "../child-processes.ts";
import { UserError } from "../errors.ts";

/** The command that starts the plugin of a package. */
export interface PluginCommand {
  packageName: string;
  /** The file or folder in messages. */
  path: string;
  command: string;
  args: string[];
  env: NodeJS.ProcessEnv;
  /** Whether its output is shown line by line: a dynamic provider is the user's own code. */
  shown: boolean;
}

export interface ProcessOptions {
  folder: string;
  engineAddress: string;
  onOutput: (line: string, stream: "stdout" | "stderr") => void;
}

/** A running plugin. */
export interface RunningPlugin {
  /** Its name in messages. */
  readonly path: string;
  readonly port: Promise<number>;
  /** Resolves with how the process ended. */
  readonly exited: Promise<string>;
  /** How the process ended, if it has and the engine did not end it. */
  readonly prematureEnd: string | undefined;
  /** The last lines of its output, for messages. */
  readonly lastOutput: string;
  /** Asks the process to end, and kills it after a time limit. */
  stop(): Promise<void>;
  kill(): void;
}

/** The time limit for a plugin to end. */
const graceMs = 5_000;
/** How many lines of its output an error shows. */
const keptLines = 20;

/** @returns undefined for a text that is not a port */
function portOf(text: string): number | undefined {
  const port = Number(text);
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : undefined;
}

export class PluginProcess implements RunningPlugin {
  readonly path: string;
  readonly port: Promise<number>;
  readonly exited: Promise<string>;
  readonly #child: ChildProcess;
  readonly #onOutput: ProcessOptions["onOutput"];
  readonly #shown: boolean;
  #printed: string[] = [];
  #endRequested = false;
  #premature: string | undefined;

  constructor(plugin: PluginCommand, options: ProcessOptions) {
    this.path = plugin.path;
    this.#onOutput = options.onOutput;
    this.#shown = plugin.shown;
    this.#child = spawn(plugin.command, [...plugin.args, options.engineAddress], {
      cwd: options.folder,
      env: plugin.env,
      stdio: ["ignore", "pipe", "pipe"],
      // So that Ctrl-C reaches only the engine, which lets running calls end.
      detached: true,
    });
    endWithEngine(this.#child);
    this.exited = new Promise((resolve) => {
      this.#child.once("close", (code, signal) => {
        const how = signal ? `signal ${signal}` : `exit code ${code}`;
        if (!this.#endRequested) this.#premature = how;
        resolve(how);
      });
    });
    this.port = this.#readPort();
    // Callers that await the port get the failure; a process without callers may fail silently.
    this.port.catch(() => {});
  }

  get prematureEnd(): string | undefined {
    return this.#premature;
  }

  get lastOutput(): string {
    const lines = this.#printed.filter((line) => line.trim() !== "");
    return lines.length === 0 ? "It printed nothing." : `What it printed last:\n${lines.join("\n")}`;
  }

  /** The first line of the output is the port; the rest is messages. */
  #readPort(): Promise<number> {
    const { stdout, stderr } = this.#child;
    return new Promise((resolve, reject) => {
      if (!stdout || !stderr) throw new Error(`the plugin ${this.path} has no output`);
      let first = true;
      createInterface({ input: stdout }).on("line", (line) => {
        if (!first) return this.#onLine(line, "stdout");
        first = false;
        const port = portOf(line.trim());
        if (port !== undefined) return resolve(port);
        this.kill();
        reject(new Error(this.#invalidPort(line)));
      });
      createInterface({ input: stderr }).on("line", (line) => this.#onLine(line, "stderr"));
      this.#child.once("error", (error) => reject(new Error(this.#notStarted(error))));
      void this.exited.then((how) => reject(new Error(this.#earlyExit(how))));
    });
  }

  #onLine(line: string, stream: "stdout" | "stderr"): void {
    this.#printed = [...this.#printed, line].slice(-keptLines);
    if (this.#shown) this.#onOutput(line, stream);
  }

  #notStarted(error: Error): string {
    const denied = "code" in error && error.code === "EACCES";
    const next = denied ? ` Make it executable: chmod +x ${this.path}` : "";
    return `could not start the plugin ${this.path}: ${error.message}.${next}`;
  }

  #earlyExit(how: string): string {
    if (this.#endRequested) return `the plugin ${this.path} was ended before it printed its port`;
    return `the plugin ${this.path} exited prematurely (${how}), before it printed its port. ${this.lastOutput}`;
  }

  #invalidPort(line: string): string {
    return (
      `the plugin ${this.path} printed ${JSON.stringify(line.slice(0, 200))} where its port was expected: ` +
      "a plugin has to print the port that it listens on as the first line of its standard output"
    );
  }

  async stop(): Promise<void> {
    this.#endRequested = true;
    signalGroup(this.#child, "SIGINT");
    const timer = setTimeout(() => this.kill(), graceMs);
    await this.exited;
    clearTimeout(timer);
  }

  kill(): void {
    this.#endRequested = true;
    signalGroup(this.#child, "SIGKILL");
  }
}

/** `<package>:<port>,...` */
const attachVariable = "PULUMI_DEBUG_PROVIDERS";

/** A plugin that runs already, for example in a debugger. The engine does not end it. */
class AttachedPlugin implements RunningPlugin {
  readonly path: string;
  readonly port: Promise<number>;
  readonly exited = new Promise<string>(() => {});
  readonly prematureEnd = undefined;
  readonly lastOutput = "";

  constructor(packageName: string, port: number) {
    this.path = `${packageName} (attached to by ${attachVariable})`;
    this.port = Promise.resolve(port);
  }

  async stop(): Promise<void> {}

  kill(): void {}
}

/** The plugin of the package, if the environment names one. */
export function attachedPlugin(env: NodeJS.ProcessEnv, packageName: string): AttachedPlugin | undefined {
  for (const entry of (env[attachVariable] ?? "").split(",")) {
    const [name = "", text = ""] = entry.split(":");
    if (name !== packageName) continue;
    const port = portOf(text);
    if (port !== undefined) return new AttachedPlugin(packageName, port);
    throw new UserError(
      `${attachVariable} has to name the port of "${packageName}" by a number, not by "${text}"`,
    );
  }
  return undefined;
}
