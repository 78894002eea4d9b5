/** A stack in an isolated environment, through Pulumi's command line. */
import { execFile, spawn } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { promisify } from "node:util";
import { type PulumiCli, withCli } from "../pulumi/cli.ts";
import { packageRoot } from "../pulumi/package-root.ts";
import { type EngineEvent, eventSchema } from "./changes.ts";
import { emptyStackContents, readStackContents, type StackContents } from "./state.ts";
import { endOf } from "./terminal.ts";

const LARGEST_EXPORT_BYTES = 64 * 1024 * 1024;

/** The names and folders of a stack. */
interface StackLocation {
  /** The folder of the Pulumi program. */
  readonly project: string;
  /** The project's name, as in Pulumi.yaml. */
  readonly projectName: string;
  readonly stack: string;
  /** The folder of the isolated environment, with the state in `state`. */
  readonly folder: string;
}

/** The result of a command of Pulumi. */
export interface CommandResult {
  readonly code: number;
  /** Both streams, in the order they came. */
  readonly output: string;
}

export class Stack {
  readonly #cli: PulumiCli;
  readonly #environment: Record<string, string>;
  readonly #place: StackLocation;

  /** @param environment of every process, from `isolatedEnvironment` */
  constructor(cli: PulumiCli, environment: Record<string, string>, place: StackLocation) {
    this.#cli = cli;
    this.#environment = environment;
    this.#place = place;
  }

  /** Creates the stack if it is missing. @returns the content of the state */
  async prepare(): Promise<StackContents> {
    const { folder, projectName, stack } = this.#place;
    const state = join(folder, "state");
    mkdirSync(state, { recursive: true });
    // The check of the file saves a run of the engine.
    if (existsSync(join(state, ".pulumi", "stacks", projectName, `${stack}.json`))) return this.roster();
    await this.#answer(["stack", "init", stack, "--non-interactive"]);
    return emptyStackContents;
  }

  async roster(): Promise<StackContents> {
    return readStackContents(
      await this.#answer(["stack", "export", "--stack", this.#place.stack, "--non-interactive"]),
    );
  }

  /**
   * Runs `preview` or `up`, and gives each event of the engine to `onEvent`.
   * @returns the exit code, and all output that is not an event, such as the reason why the engine did not start
   */
  async watch(args: readonly string[], onEvent: (event: EngineEvent) => void): Promise<CommandResult> {
    const other: string[] = [];
    const code = await this.#spawn([...args, "--json"], ({ stdout, stderr }) => {
      stderr.setEncoding("utf8").on("data", (text: string) => other.push(text));
      createInterface(stdout).on("line", (line) => {
        if (line.startsWith("{")) onEvent(eventSchema.parse(JSON.parse(line)));
        else other.push(`${line}\n`);
      });
    });
    return { code, output: other.join("") };
  }

  /** Runs a command and returns its output, without colors. */
  async capture(args: readonly string[]): Promise<CommandResult> {
    const pieces: string[] = [];
    const code = await this.#spawn(args, ({ stdout, stderr }) => {
      for (const stream of [stdout, stderr]) {
        stream.setEncoding("utf8").on("data", (text: string) => pieces.push(text));
      }
    });
    return { code, output: pieces.join("") };
  }

  /** Runs the command `orgseat` of this checkout in a folder, with the same state and service. */
  async orgseat(args: readonly string[], folder: string): Promise<CommandResult> {
    const launcher = join(packageRoot, "sdk", "bin", "orgseat.js");
    const { env } = this.#options();
    const options = { cwd: folder, env: { ...env, ORGSEAT_PULUMI_PATH: this.#cli.command } };
    return new Promise((resolve) => {
      const child = execFile(process.execPath, [launcher, ...args], options, (_error, stdout, stderr) =>
        resolve({ code: child.exitCode ?? 1, output: stdout + stderr }),
      );
    });
  }

  /** @param listen gets both streams before the command writes @returns the exit code */
  #spawn(
    args: readonly string[],
    listen: (streams: { readonly stdout: Readable; readonly stderr: Readable }) => void,
  ): Promise<number> {
    const all = [...args, "--stack", this.#place.stack, "--non-interactive", "--color", "never"];
    const child = spawn(this.#cli.command, all, {
      ...this.#options(),
      stdio: ["ignore", "pipe", "pipe"],
    });
    listen(child);
    return endOf(child);
  }

  #options(): { cwd: string; env: Record<string, string> } {
    // The provider runs the engine too.
    const env = { ...withCli(this.#environment, this.#cli), PULUMI_ENABLE_STREAMING_JSON_PREVIEW: "true" };
    return { cwd: this.#place.project, env };
  }

  async #answer(args: readonly string[]): Promise<string> {
    const { stdout } = await promisify(execFile)(this.#cli.command, args, {
      ...this.#options(),
      maxBuffer: LARGEST_EXPORT_BYTES,
    });
    return stdout;
  }
}
