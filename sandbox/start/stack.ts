/** A stack in an isolated environment, through Pulumi's command line. */
import { execFile, spawn } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { z } from "zod";
import { type PulumiCli, withCli } from "../pulumi/cli.ts";
import { emptyStackContents, readStackContents, type StackContents } from "./state.ts";
import { runInTerminal } from "./terminal.ts";

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

const historySchema = z.array(z.object({ resourceChanges: z.record(z.string(), z.number()).nullish() }));

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

  /** Whether the last run changed a resource. */
  async lastRunChanged(): Promise<boolean> {
    const page = ["--json", "--page-size", "1", "--page", "1"];
    const answer = await this.#answer(["stack", "history", ...page, "--stack", this.#place.stack]);
    const [last] = historySchema.parse(JSON.parse(answer));
    return Object.keys(last?.resourceChanges ?? {}).some((operation) => operation !== "same");
  }

  /** Runs a command in the user's terminal. @returns the exit code */
  run(args: readonly string[]): Promise<number> {
    return runInTerminal(this.#cli.command, this.#onStack(args), this.#options());
  }

  /** Runs a command and returns its output, without colors. */
  async capture(args: readonly string[]): Promise<CommandResult> {
    const all = [...this.#onStack(args), "--color", "never"];
    const child = spawn(this.#cli.command, all, {
      ...this.#options(),
      stdio: ["ignore", "pipe", "pipe"],
    });
    // Ctrl-C reaches the whole process group; this process waits for the engine to end.
    const ignore = (): void => {};
    const pass = (signal: NodeJS.Signals): boolean => child.kill(signal);
    process.on("SIGINT", ignore);
    process.on("SIGTERM", pass);
    const pieces: string[] = [];
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => pieces.push(text));
    }
    try {
      const code = await new Promise<number>((resolve, reject) => {
        child.once("error", reject);
        child.once("close", (exit) => resolve(exit ?? 1));
      });
      return { code, output: pieces.join("") };
    } finally {
      process.off("SIGINT", ignore);
      process.off("SIGTERM", pass);
    }
  }

  #onStack(args: readonly string[]): string[] {
    return [...args, "--stack", this.#place.stack, "--non-interactive"];
  }

  #options(): { cwd: string; env: Record<string, string> } {
    // The provider runs the engine too.
    const env = withCli(this.#environment, this.#cli);
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
