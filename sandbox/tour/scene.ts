/** The tools of the chapters: the service, the program, the engine and the output. */
import type { RunningService, ServiceSnapshot } from "../service/index.ts";
import type { CommandResult, Stack } from "../start/stack.ts";
import type { StackContents as Members } from "../start/state.ts";
import { type EngineOutput, previewAndRun, shorten } from "./engine-output.ts";
import { type TourRoster, writeProgram } from "./program.ts";
import { operationsByPerson, requestLines } from "./wire.ts";

/** @throws Error with the sentence, unless the condition holds */
export function expectThat(condition: boolean, sentence: string): void {
  if (!condition) throw new Error(sentence);
}

interface SceneDependencies {
  readonly service: RunningService;
  readonly stack: Pick<Stack, "capture" | "roster">;
  /** The folder of the program. */
  readonly folder: string;
  readonly print: (line: string) => void;
}

interface Run {
  readonly output: EngineOutput;
  /** The requests since the previous command, by person. */
  readonly operations: ReadonlyMap<string, readonly string[]>;
}

export class Scene {
  readonly #parts: SceneDependencies;
  /** Names by user id, former members included. */
  readonly #names = new Map<string, string>();
  #roster: TourRoster | undefined;
  #seenRequests = 0;
  #last: CommandResult | undefined;

  constructor(parts: SceneDependencies) {
    this.#parts = parts;
  }

  get service(): RunningService {
    return this.#parts.service;
  }

  /** The last output of the engine. */
  get lastOutput(): string | undefined {
    return this.#last?.output;
  }

  print(line = ""): void {
    this.#parts.print(line);
  }

  /** Changes the program, and prints the changed lines. */
  program(roster: TourRoster): void {
    const lines = writeProgram(this.#parts.folder, roster, this.#roster);
    this.#printBlock(this.#roster === undefined ? "index.ts" : "index.ts changes", lines);
    this.#roster = roster;
  }

  /** `pulumi preview`. @throws Error where it fails */
  async preview(...options: string[]): Promise<Run> {
    const { output } = await this.#engine(["preview", ...options], "succeeds");
    const shortened = shorten(output);
    this.#printBlock("preview", [...shortened.steps, ...shortened.messages]);
    return { output: shortened, operations: await this.#requests() };
  }

  /** `pulumi up`, with its preview unless `--skip-preview` is among the options. */
  async up(ending: "succeeds" | "fails", ...options: string[]): Promise<Run> {
    const { output } = await this.#engine(["up", "--yes", ...options], ending);
    const { preview, run } = previewAndRun(output);
    if (!options.includes("--skip-preview")) this.#printBlock("preview", shorten(preview).steps);
    const shortened = shorten(run);
    this.#printRun("up", shortened);
    return { output: shortened, operations: await this.#requests() };
  }

  /** `pulumi destroy`. @throws Error where it fails */
  async destroy(): Promise<Run> {
    const { output } = await this.#engine(["destroy", "--yes", "--skip-preview"], "succeeds");
    const shortened = shorten(output);
    this.#printRun("destroy", shortened);
    return { output: shortened, operations: await this.#requests() };
  }

  /** The service's tokens by person, without revoked ones: the hash of the value, and the expiry. */
  async tokens(): Promise<Map<string, { hash: string; expiresAt: string }>> {
    const tokens = (await this.#snapshot()).tokens.filter(({ revoked }) => !revoked);
    return new Map(tokens.map(({ userId, hash, expiresAt }) => [this.#nameOf(userId), { hash, expiresAt }]));
  }

  /** The content of the service. */
  async contents(): Promise<{ users: number; seats: number; tokens: number }> {
    const { users, tokens } = await this.#snapshot();
    return { users: users.length, seats: users.filter(({ seat }) => seat).length, tokens: tokens.length };
  }

  /** The content of Pulumi's state. */
  async state(): Promise<Members> {
    return this.#parts.stack.roster();
  }

  async #engine(args: readonly string[], ending: "succeeds" | "fails"): Promise<CommandResult> {
    this.print(`  $ pulumi ${args.join(" ")}`);
    this.#last = await this.#parts.stack.capture(args);
    expectThat(
      (this.#last.code === 0) === (ending === "succeeds"),
      `\`pulumi ${args[0]}\` ended with exit code ${this.#last.code}`,
    );
    return this.#last;
  }

  /** Prints the messages that the preview has not printed. */
  #printRun(command: string, { messages, sum }: EngineOutput): void {
    const failures = messages.filter((line) => /^(error|warning):/.test(line));
    this.#printBlock(command, [...failures, sum]);
  }

  async #requests(): Promise<Map<string, string[]>> {
    const requests = await this.service.management.requests(this.#seenRequests);
    this.#seenRequests = requests.at(-1)?.number ?? this.#seenRequests;
    await this.#snapshot();
    const nameOf = (userId: string) => this.#nameOf(userId);
    const lines = requestLines(requests, nameOf);
    this.#printBlock("requests to the service", lines.length === 0 ? ["none"] : lines);
    return operationsByPerson(requests, nameOf);
  }

  async #snapshot(): Promise<ServiceSnapshot> {
    const snapshot = await this.service.management.snapshot();
    for (const { userId, email, firstName } of snapshot.users) {
      this.#names.set(userId, email ?? firstName ?? userId);
    }
    return snapshot;
  }

  #nameOf(userId: string): string {
    return this.#names.get(userId) ?? userId;
  }

  #printBlock(title: string, lines: readonly string[]): void {
    this.print(`  ${title}:`);
    for (const line of lines) this.print(`    ${line}`.trimEnd());
  }
}
