/**
 * The resources' own code against a service over HTTP, in this process: the provider's objects as Pulumi's process
 * calls them, and a small deployment over them in Pulumi's order. Milliseconds a run, for tests of thousands of cases.
 */
import { environmentName } from "../../provider/config/setting-values.ts";
import { type DirectProviders, directProviders, type Message, realTime } from "./direct-providers.ts";
import {
  type DirectResource,
  DirectRun,
  type DirectStep,
  type Recorded,
  type RunOptions,
} from "./direct-run.ts";
import type { Sandbox } from "./sandbox.ts";

export type { DirectResource } from "./direct-run.ts";

/** What a run said: failures, and messages to the person. */
export interface Said {
  readonly errors: string[];
  readonly messages: Message[];
}

/** The same, with what was done, or would be, and which resource failed. */
export interface Outcome extends Said {
  readonly steps: readonly DirectStep[];
  readonly faults: readonly { readonly name: string; readonly text: string }[];
}

export interface StackRunOptions extends RunOptions {
  /** Over the configuration of the stack. */
  readonly environment?: Readonly<Record<string, string>> | undefined;
  /** Whether Pulumi first reads everything, and compares it with the inputs of the state, as `--refresh` does. */
  readonly isRefreshed?: boolean | undefined;
}

/** Configuration of a sandbox, as environment variables. */
export function configurationOf(sandbox: Sandbox, account: { clientId: string; clientSecret: string }) {
  const { orgUrl, tokenUrl, modelUrl, seed, platform } = sandbox.service;
  const values = { ...seed, orgUrl, tokenUrl, modelUrl, platform, ...account };
  const keys = [
    "organizationId",
    "orgUrl",
    "tokenUrl",
    "platform",
    "username",
    "password",
    "clientId",
    "clientSecret",
    "modelUrl",
    "apiKey",
  ] as const;
  const configuration: Record<string, string> = {};
  for (const key of [...keys, "subscriptionExpiresAt"] as const)
    configuration[environmentName(key)] = values[key];
  return configuration;
}

/** A stack without an engine: what the state holds, and runs over it. */
export class DirectStack {
  readonly state = new Map<string, Recorded>();
  readonly #replaced: Recorded[] = [];
  /** By name, what a run is creating or updating, or was when it was killed: Pulumi's pending operations. */
  readonly pending = new Map<string, Pick<Recorded, "declared" | "inputs">>();
  /** `ORGSEAT_*`; a test may change it between runs. */
  readonly configuration: Record<string, string>;
  now: () => number = Date.now;
  /** Of operations and their repeats, for each run anew. */
  time: () => typeof realTime = () => realTime;

  constructor(configuration: Record<string, string>) {
    this.configuration = configuration;
  }

  /** Everything that the state has, replaced ones whose removal is still to come too. */
  recorded(): Recorded[] {
    return [...this.state.values(), ...this.#replaced];
  }

  knows(name: string, id: string): boolean {
    return this.state.get(name)?.id === id || this.#replaced.some((old) => old.id === id);
  }

  /** Records a resource as the state has it, in place of a placeholder, otherwise of what it replaces. */
  put(recorded: Recorded): void {
    const { name } = recorded.declared;
    const old = this.state.get(name);
    if (old !== undefined && !old.id.startsWith("undecided-")) this.#replaced.push(old);
    this.state.set(name, recorded);
  }

  /** Another one with the same state, which goes its own way. @param configuration over its own */
  copy(configuration: Readonly<Record<string, string>> = {}): DirectStack {
    const copy = new DirectStack({ ...this.configuration, ...configuration });
    for (const [name, recorded] of this.state) copy.state.set(name, recorded);
    copy.#replaced.push(...this.#replaced);
    for (const [name, pending] of this.pending) copy.pending.set(name, pending);
    copy.now = this.now;
    copy.time = this.time;
    return copy;
  }

  /** Makes the state as the program says. */
  async up(program: readonly DirectResource[]): Promise<Said> {
    return saidIn(await this.run(program));
  }

  /** Removes everything. */
  async destroy(): Promise<Said> {
    return saidIn(await this.#run({}, (run) => run.destroy()));
  }

  /** An `up`, or without a call what one would do. @returns all that is to be told of it */
  run(program: readonly DirectResource[], options: StackRunOptions = {}): Promise<Outcome> {
    return this.#run(options, (run) => run.up(program));
  }

  /** Reads everything; what is gone leaves the state. @param environment over the configuration of the stack */
  async refresh(environment: Readonly<Record<string, string>> = {}): Promise<Said> {
    const said: Said = { errors: [], messages: [] };
    await this.#withProviders(environment, said.messages, async (made) => {
      for (const [name, recorded] of [...this.state]) {
        const { declared, id, outs } = recorded;
        try {
          const read = await made[declared.type].read(id, outs);
          if (!read.id) this.state.delete(name);
          else this.state.set(name, { ...recorded, outs: { ...read.props } });
        } catch (error) {
          said.errors.push(error instanceof Error ? error.message : String(error));
        }
      }
    });
    return said;
  }

  /** Names of what an `up` would change, without a call. */
  async preview(program: readonly DirectResource[]): Promise<string[]> {
    const { steps, errors } = await this.run(program, { isDry: true });
    if (errors.length > 0) throw new Error(errors.join("\n"));
    return steps.filter(({ action }) => action !== "same").map(({ declared }) => declared.name);
  }

  async #run(
    { environment = {}, isRefreshed = false, ...options }: StackRunOptions,
    work: (run: DirectRun) => Promise<void>,
  ): Promise<Outcome> {
    const messages: Message[] = [];
    // Pulumi keeps unfinished creations alone.
    if (options.isDry !== true) for (const name of this.state.keys()) this.pending.delete(name);
    return this.#withProviders(environment, messages, async (made) => {
      for (const { declared, id, outs, inputs } of isRefreshed ? this.state.values() : []) {
        const { props } = await made[declared.type].read(id, outs);
        await made[declared.type].diff(id, { ...props }, inputs);
      }
      const run = new DirectRun(
        made,
        {
          ...{ resources: this.state, replaced: this.#replaced },
          pending: this.pending,
        },
        options,
      );
      await work(run);
      return { messages, steps: run.steps, faults: run.errors, errors: run.errors.map(({ text }) => text) };
    });
  }

  async #withProviders<Result>(
    environment: Readonly<Record<string, string>>,
    messages: Message[],
    work: (made: DirectProviders) => Promise<Result>,
  ): Promise<Result> {
    const { process, made } = directProviders(
      { ...this.configuration, ...environment },
      this.now,
      messages,
      this.time(),
    );
    try {
      return await work(made);
    } finally {
      await process.close();
    }
  }
}

function saidIn({ errors, messages }: Outcome): Said {
  return { errors, messages };
}
