/**
 * A Pulumi project in a folder of a test's own, run by the engines that this machine has: the emulator always, the
 * real CLI where one is found.
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readFileSync, renameSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, onTestFinished } from "vitest";
import { z } from "zod";
import { withFolderFirst } from "../../provider/util/search-path.ts";
import { emulatorCommand, findRealCli } from "../../sandbox/start/engine.ts";
import { isolatedEnvironment } from "../../sandbox/start/isolated-environment.ts";
import { packageRoot } from "../../sandbox/start/package-root.ts";
import { compileProvider } from "./compiled-provider.ts";
import { oncePerRun } from "./once.ts";
import { compileCache } from "./quick-node.ts";
import type { Sandbox } from "./sandbox.ts";

export interface TestEngine {
  readonly name: string;
  readonly command: string;
  /** How programs reach the provider. Default: by dynamic resources. */
  readonly door?: "plugin";
}

const realCli = process.env.ORGSEAT_PULUMI_PATH ?? findRealCli(process.env);

/**
 * Every engine test runs on each engine. On a machine without a real CLI that half is skipped by name; the quick run
 * leaves it to CI.
 */
export function onEachEngine(subject: string, body: (engine: TestEngine) => void): void {
  describe(`${subject} on the emulator`, () => body({ name: "emulator", command: emulatorCommand }));
  onRealCli(subject, body);
}

/** What the emulator does not have: languages, `pulumi import`, the installation of plugins. */
export function onRealCli(subject: string, body: (engine: TestEngine) => void): void {
  describe.skipIf(realCli === undefined)(`${subject} on the real CLI`, { tags: "ci" }, () =>
    body({ name: "real CLI", command: realCli ?? "" }),
  );
}

/** Every test, with the resources of a program as dynamic ones, and through the packaged plugin. */
export function onEachDoor(subject: string, body: (engine: TestEngine) => void): void {
  onEachEngine(subject, body);
  describe("the plugin", { tags: "ci" }, () => {
    onEachEngine(subject, (engine) => body({ ...engine, door: "plugin" }));
  });
}

export interface Outcome {
  readonly code: number;
  /** What the person saw: both streams, in the order they came. */
  readonly output: string;
}

/** An engine at work. */
export interface Running {
  readonly pid: number;
  /** Resolves when it has ended, however it did. */
  readonly ended: Promise<Outcome>;
}

/** A stack of a project in a folder, by the engine's command line. */
export class ProjectStack {
  readonly engine: TestEngine;
  readonly folder: string;
  readonly sandbox: Sandbox;
  /** Environment of the engine on top of the isolated environment; a test may change it between runs. */
  readonly environment: Record<string, string>;
  /** What all commands have printed so far, those with `--show-secrets` left out. */
  readonly printed: string[] = [];
  readonly #isolated: Record<string, string>;

  constructor(engine: TestEngine, sandbox: Sandbox, folder: string, isolated: Record<string, string>) {
    this.engine = engine;
    this.sandbox = sandbox;
    this.folder = folder;
    this.#isolated = isolated;
    this.environment = {};
  }

  /** The whole environment of the engine's next command. */
  variables(): Record<string, string> {
    // The provider finds the engine as people have it: on the PATH.
    return withFolderFirst({ ...this.#isolated, ...this.environment }, dirname(this.engine.command));
  }

  up(...args: string[]): Promise<Outcome> {
    return this.pulumi("up", "--yes", "--skip-preview", ...args);
  }
  preview(...args: string[]): Promise<Outcome> {
    return this.pulumi("preview", ...args);
  }
  refresh(...args: string[]): Promise<Outcome> {
    return this.pulumi("refresh", "--yes", "--skip-preview", ...args);
  }
  destroy(...args: string[]): Promise<Outcome> {
    return this.pulumi("destroy", "--yes", "--skip-preview", ...args);
  }

  /** All outputs of the stack, secrets in the clear. */
  async outputs(): Promise<Record<string, unknown>> {
    const { output } = await this.#run(["stack", "output", "--json", "--show-secrets"], false);
    return z.record(z.string(), z.unknown()).parse(JSON.parse(output));
  }

  pulumi(...args: string[]): Promise<Outcome> {
    return this.start(...args).ended;
  }

  /** Starts a command, for what has to happen while it runs. */
  start(...args: string[]): Running {
    return this.#start([...args, "--non-interactive", "--color", "never"], true);
  }

  #run(args: readonly string[], both: boolean): Promise<Outcome> {
    return this.#start(args, both).ended;
  }

  #start(args: readonly string[], both: boolean): Running {
    const options = { cwd: this.folder, env: this.variables(), maxBuffer: 256 * 1024 * 1024 };
    const { promise: ended, resolve } = Promise.withResolvers<Outcome>();
    const child = execFile(this.engine.command, args, options, (error) => {
      resolve({ code: error === null ? 0 : (child.exitCode ?? 1), output: pieces.join("") });
    });
    const pieces: string[] = [];
    child.stdout?.on("data", (text: string) => pieces.push(text));
    if (both) child.stderr?.on("data", (text: string) => pieces.push(text));
    if (!args.includes("--show-secrets")) void ended.then(({ output }) => this.printed.push(output));
    onTestFinished(() => void child.kill("SIGKILL"));
    if (child.pid === undefined) throw new Error(`${this.engine.command} does not start`);
    return { pid: child.pid, ended };
  }
}

/** The environment in which a project's engine runs: isolated, with the sandbox as the service. */
export function projectEnvironment(
  { service: { seed, orgUrl, tokenUrl, platform } }: Sandbox,
  folder: string,
  credentials: Readonly<Record<string, string>>,
): Record<string, string> {
  return isolatedEnvironment(process.env, {
    folder,
    passphrase: "for tests",
    compileCache,
    configuration: {
      ORGSEAT_ORGANIZATION_ID: seed.organizationId,
      ORGSEAT_ORG_URL: orgUrl,
      ORGSEAT_TOKEN_URL: tokenUrl,
      ORGSEAT_PLATFORM: platform,
      ORGSEAT_SUBSCRIPTION_EXPIRES_AT: seed.subscriptionExpiresAt,
      ...credentials,
    },
  });
}

/**
 * Makes the stack `test` of a project whose files are there, with what the project needs around it. A new stack is the
 * same for all tests of a run, so the engine makes it once for each project and passphrase.
 */
export async function initialize(stack: ProjectStack): Promise<void> {
  const { folder, engine, environment } = stack;
  await compileProvider();
  symlinkSync(join(packageRoot, "node_modules"), join(folder, "node_modules"));
  environment.PULUMI_STACK = "test";
  const projectFile = readFileSync(join(folder, "Pulumi.yaml"), "utf8");
  const { PULUMI_CONFIG_PASSPHRASE: passphrase } = stack.variables();
  const key = createHash("sha256").update(JSON.stringify([engine, projectFile, passphrase]));
  const fresh = await oncePerRun(`stack-${key.digest("hex")}`, (copy) => makeStack(stack, copy));
  cpSync(fresh, folder, { recursive: true });
}

/** Has the engine make a stack. @param copy gets what it made, and the project does not keep it */
async function makeStack(stack: ProjectStack, copy: string): Promise<void> {
  mkdirSync(join(stack.folder, "state"));
  const made = await stack.pulumi("stack", "init", "test");
  if (made.code !== 0) throw new Error(`pulumi stack init failed: ${made.output}`);
  for (const name of ["state", "Pulumi.test.yaml"]) renameSync(join(stack.folder, name), join(copy, name));
}
