/** The Pulumi CLI of ORGSEAT_PULUMI_PATH, of npm, or of the PATH, with one runner process per stack. */

import { z } from "zod";
import { Redactor } from "../../provider/api/client/redact.ts";
import { stateFault } from "../../provider/backend/state-faults.ts";
import { backendIn, statePlace } from "../../provider/backend/state-files.ts";
import { CodedError, codeOf } from "../../provider/util/error-codes.ts";
import { emptyPassphrase, runPulumi } from "../../provider/util/pulumi-command.ts";
import { downloadPulumi, type FoundPulumi } from "../../provider/util/search-path.ts";
import { messageOf, THEN_RUN_AGAIN } from "../../provider/util/text.ts";
import { configWithoutState, plainConfig } from "./config-alone.ts";
import {
  type Deployment,
  type Engine,
  type EngineTarget,
  outcomeWithout,
  type Progress,
  type StackOutcome,
  type StackRun,
} from "./engine.ts";
import { environmentOf } from "./environment.ts";
import { addSecretsOfEnvironment, addSecretsOfState, withTexts } from "./masked.ts";
import type { RunnerRequest } from "./messages.ts";
import { nodeOptionsOf, nodePathOf, refusePlugins } from "./packages.ts";
import { type Encryption, refuseEmptyPassphrase, refuseIfEmpty } from "./passphrase.ts";
import { Runners } from "./runners.ts";
import {
  OWN_PROJECT,
  projectFolder,
  readProject,
  removeCutOffSalt,
  shortStackName,
  unlockCommand,
} from "./stack-names.ts";
import { CommandLimit } from "./stopping.ts";

/** The error of Pulumi for a stack that does not exist. */
const NO_STACK = /no stack named/;
const configValueSchema = z.object({ value: z.string().optional(), secret: z.boolean().optional() });

export interface PulumiOptions {
  /** The folder of the roster. Its Pulumi.yaml, if it exists, names the project. */
  readonly folder: string;
  /** For new stacks, as in `pulumi stack init --secrets-provider`. Default: Pulumi's. */
  readonly secretsProvider?: string | undefined;
  /** Variables that override those of this process. */
  readonly environment?: Readonly<Record<string, string>> | undefined;
  /** Whether a stack has the configuration of its file if Pulumi cannot open its state. Default: no. */
  readonly acceptsUnreadable?: boolean | undefined;
  /** Learns the secrets of the environment and those that the engine reads, and removes them from its messages. Default: a new one. */
  readonly secrets?: Redactor | undefined;
}

export class PulumiEngine implements Engine {
  readonly #workspace: RunnerRequest["workspace"];
  readonly #environment: NodeJS.ProcessEnv;
  readonly #encryption: Encryption;
  readonly #cli: FoundPulumi | undefined;
  #download: Promise<void> | undefined;
  readonly #runners: Runners;
  readonly #limit = new CommandLimit();
  readonly #secrets: Redactor;
  readonly #acceptsUnreadable: boolean;
  readonly target: EngineTarget;

  /**
   * @throws Error if ORGSEAT_PULUMI_PATH names no executable file, if the folder has another release of orgseat, or if its project
   * names programs that Pulumi would run
   */
  constructor(options: PulumiOptions) {
    const { folder, secretsProvider, environment, secrets } = options;
    this.#acceptsUnreadable = options.acceptsUnreadable ?? false;
    this.#workspace = {
      folder: projectFolder(folder),
      ...(secretsProvider !== undefined && { secretsProvider }),
    };
    refusePlugins(this.#workspace.folder);
    const surrounding = { ...process.env, ...environment };
    const NODE_PATH = nodePathOf(this.#workspace.folder, surrounding.NODE_PATH);
    const NODE_OPTIONS = nodeOptionsOf(surrounding.NODE_OPTIONS);
    const found = environmentOf({ ...surrounding, NODE_PATH, NODE_OPTIONS });
    this.#environment = found.environment;
    const backend = async () =>
      backendIn(await this.#pulumi(["whoami", "--json"], { cannot: "find the backend" }));
    this.#encryption = { environment: this.#environment, secretsProvider, backend };
    this.#cli = found.pulumi;
    this.#secrets = secrets ?? new Redactor();
    addSecretsOfEnvironment(this.#secrets, this.#environment);
    this.#runners = new Runners(this.#environment);
    this.target = targetOf(this.#workspace.folder, surrounding);
  }

  stopWith(signal: AbortSignal): void {
    this.#limit.stopWith(signal);
  }

  kill(): void {
    this.#limit.end();
    this.#runners.kill();
  }

  async run(
    run: StackRun,
    listener: (progress: Progress) => void = () => undefined,
    signal?: AbortSignal,
  ): Promise<StackOutcome> {
    if (signal) this.stopWith(signal);
    await this.#downloaded();
    const { stack, isNew } = run;
    try {
      removeCutOffSalt(this.#workspace.folder, stack);
      await this.#refuseEmptyPassphrase(stack, isNew ? undefined : () => this.exportStack(stack));
    } catch (error) {
      return outcomeWithout(stack, { code: codeOf(error) ?? "pulumi-failed", text: messageOf(error) });
    }
    const found = await this.#runners.run({ ...run, workspace: this.#workspace }, listener, signal);
    const outcome = withTexts(found, (text) => this.#secrets.redact(text));
    const { failure } = outcome;
    if (failure?.code !== "stack-locked") return outcome;
    return { ...outcome, failure: { ...failure, text: this.#withUnlock(run.stack, failure.text) } };
  }

  /** npm's package `pulumi` downloads the CLI on its first use, with text on standard output. */
  #downloaded(): Promise<void> | undefined {
    if (this.#cli?.downloader !== undefined)
      this.#download ??= downloadPulumi(this.#cli, this.#environment, this.#limit.atOnce);
    return this.#download;
  }

  #withUnlock(stack: string, text: string): string {
    const cancel = unlockCommand(stack, this.#workspace.folder);
    return `${text}. If that run was killed, remove its lock with \`${cancel}\``;
  }

  exportStack(stack: string): Promise<Deployment | undefined> {
    return this.#export(stack, []);
  }

  async #refuseEmptyPassphrase(stack: string, exported?: () => Promise<Deployment | undefined>) {
    if (emptyPassphrase(this.#environment) === undefined) return;
    await refuseEmptyPassphrase(stack, this.#encryption, exported);
  }

  async exportWithSecrets(stack: string): Promise<Deployment | undefined> {
    await this.#refuseEmptyPassphrase(stack, () => this.exportStack(stack));
    const deployment = await this.#export(stack, ["--show-secrets"]);
    addSecretsOfState(this.#secrets, deployment);
    return deployment;
  }

  async #export(stack: string, flags: readonly string[]): Promise<Deployment | undefined> {
    const stdout = await this.#pulumi(["stack", "export", ...flags, "--stack", stack], {
      ...{ cannot: `read the state of stack ${stack}`, stack, unless: NO_STACK },
    });
    return stdout === undefined ? undefined : JSON.parse(stdout);
  }

  async clearStack(stack: string, environment: Readonly<Record<string, string>>): Promise<void> {
    removeCutOffSalt(this.#workspace.folder, stack);
    const args = ["destroy", "--yes", "--skip-preview", "--stack", stack];
    await this.#pulumi(args, { cannot: `clear stack ${stack}`, environment });
  }

  async configOf(stack: string): Promise<ReadonlyMap<string, string>> {
    try {
      const args = ["config", "--json", "--show-secrets", "--stack", stack];
      const cannot = `read the configuration of stack ${stack}`;
      return this.#configIn(await this.#pulumi(args, { cannot, stack, unless: NO_STACK }));
    } catch (error) {
      if (!this.#acceptsUnreadable) throw error;
      return this.#configAlone(stack);
    }
  }

  async #configAlone(stack: string): Promise<ReadonlyMap<string, string>> {
    const { folder: own } = this.#workspace;
    const { signal } = this.#limit;
    try {
      const stdout = await configWithoutState(own, stack, (folder, args, more) =>
        runPulumi(args, { folder, signal, environment: { ...this.#environment, ...more } }),
      );
      return this.#configIn(stdout);
    } catch {
      return plainConfig(own, stack);
    }
  }

  /** @param stdout of `pulumi config --json --show-secrets` */
  #configIn(stdout = "{}"): ReadonlyMap<string, string> {
    const values = z.record(z.string(), configValueSchema).parse(JSON.parse(stdout));
    for (const { value, secret } of Object.values(values)) if (secret) this.#secrets.add(value);
    return new Map(
      Object.entries(values).flatMap(([key, { value }]) =>
        value === undefined ? [] : [[key, value] as const],
      ),
    );
  }

  /** @returns its standard output; undefined if it ended with an error like `unless` @throws Error in one line */
  async #pulumi(
    args: readonly string[],
    { cannot, stack, unless, input = "", environment = {} }: PulumiCommand,
  ): Promise<string | undefined> {
    const { folder } = this.#workspace;
    try {
      await this.#downloaded();
      const options = { folder, input, signal: this.#limit.signal };
      return await runPulumi(args, { ...options, environment: { ...this.#environment, ...environment } });
    } catch (error) {
      const text = messageOf(error);
      if (unless?.test(text)) return undefined;
      if (/passphrase/.test(text)) refuseIfEmpty(cannot, this.#environment);
      throw await this.#failure(error, cannot, stack);
    }
  }

  /** With the step that heals it, as far as that is known. */
  async #failure(error: unknown, cannot: string, stack = ""): Promise<CodedError> {
    const text = messageOf(error);
    const fault = stateFault(text, await this.#placeOf(stack));
    const cause = fault?.cause === undefined ? "" : `: ${fault.cause}`;
    const next = fault === undefined ? "" : `. To go on, ${fault.step}, ${THEN_RUN_AGAIN}`;
    const code = fault?.isDamaged ? "invalid-state" : (codeOf(error) ?? "pulumi-failed");
    return new CodedError(code, `cannot ${cannot}: ${this.#secrets.redact(`${text}${cause}${next}`)}`);
  }

  async #placeOf(stack: string): Promise<ReturnType<typeof statePlace>> {
    const { folder } = this.#workspace;
    const { project } = this.target;
    const named = this.#environment.PULUMI_BACKEND_URL || readProject(folder).backend?.url;
    const options = { folder, environment: this.#environment, signal: this.#limit.signal };
    const whoami = () => runPulumi(["whoami", "--json"], options);
    const backend = named || backendIn(await whoami().catch(() => ""));
    return statePlace({ backend, project, stack: shortStackName(stack) });
  }
}

interface PulumiCommand {
  /** What orgseat cannot do if the command fails. */
  readonly cannot: string;
  /** Whose state it needs. */
  readonly stack?: string;
  /** An error that is none for the caller. */
  readonly unless?: RegExp;
  /** The text for its standard input. */
  readonly input?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

function targetOf(folder: string, { PULUMI_BACKEND_URL }: NodeJS.ProcessEnv): EngineTarget {
  const { name = OWN_PROJECT, backend } = readProject(folder);
  const address = PULUMI_BACKEND_URL || backend?.url || "";
  // User, password, and query can be secret, and say nothing about the place.
  return {
    project: name,
    backend: address.replace(/\?.*$/s, "").replace(/^([a-z][\w+.-]*:\/\/)[^/@]*@/i, "$1"),
  };
}
