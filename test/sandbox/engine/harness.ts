/** Plays a scenario on an engine, the emulator or the Pulumi CLI, and returns its result. */
import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  accessSync,
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
} from "node:fs";
import { rm, symlink, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { compileProvider } from "../../setup/compiled-provider.ts";
import { withInlineProgram } from "../../setup/inline.ts";
import { hangMs } from "../../setup/limits.ts";
import { oncePerRun } from "../../setup/once.ts";
import { compileCache, nodeOptions } from "../../setup/quick-node.ts";
import { runHere } from "../../setup/run-here.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const fixture = fileURLToPath(new URL("fixture", import.meta.url));
export const emulator = join(root, "sandbox/engine/bin/pulumi");

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The real CLI: named by ORGSEAT_PULUMI_PATH, on PATH, or where the Automation API installs it. */
function findReal(): string | undefined {
  const versions = join(homedir(), ".pulumi/versions");
  const candidates = [
    process.env.ORGSEAT_PULUMI_PATH ?? "",
    ...(process.env.PATH ?? "").split(delimiter).map((folder) => join(folder, "pulumi")),
    ...(existsSync(versions)
      ? readdirSync(versions).map((version) => join(versions, version, "bin/pulumi"))
      : []),
  ];
  return candidates.find(
    (file) => file !== "" && isExecutable(file) && realpathSync(file) !== realpathSync(emulator),
  );
}

export const realCli = findReal();

/** What most suites run on; the real one's program is an empty text if there is none. */
export const engines = [
  { title: "the emulator", bin: emulator },
  { title: "real CLI", bin: realCli ?? "" },
];

/** A value of the program: see fixture/index.js. */
type Given = unknown;

export interface ResourceSpec {
  name: string;
  kind?: "component" | "get" | "provider";
  /** Of a component, where it is not the usual one; of a plugin's resource; the package of a provider. */
  type?: string;
  /** Which of the fixture's providers serves it, where it is not the usual one. */
  provider?: string;
  inputs?: Record<string, Given>;
  opts?: Record<string, unknown>;
}

export interface ProgramSpec {
  resources: readonly ResourceSpec[];
  outputs?: Record<string, Given>;
  /** Throws this at the end. */
  fail?: string;
  /** Ends the process with this code at the end. */
  exit?: number;
  /** Each resource waits for the one before. */
  inTurn?: boolean;
}

export interface Result {
  code: number | null;
  stdout: string;
  stderr: string;
}

const stateSchema = z.object({
  checkpoint: z.object({
    latest: z
      .object({
        resources: z.array(z.looseObject({ urn: z.string() })).optional(),
        pending_operations: z
          .array(z.object({ resource: z.looseObject({ urn: z.string() }), type: z.string() }))
          .optional(),
      })
      .nullish(),
  }),
});

/** A resource of the state, in a form that is the same for every engine. */
export interface StateResource {
  name: string;
  id?: string;
  inputs?: string[];
  outputs?: string[];
  secrets: string[];
  flags: string[];
}

const yes = ["--yes", "--skip-preview", "--non-interactive", "--parallel", "1"];

/** Each engine's first new stack: the others are copies of it, which spares a process and a key derivation. */
function freshStack(bin: string, stack: Stack): Promise<string> {
  return oncePerRun(`engine-tests-${createHash("sha256").update(bin).digest("hex")}`, async (copy) => {
    const args = ["stack", "init", "dev", "--non-interactive"];
    const { code, stderr } = await (bin === emulator ? stack.runHere(...args) : stack.run(...args));
    if (code !== 0) throw new Error(`no new stack: ${stderr}`);
    for (const part of parts) renameSync(join(stack.folder, part), join(copy, part));
  });
}
const parts = ["backend", "Pulumi.dev.yaml"] as const;

/** One project with one stack in its own folder. */
export class Stack {
  readonly folder: string;
  readonly bin: string;
  readonly #env: NodeJS.ProcessEnv;
  #seen = 0;

  private constructor(folder: string, bin: string) {
    this.folder = folder;
    this.bin = bin;
    const inherited = Object.entries(process.env).filter(([key]) => !/^(ORGSEAT|PULUMI)_/.test(key));
    this.#env = {
      ...Object.fromEntries(inherited),
      PATH: [dirname(bin), join(root, "node_modules/.bin"), process.env.PATH].join(delimiter),
      HOME: folder,
      PULUMI_HOME: join(folder, "home"),
      PULUMI_BACKEND_URL: `file://${folder}/backend`,
      PULUMI_CONFIG_PASSPHRASE: "correct horse",
      PULUMI_SKIP_UPDATE_CHECK: "true",
      PULUMI_STACK: "dev",
      // A third of the time of these short processes is compilation.
      NODE_COMPILE_CACHE: compileCache,
      NODE_OPTIONS: nodeOptions,
    };
  }

  static async make(bin: string): Promise<Stack> {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "engine-")));
    cpSync(fixture, folder, { recursive: true });
    mkdirSync(join(folder, "backend"));
    await symlink(join(root, "node_modules"), join(folder, "node_modules"));
    await writeFile(join(folder, "package.json"), '{"type":"module"}');
    await writeFile(
      join(folder, "Pulumi.yaml"),
      'name: test\nmain: index.js\nruntime:\n  name: nodejs\n  options:\n    typescript: false\n    nodeargs: "--stack-trace-limit=2"\n',
    );
    const stack = new Stack(folder, bin);
    await stack.program({ resources: [] });
    await compileProvider();
    const template = await freshStack(bin, stack);
    for (const part of parts) cpSync(join(template, part), join(folder, part), { recursive: true });
    return stack;
  }

  /** The same project and state with another engine. */
  withEngine(bin: string): Stack {
    const stack = new Stack(this.folder, bin);
    stack.#seen = this.#log().length;
    return stack;
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }

  async program(spec: ProgramSpec | ResourceSpec[]): Promise<void> {
    const whole = Array.isArray(spec) ? { resources: spec } : spec;
    await writeFile(join(this.folder, "program.json"), JSON.stringify(whole));
  }

  async faults(faults: Record<string, string>): Promise<void> {
    await writeFile(join(this.folder, "faults.json"), JSON.stringify(faults));
  }

  /** The environment that leads an engine to this stack's backend. */
  variables(): Record<string, string> {
    const wanted = ["HOME", "PATH", "PULUMI_HOME", "PULUMI_BACKEND_URL", "PULUMI_CONFIG_PASSPHRASE"];
    return Object.fromEntries(wanted.map((key) => [key, this.#env[key] ?? ""]));
  }

  start(args: string[], env: NodeJS.ProcessEnv = {}): ChildProcess {
    return spawn(this.bin, args, {
      cwd: this.folder,
      env: { ...this.#env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
  }

  run(...args: string[]): Promise<Result> {
    return this.runWith({}, args);
  }

  /** The same with more of an environment. */
  runWith(env: NodeJS.ProcessEnv, args: string[]): Promise<Result> {
    return finished(this.start(args, env));
  }

  /** Runs a command of the emulator in this process, which spares the start of one. */
  runHere(...args: string[]): Promise<Result> {
    return this.#runHere(args, {});
  }

  #runHere(args: readonly string[], variables: Readonly<Record<string, string>>): Promise<Result> {
    return runHere(["-C", this.folder, ...args], { ...this.#env, ...variables });
  }

  /** The same with the program inline, which spares another. @param variables of the command's environment */
  runInline(args: readonly string[], variables: Readonly<Record<string, string>> = {}): Promise<Result> {
    if (!runsProgram(args)) return this.#runHere(args, variables);
    const run = (options: readonly string[]) => this.#runHere([...args, ...options], variables);
    return withInlineProgram(this.folder, variables, run, "scenario");
  }

  /** Runs a command that has to succeed. */
  async ok(...args: string[]): Promise<Result> {
    const result = await this.run(...args);
    if (result.code !== 0) {
      throw new Error(
        `pulumi ${args.join(" ")} ended with ${result.code}\n${result.stdout}\n${result.stderr}`,
      );
    }
    return result;
  }

  up(...args: string[]): Promise<Result> {
    return this.run("up", ...yes, ...args);
  }

  preview(...args: string[]): Promise<Result> {
    return this.run("preview", "--non-interactive", "--parallel", "1", ...args);
  }

  refresh(...args: string[]): Promise<Result> {
    return this.run("refresh", ...yes, ...args);
  }

  destroy(...args: string[]): Promise<Result> {
    return this.run("destroy", ...yes, ...args);
  }

  /** The calls of the provider, with their values. */
  #asked(): [string, ...unknown[]][] {
    const file = join(this.folder, "calls.jsonl");
    if (!existsSync(file)) return [];
    // What follows the last line's end is still being written.
    const lines = readFileSync(file, "utf8").split("\n").slice(0, -1);
    return lines.map((line) => z.tuple([z.string()]).rest(z.unknown()).parse(JSON.parse(line)));
  }

  #log(): string[] {
    return this.#asked().map(([call]) => call);
  }

  /** The calls of the provider since the last look, with their values. */
  asked(): [string, ...unknown[]][] {
    const all = this.#asked();
    const fresh = all.slice(this.#seen);
    this.#seen = all.length;
    return fresh;
  }

  /** The same without the values, and without how it was configured. */
  calls(): string[] {
    return this.asked()
      .map(([call]) => call)
      .filter((call) => !call.startsWith("configure"));
  }

  /** Only the calls that change something. */
  changes(): string[] {
    return this.calls().filter((call) => /^(create|update|delete)/.test(call));
  }

  /** Waits until the provider has been called so. */
  called(call: string): Promise<void> {
    return this.calledTimes(call, 1);
  }

  async calledTimes(call: string, times: number): Promise<void> {
    const deadline = Date.now() + hangMs;
    while (this.#log().filter((made) => made === call).length < times) {
      if (Date.now() > deadline) throw new Error(`"${call}" was not called`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  /** Waits until the engine prints a word. */
  async said(engine: ChildProcess, word: string): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const look = (text: string | Buffer) => text.toString().includes(word) && resolve();
      engine.stdout?.on("data", look);
      engine.stderr?.on("data", look);
      engine.once("close", () => reject(new Error(`the engine ended without printing "${word}"`)));
    });
  }

  /** Ends the provider process of a killed engine. */
  async killProvider(): Promise<void> {
    const file = join(this.folder, "provider.pid");
    while (!existsSync(file) || readFileSync(file, "utf8") === "")
      await new Promise((resolve) => setTimeout(resolve, 10));
    process.kill(Number(readFileSync(file, "utf8")), "SIGKILL");
  }

  checkpoint(): string {
    return readFileSync(join(this.folder, "backend/.pulumi/stacks/test/dev.json"), "utf8");
  }

  #latest() {
    return stateSchema.parse(JSON.parse(this.checkpoint())).checkpoint.latest;
  }

  /** The resources as they lie in the file. */
  resources(): Record<string, unknown>[] {
    return this.#latest()?.resources ?? [];
  }

  state(): StateResource[] {
    return this.resources().map(shapeOf);
  }

  pending(): string[] {
    const operations = this.#latest()?.pending_operations ?? [];
    return operations.map(({ resource, type }) => `${type} ${resource.urn.split("::").at(-1)}`);
  }

  async outputs(): Promise<unknown> {
    return JSON.parse((await this.ok("stack", "output", "--json", "--show-secrets")).stdout);
  }
}

function runsProgram([command = "", ...options]: readonly string[]): boolean {
  return command === "up" || command === "preview" || options.includes("--run-program");
}

export async function finished(child: ChildProcess): Promise<Result> {
  let stdout = "";
  let stderr = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (exitCode) => resolve(exitCode));
  });
  return { code, stdout, stderr };
}

export const secretKey = "4dabf18193072939515e22adb298388d";

function isSecret(value: unknown): boolean {
  return typeof value === "object" && value !== null && secretKey in value;
}

/** What a resource of the state may be. */
export const flagNames = ["delete", "external", "protect", "pendingReplacement", "retainOnDelete"];

function shapeOf(resource: Record<string, unknown>): StateResource {
  const entries = (value: unknown) =>
    typeof value === "object" && value !== null ? Object.entries(value) : [];
  const texts = (value: unknown) =>
    entries(value)
      .filter(([key]) => key !== "__provider")
      .map(([key, item]) => `${key}=${isSecret(item) ? "[secret]" : JSON.stringify(item)}`)
      .sort();
  const urn = String(resource.urn);
  const isProvider = urn.includes("pulumi:providers:");
  return {
    name: urn.split("::").slice(2).join("::"),
    ...(typeof resource.id === "string" && !isProvider && { id: resource.id }),
    inputs: texts(resource.inputs),
    outputs: texts(resource.outputs),
    secrets: entries(resource.outputs)
      .filter(([, item]) => isSecret(item))
      .map(([key]) => key)
      .sort(),
    flags: [
      ...flagNames.filter((flag) => resource[flag] === true),
      ...(Array.isArray(resource.initErrors) ? ["initErrors"] : []),
      ...(Array.isArray(resource.dependencies)
        ? resource.dependencies.map((urn) => `after ${String(urn).split("::").at(-1)}`)
        : []),
    ],
  };
}

/** The counts of the summary, such as `{created: 3, unchanged: 1}`. */
export function counts({ stdout }: Result): Record<string, number> {
  const block = stdout.split("\nResources:\n").at(-1) ?? "";
  const found = block.matchAll(/(\d+) (?:to )?(created?|updated?|replaced?|deleted?|unchanged|errored)\b/g);
  return Object.fromEntries([...found].map(([, count, word]) => [word ?? "", Number(count)]));
}
