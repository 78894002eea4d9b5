/**
 * The stand-in as an engine of organizations, in the test's own process, with the program in the process of inline programs
 * and the dynamic provider in its own: level E at the price of one process a run. The runner of `PulumiEngine` and the
 * command line have suites of their own.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { EngineEvent } from "@pulumi/pulumi/automation/index.js";
import { z } from "zod";
import type {
  Deployment,
  Engine,
  ListedStack,
  Progress,
  StackOutcome,
  StackRun,
} from "../../sdk/automation/engine/engine.ts";
import { hasConfigFile } from "../../sdk/automation/engine/stack-names.ts";
import { StepCollector } from "../../sdk/automation/engine/step-collector.ts";
import { withInlineProgram } from "./inline.ts";
import { runHere, type Said } from "./run-here.ts";

const PROJECT = "name: orgseat\nruntime:\n  name: nodejs\n  options:\n    typescript: false\n";

export class HereEngine implements Engine {
  readonly #folder: string;
  readonly #environment: Readonly<Record<string, string>>;
  /** Inline programs of one process run one after another. */
  #turn: Promise<unknown> = Promise.resolve();

  /** @param folder in which `orgseat` and `@pulumi/pulumi` are found */
  constructor(folder: string, environment: Readonly<Record<string, string>>) {
    this.#folder = join(folder, ".orgseat", "pulumi");
    this.#environment = environment;
    mkdirSync(this.#folder, { recursive: true });
    writeFileSync(join(this.#folder, "Pulumi.yaml"), PROJECT);
  }

  run(run: StackRun, listener?: (progress: Progress) => void, signal?: AbortSignal): Promise<StackOutcome> {
    const mine = this.#turn.then(() => this.#run(run, listener, signal));
    this.#turn = mine.catch(() => undefined);
    return mine;
  }

  async #run(
    { operation, stack, program, targets = [], refresh, continueOnError, environment = {} }: StackRun,
    listener: (progress: Progress) => void = () => undefined,
    signal?: AbortSignal,
  ): Promise<StackOutcome> {
    if (program.kind !== "roster") throw new Error("this engine runs rosters only");
    const collector = new StepCollector(stack);
    if (signal?.aborted) return collector.outcome({ code: "cancelled", text: "cancelled" });
    await this.createStack(stack);
    writeFileSync(join(this.#folder, "roster.json"), JSON.stringify(program));
    const log = join(this.#folder, `${stack}.events`);
    rmSync(log, { force: true });
    const flags = [
      ...(operation === "up" ? ["--yes", "--skip-preview"] : []),
      ...["--stack", stack, "--event-log", log],
      ...targets.flatMap((urn) => ["--target", urn]),
      ...(refresh ? ["--refresh"] : []),
      ...(continueOnError && operation === "up" ? ["--continue-on-error"] : []),
    ];
    const variables = { ...this.#environment, ...environment, PULUMI_STACK: stack };
    const said = await withInlineProgram(
      this.#folder,
      variables,
      (options) => this.#pulumi([operation, ...flags, ...options], variables),
      "roster",
    );
    for (const event of eventsIn(log)) {
      const progress = collector.onEvent(event);
      if (progress !== undefined) listener(progress);
    }
    if (said.code === 0) return collector.outcome(undefined);
    const text =
      collector.diagnostics.find(({ severity }) => severity === "error")?.text ?? said.stderr.trim();
    const isLocked = /currently locked|Another update/.test(said.output);
    return collector.outcome({ code: isLocked ? "locked" : "failed", text });
  }

  async listStacks(): Promise<ListedStack[]> {
    const { stdout } = await this.#ok("stack", "ls", "--json");
    return z.array(z.object({ name: z.string() })).parse(JSON.parse(stdout));
  }

  async #exists(stack: string): Promise<boolean> {
    return (await this.listStacks()).some(({ name }) => name === stack);
  }

  exportStack(stack: string): Promise<Deployment | undefined> {
    return this.#export(stack, []);
  }

  exportWithSecrets(stack: string): Promise<Deployment | undefined> {
    return this.#export(stack, ["--show-secrets"]);
  }

  async importStack(stack: string, deployment: Deployment): Promise<void> {
    const file = join(this.#folder, `${stack}.import`);
    writeFileSync(file, JSON.stringify(deployment));
    await this.#ok("stack", "import", "--file", file, "--stack", stack);
    rmSync(file);
  }

  async createStack(stack: string): Promise<void> {
    const { code, output } = await this.#pulumi(["stack", "init", stack, "--no-select"], this.#environment);
    if (code !== 0 && !output.includes("already exists")) throw new Error(output);
  }

  async removeStack(stack: string): Promise<void> {
    await this.#ok("stack", "rm", "--yes", stack);
  }

  async clearStack(stack: string): Promise<void> {
    await this.#ok("destroy", "--yes", "--skip-preview", "--stack", stack);
  }

  async configOf(stack: string): Promise<ReadonlyMap<string, string>> {
    if (!(await this.#exists(stack))) return new Map();
    const { stdout } = await this.#ok("config", "--json", "--show-secrets", "--stack", stack);
    const values = z.record(z.string(), z.object({ value: z.string() })).parse(JSON.parse(stdout));
    return new Map(Object.entries(values).map(([key, { value }]) => [key, value]));
  }

  async hasConfig(stack: string): Promise<boolean> {
    return hasConfigFile(this.#folder, stack);
  }

  async copyConfig(from: string, to: string): Promise<void> {
    await this.#ok("config", "cp", "--stack", from, "--dest", to);
  }

  async #export(stack: string, flags: readonly string[]): Promise<Deployment | undefined> {
    if (!(await this.#exists(stack))) return undefined;
    return JSON.parse((await this.#ok("stack", "export", ...flags, "--stack", stack)).stdout);
  }

  async #ok(...args: string[]): Promise<Said> {
    const said = await this.#pulumi(args, this.#environment);
    if (said.code !== 0) throw new Error(`pulumi ${args.join(" ")}: ${said.output}`);
    return said;
  }

  #pulumi(args: readonly string[], environment: Readonly<Record<string, string>>): Promise<Said> {
    return runHere(["-C", this.#folder, ...args, "--non-interactive", "--color", "never"], environment);
  }
}

/** The engine's own events, one JSON line each. */
function eventsIn(file: string): EngineEvent[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line));
}
