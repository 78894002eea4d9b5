/**
 * A Pulumi project in a folder of a test's own, run by the engines that this machine has: the stand-in always, the
 * real CLI where one is found.
 */
import { execFile } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, onTestFinished } from "vitest";
import { z } from "zod";
import { packageRoot } from "../../sandbox/package-root.ts";
import { roomEnvironment } from "../../sandbox/start/closed-room.ts";
import { findRealCli, standInCommand } from "../../sandbox/start/engine.ts";
import type { Sandbox } from "./sandbox.ts";

export interface TestEngine {
  readonly name: string;
  readonly command: string;
}

const realCli = process.env.ORGSEAT_PULUMI ?? findRealCli(process.env);

/** Every engine test runs on each engine; on a machine without a real CLI that half is skipped by name. */
export function onEachEngine(subject: string, body: (engine: TestEngine) => void): void {
  describe(`${subject} on the stand-in`, () => body({ name: "stand-in", command: standInCommand }));
  describe.skipIf(realCli === undefined)(`${subject} on the real CLI`, () =>
    body({ name: "real CLI", command: realCli ?? "" }),
  );
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

const exportSchema = z.object({
  deployment: z.object({
    resources: z
      .array(
        z.object({
          urn: z.string(),
          type: z.string(),
          id: z.string().optional(),
          inputs: z.record(z.string(), z.unknown()).optional(),
          outputs: z.record(z.string(), z.unknown()).optional(),
        }),
      )
      .nullish()
      .transform((resources) => resources ?? []),
  }),
});
export type StateResource = z.output<typeof exportSchema>["deployment"]["resources"][number];

/** A stack of a project in a folder, by the engine's command line. */
export class ProjectStack {
  readonly engine: TestEngine;
  readonly folder: string;
  readonly sandbox: Sandbox;
  /** Environment of the engine on top of the closed room; a test may change it between runs. */
  readonly environment: Record<string, string>;
  /** What all commands have printed so far, those with `--show-secrets` left out. */
  readonly printed: string[] = [];
  readonly #room: Record<string, string>;

  constructor(engine: TestEngine, sandbox: Sandbox, folder: string, room: Record<string, string>) {
    this.engine = engine;
    this.sandbox = sandbox;
    this.folder = folder;
    this.#room = room;
    this.environment = {};
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

  /** The resources of the state, the stack and the providers left out. */
  async resources(...args: string[]): Promise<StateResource[]> {
    const { code, output } = await this.#run(["stack", "export", ...args], false);
    if (code !== 0) throw new Error(`pulumi stack export ended with ${code}`);
    const { resources } = exportSchema.parse(JSON.parse(output)).deployment;
    return resources.filter(({ type }) => type.startsWith("pulumi-nodejs:orgseat:"));
  }

  /** An output of the stack, secrets in the clear. */
  async stackOutput(name: string): Promise<string> {
    return (await this.#run(["stack", "output", name, "--show-secrets"], false)).output.trim();
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
    const env = { ...this.#room, ...this.environment };
    const options = { cwd: this.folder, env, maxBuffer: 256 * 1024 * 1024 };
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

/** The environment in which a project's engine runs: the room's, with the sandbox as the service. */
export function projectRoom(
  { service: { seed, orgUrl, tokenUrl } }: Sandbox,
  folder: string,
  credentials: Readonly<Record<string, string>>,
): Record<string, string> {
  return roomEnvironment(process.env, {
    folder,
    passphrase: "for tests",
    compileCache: join(tmpdir(), "orgseat-compiled"),
    configuration: {
      ORGSEAT_ORGANIZATION_ID: seed.organizationId,
      ORGSEAT_ORG_URL: orgUrl,
      ORGSEAT_TOKEN_URL: tokenUrl,
      ORGSEAT_SUBSCRIPTION_EXPIRES_AT: seed.subscriptionExpiresAt,
      ...credentials,
    },
  });
}

/** Makes the stack of a project whose files are there, with what the project needs around it. */
export async function initialize(stack: ProjectStack): Promise<void> {
  symlinkSync(join(packageRoot, "node_modules"), join(stack.folder, "node_modules"));
  mkdirSync(join(stack.folder, "state"));
  const made = await stack.pulumi("stack", "init", "test");
  if (made.code !== 0) throw new Error(`pulumi stack init failed: ${made.output}`);
}
