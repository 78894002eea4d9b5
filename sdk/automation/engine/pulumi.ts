/** The Pulumi CLI of ORGSEAT_PULUMI or of the PATH, with one runner process per stack. */
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import { z } from "zod";
import { CORRECT_PULUMI, namedPulumi, reasonOf } from "../../../provider/pulumi-command.ts";
import { withFolderFirst } from "../../../provider/search-path.ts";
import { cacheFolder } from "./cache-folder.ts";
import type {
  Deployment,
  Engine,
  ListedStack,
  Progress,
  StackOutcome,
  StackRun,
  StackRunFailure,
} from "./engine.ts";
import type { RunnerRequest } from "./messages.ts";
import { lazyClosures, nodePathOf } from "./packages.ts";
import { Runners } from "./runners.ts";
import { hasConfigFile, OWN_PROJECT, projectFolderOf } from "./stack-names.ts";

/** The error of Pulumi for a stack that does not exist. */
const NO_STACK = /no stack named/;
/** The project for a folder without one. */
const PROJECT = `name: ${OWN_PROJECT}
description: created by orgseat for a roster without a Pulumi project
runtime:
  name: nodejs
  options:
    typescript: false
`;

const listedSchema = z.object({ name: z.string(), lastUpdate: z.iso.datetime().optional().catch(undefined) });

export interface PulumiOptions {
  /** The folder of the roster. Its Pulumi.yaml, if it exists, names the project. */
  readonly folder: string;
  /** For new stacks, as in `pulumi stack init --secrets-provider`. Default: Pulumi's. */
  readonly secretsProvider?: string | undefined;
  /** Variables that override those of this process. */
  readonly environment?: Readonly<Record<string, string>> | undefined;
}

export class PulumiEngine implements Engine {
  readonly #workspace: RunnerRequest["workspace"];
  readonly #environment: NodeJS.ProcessEnv;
  readonly #runners: Runners;

  /** @throws Error if ORGSEAT_PULUMI names no executable file, or if the folder has another release of orgseat */
  constructor({ folder, secretsProvider, environment }: PulumiOptions) {
    this.#workspace = {
      folder: projectFolder(folder),
      ...(secretsProvider !== undefined && { secretsProvider }),
    };
    const surrounding = { ...process.env, ...environment };
    const NODE_PATH = nodePathOf(this.#workspace.folder, surrounding.NODE_PATH);
    this.#environment = environmentOf({ ...surrounding, NODE_PATH });
    this.#runners = new Runners(this.#environment);
  }

  prepare(stacks: readonly string[]): void {
    for (const stack of stacks) this.#runners.prepare(stack, this.#workspace);
  }

  async run(
    run: StackRun,
    listener: (progress: Progress) => void = () => undefined,
    signal?: AbortSignal,
  ): Promise<StackOutcome> {
    const outcome = await this.#runners.run({ ...run, workspace: this.#workspace }, listener, signal);
    return outcome.failure?.code === "locked" ? this.#withUnlockCommand(outcome, outcome.failure) : outcome;
  }

  /** Pulumi never removes the lock of a process that died. */
  #withUnlockCommand(outcome: StackOutcome, failure: StackRunFailure): StackOutcome {
    const folder = relative("", this.#workspace.folder);
    const cancel = `pulumi cancel --stack ${outcome.stack}${folder === "" ? "" : ` --cwd ${folder}`}`;
    const text = `${failure.text}. If that run was killed, remove its lock with \`${cancel}\``;
    return { ...outcome, failure: { ...failure, text } };
  }

  async listStacks(like: string): Promise<ListedStack[]> {
    const prefix = like.slice(0, like.lastIndexOf("/") + 1);
    // Otherwise Pulumi omits the current project and the default organization.
    const flags = prefix === "" ? [] : ["--fully-qualify-stack-names"];
    const { stdout, error } = await this.#pulumi(["stack", "ls", "--json", ...flags]);
    if (error !== undefined) throw new Error(`cannot list the stacks of this project: ${error}`);
    const listed = z.array(listedSchema).parse(JSON.parse(stdout));
    // The others belong to another organization.
    return listed
      .filter(({ name }) => name.startsWith(prefix) && !name.slice(prefix.length).includes("/"))
      .map(({ name, lastUpdate }) => ({ name, savedAt: lastUpdate }));
  }

  exportStack(stack: string): Promise<Deployment | undefined> {
    return this.#export(stack, []);
  }

  exportWithSecrets(stack: string): Promise<Deployment | undefined> {
    return this.#export(stack, ["--show-secrets"]);
  }

  async #export(stack: string, flags: readonly string[]): Promise<Deployment | undefined> {
    const { stdout, error } = await this.#pulumi(["stack", "export", ...flags, "--stack", stack]);
    if (error === undefined) return JSON.parse(stdout);
    if (NO_STACK.test(error)) return undefined;
    throw new Error(`cannot read the state of stack ${stack}: ${error}`);
  }

  async importStack(stack: string, deployment: Deployment): Promise<void> {
    // Through a pipe, because the state can contain decrypted secrets.
    const { error } = await this.#pulumi(["stack", "import", "--stack", stack], {
      input: JSON.stringify(deployment),
    });
    if (error !== undefined) throw new Error(`cannot write the state of stack ${stack}: ${error}`);
  }

  async createStack(stack: string): Promise<void> {
    const { secretsProvider } = this.#workspace;
    const secrets = secretsProvider === undefined ? [] : ["--secrets-provider", secretsProvider];
    const { error } = await this.#pulumi(["stack", "init", stack, "--no-select", ...secrets]);
    if (error !== undefined && !/already exists/.test(error)) {
      throw new Error(`cannot create stack ${stack}: ${error}`);
    }
  }

  async removeStack(stack: string): Promise<void> {
    const { error } = await this.#pulumi(["stack", "rm", "--yes", stack]);
    if (error !== undefined) throw new Error(`cannot remove stack ${stack}: ${error}`);
  }

  async clearStack(stack: string, environment: Readonly<Record<string, string>>): Promise<void> {
    const args = ["destroy", "--yes", "--skip-preview", "--stack", stack];
    const { error } = await this.#pulumi(args, { environment });
    if (error !== undefined) throw new Error(`cannot clear stack ${stack}: ${error}`);
  }

  async configOf(stack: string): Promise<ReadonlyMap<string, string>> {
    const { stdout, error } = await this.#pulumi(["config", "--json", "--show-secrets", "--stack", stack]);
    if (error !== undefined) {
      if (NO_STACK.test(error)) return new Map();
      throw new Error(`cannot read the configuration of stack ${stack}: ${error}`);
    }
    const values = z.record(z.string(), z.object({ value: z.string().optional() })).parse(JSON.parse(stdout));
    return new Map(
      Object.entries(values).flatMap(([key, { value }]) =>
        value === undefined ? [] : [[key, value] as const],
      ),
    );
  }

  async hasConfig(stack: string): Promise<boolean> {
    return hasConfigFile(this.#workspace.folder, stack);
  }

  async copyConfig(from: string, to: string): Promise<void> {
    const { error } = await this.#pulumi(["config", "cp", "--stack", from, "--dest", to]);
    if (error !== undefined) {
      throw new Error(`cannot copy the configuration of stack ${from} to ${to}: ${error}`);
    }
  }

  /** @returns as `error` the error of pulumi in one line, without other output */
  async #pulumi(
    args: readonly string[],
    { input = "", environment = {} }: { input?: string; environment?: Readonly<Record<string, string>> } = {},
  ): Promise<{ stdout: string; error: string | undefined }> {
    const options = {
      cwd: this.#workspace.folder,
      env: { ...this.#environment, ...environment },
      maxBuffer: Number.POSITIVE_INFINITY,
    };
    try {
      const running = promisify(execFile)("pulumi", [...args, "--non-interactive"], options);
      running.child.stdin?.on("error", () => undefined).end(input);
      return { stdout: (await running).stdout, error: undefined };
    } catch (error) {
      return { stdout: "", error: errorTextOf(error) };
    }
  }
}

/** Creates a project in a folder of its own if the roster's folder has none. */
function projectFolder(folder: string): string {
  const own = projectFolderOf(folder);
  if (own === folder) return folder;
  mkdirSync(own, { recursive: true });
  const file = join(own, "Pulumi.yaml");
  if (!existsSync(file)) writeFileSync(file, PROJECT);
  return own;
}

function environmentOf(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const named = namedPulumi(environment);
  if (named && "problem" in named) throw new Error(`${named.problem}; ${CORRECT_PULUMI}`);
  return {
    // The Automation API runs the first `pulumi` of the PATH.
    ...(named === undefined ? environment : withFolderFirst(environment, dirname(named.file))),
    PULUMI_SKIP_UPDATE_CHECK: "true",
    NODE_COMPILE_CACHE: environment.NODE_COMPILE_CACHE || join(cacheFolder(environment), "compiled"),
    NODE_OPTIONS: `${environment.NODE_OPTIONS ?? ""} --require ${JSON.stringify(lazyClosures)}`.trim(),
    // gRPC between Pulumi's processes would use the proxy of `https_proxy`.
    no_grpc_proxy: environment.no_grpc_proxy || "127.0.0.1,localhost",
    // For stacks without a settings file: the state names its secrets provider.
    PULUMI_FALLBACK_TO_STATE_SECRETS_MANAGER: "true",
  };
}

function errorTextOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ("code" in error && error.code === "ENOENT") {
    return "cannot find `pulumi` on the PATH. Install the Pulumi CLI, or name one in ORGSEAT_PULUMI";
  }
  return reasonOf("stderr" in error && typeof error.stderr === "string" ? error.stderr : error.message);
}
