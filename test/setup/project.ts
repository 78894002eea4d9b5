/** A Pulumi project in a folder of a test's own, run by the Pulumi CLI. */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, inject, onTestFinished } from "vitest";
import { z } from "zod";
import { withCli } from "../../sandbox/pulumi/cli.ts";
import { packageRoot } from "../../sandbox/pulumi/package-root.ts";
import { isolatedEnvironment } from "../../sandbox/start/isolated-environment.ts";
import { seed } from "./cases.ts";
import { compileProvider } from "./compiled-provider.ts";
import { oncePerRun } from "./once.ts";
import { FAILED } from "./pulumi.ts";
import { compileCache } from "./quick-node.ts";
import { run } from "./runs.ts";
import type { Sandbox } from "./sandbox.ts";

/** How programs reach the provider: by dynamic resources, or through the packaged plugin. */
export type Door = "dynamic" | "plugin";

/** The Pulumi CLI of this run; `pulumiReady` waits for it. */
export const pulumiCommand = inject("pulumi");

/** Resolves when the CLI is there. @throws if it could not be built */
export async function pulumiReady(): Promise<void> {
  const failed = join(inject("runFolder"), FAILED);
  while (!existsSync(pulumiCommand)) {
    if (existsSync(failed)) throw new Error(`this test needs a Pulumi CLI: ${readFileSync(failed, "utf8")}`);
    await pause(200);
  }
}

/**
 * Every test, with the resources of a program as dynamic ones, and through the packaged plugin: `npm test` with the
 * former, the full run with both, CI with one of them, which the seed chooses for each subject.
 */
export function onEachDoor(subject: string, body: (door: Door) => void): void {
  const turn = (seed + subject.length) % 2;
  if (run !== "ci" || turn === 0) describe(subject, () => body("dynamic"));
  if (run === "full" || (run === "ci" && turn === 1))
    describe(`${subject} through the plugin`, { tags: "ci" }, () => body("plugin"));
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
  readonly folder: string;
  readonly sandbox: Sandbox;
  /** Environment of the engine on top of the isolated environment; a test may change it between runs. */
  readonly environment: Record<string, string>;
  /** What all commands have printed so far, those with `--show-secrets` left out. */
  readonly printed: string[] = [];
  readonly #isolated: Record<string, string>;

  constructor(sandbox: Sandbox, folder: string, isolated: Record<string, string>) {
    this.sandbox = sandbox;
    this.folder = folder;
    this.#isolated = isolated;
    this.environment = {};
  }

  /** The whole environment of the engine's next command. */
  variables(): Record<string, string> {
    // The provider finds the engine as people have it: on the PATH.
    return withCli({ ...this.#isolated, ...this.environment }, { command: pulumiCommand });
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
    return this.#started(args, false).ended;
  }

  /** Starts a command in a process group of its own, as a terminal does, for what has to happen while it runs. */
  start(...args: string[]): Running {
    return this.#started(args, true);
  }

  #started(args: readonly string[], detached: boolean): Running {
    return this.#start([...args, "--non-interactive", "--color", "never"], true, detached);
  }

  #run(args: readonly string[], both: boolean): Promise<Outcome> {
    return this.#start(args, both).ended;
  }

  #start(args: readonly string[], both: boolean, detached = false): Running {
    const { promise: ended, resolve } = Promise.withResolvers<Outcome>();
    const child = spawn(pulumiCommand, args, { detached, cwd: this.folder, env: this.variables() });
    const pieces: string[] = [];
    const end = (code: number | null) => resolve({ code: code ?? 1, output: pieces.join("") });
    child.once("close", end).once("error", () => end(1));
    child.stdout.setEncoding("utf8").on("data", (text: string) => pieces.push(text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => both && pieces.push(text));
    if (!args.includes("--show-secrets")) void ended.then(({ output }) => this.printed.push(output));
    onTestFinished(() => void child.kill("SIGKILL"));
    if (child.pid === undefined) throw new Error(`${pulumiCommand} does not start`);
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
      // One for the run, because the CLI fills it.
      PULUMI_HOME: join(inject("runFolder"), "home"),
      ...credentials,
    },
  });
}

/**
 * Makes the stack `test` of a project whose files are there, with what the project needs around it. A new stack is the
 * same for all tests of a run, so the engine makes it once for each project and passphrase.
 */
export async function initialize(stack: ProjectStack): Promise<void> {
  const { folder, environment } = stack;
  await Promise.all([compileProvider(), pulumiReady()]);
  symlinkSync(join(packageRoot, "node_modules"), join(folder, "node_modules"));
  environment.PULUMI_STACK = "test";
  const projectFile = readFileSync(join(folder, "Pulumi.yaml"), "utf8");
  const { PULUMI_CONFIG_PASSPHRASE: passphrase } = stack.variables();
  const key = createHash("sha256").update(JSON.stringify([projectFile, passphrase]));
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
