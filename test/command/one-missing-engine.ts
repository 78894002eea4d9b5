/** An engine for whom the program of a run has one person less than the one of its preview. */
import type { Engine, Progress, StackOutcome, StackRun } from "../../command/engine/engine.ts";

export class OneMissingEngine implements Engine {
  readonly #engine: Engine;
  readonly #key: string;

  constructor(engine: Engine, key: string) {
    this.#engine = engine;
    this.#key = key;
  }

  run(run: StackRun, listener?: (progress: Progress) => void, signal?: AbortSignal): Promise<StackOutcome> {
    const { operation, program } = run;
    if (operation === "preview") return this.#engine.run(run, listener, signal);
    const people = program.roster.people.filter(({ key }) => key !== this.#key);
    const changed = { ...program, roster: { ...program.roster, people } };
    return this.#engine.run({ ...run, program: changed }, listener, signal);
  }

  listStacks = (like: string) => this.#engine.listStacks(like);
  clearStack = (stack: string, environment: Readonly<Record<string, string>>) =>
    this.#engine.clearStack(stack, environment);
  exportStack = (stack: string) => this.#engine.exportStack(stack);
  exportWithSecrets = (stack: string) => this.#engine.exportWithSecrets(stack);
  importStack = (stack: string, deployment: unknown) => this.#engine.importStack(stack, deployment);
  createStack = (stack: string) => this.#engine.createStack(stack);
  removeStack = (stack: string) => this.#engine.removeStack(stack);
  configOf = (stack: string) => this.#engine.configOf(stack);
  configuredStacks = () => this.#engine.configuredStacks();
  copyConfig = (from: string, to: string) => this.#engine.copyConfig(from, to);
}
