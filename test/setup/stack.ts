/** A project whose program makes the resources that a JSON file lists, so a test changes the program by data. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { emulatorCommand } from "../../sandbox/start/engine.ts";
import { type Declared, type DeclaredProgram, programFile } from "./declared.ts";
import { withInlineProgram } from "./inline.ts";
import { usePlugin } from "./plugin-stack.ts";
import { initialize, type Outcome, ProjectStack, projectEnvironment, type TestEngine } from "./project.ts";
import { nodeOptions } from "./quick-node.ts";
import { runHere } from "./run-here.ts";
import { makeServiceAccount, type Sandbox, temporaryFolder } from "./sandbox.ts";
import { changeOutputs, inTheClear, type StateResource, stateResources } from "./state-file.ts";

export type { Declared } from "./declared.ts";
export { type Outcome, onEachDoor, onEachEngine, onRealCli, type TestEngine } from "./project.ts";
export type { StateResource } from "./state-file.ts";

/**
 * Where the program and the emulator run: `inline` in processes that have them ready, the program's as with the Automation
 * API, which spares each command the start of two; `process` in ones of their own, as with the command line.
 */
type ProgramPlace = "inline" | "process";

const PROGRAM = `import * as orgseat from "orgseat";
import { makeDeclared } from ${JSON.stringify(new URL("declared.ts", import.meta.url).href)};

const outputs = makeDeclared(orgseat, process.cwd());
export default async () => outputs;
`;

export class TestStack extends ProjectStack {
  /** Of the commands that run the program; those that are begun by `start` start a process for it. */
  programs: ProgramPlace = "inline";

  constructor(...project: ConstructorParameters<typeof ProjectStack>) {
    super(...project);
    this.environment.NODE_OPTIONS = nodeOptions;
  }

  /** Writes the program. */
  declare(resources: readonly Declared[], exports: Record<string, string> = {}): void {
    const program: DeclaredProgram = { resources, exports };
    writeFileSync(join(this.folder, programFile), JSON.stringify(program));
  }

  override async pulumi(command: string, ...args: string[]): Promise<Outcome> {
    const run = (...whole: string[]) =>
      this.programs === "inline" && this.engine.command === emulatorCommand
        ? this.#runHere(whole)
        : super.pulumi(...whole);
    const runsProgram = command === "up" || command === "preview";
    if (!runsProgram || this.programs === "process") return run(command, ...args);
    return withInlineProgram(this.folder, this.variables(), (options) => run(command, ...args, ...options));
  }

  /** Runs a command of the emulator in this process, which spares the start of one. */
  async #runHere(args: readonly string[]): Promise<Outcome> {
    const whole = ["-C", this.folder, ...args, "--non-interactive", "--color", "never"];
    const { code, output } = await runHere(whole, this.variables());
    if (!args.includes("--show-secrets")) this.printed.push(output);
    return { code, output };
  }

  get #typePrefix(): string {
    return this.engine.door === "plugin" ? "orgseat:index:" : "pulumi-nodejs:orgseat:";
  }

  /** The file in which the engine keeps the state. */
  get stateFile(): string {
    return join(this.folder, "state/.pulumi/stacks/roster/test.json");
  }

  /** The resources of the state, the stack and the providers left out; secrets are encrypted. */
  resources(): StateResource[] {
    return stateResources(this.stateFile).filter(
      ({ type }) => type.startsWith(this.#typePrefix) && !type.endsWith(":OrgMember"),
    );
  }

  /** Changes outputs in the state, so that a resource is older than the test. */
  changeOutputs(
    type: Declared["type"],
    change: (outputs: Record<string, unknown>) => Record<string, unknown>,
  ): void {
    changeOutputs(this.stateFile, this.#typePrefix + type, change);
  }

  /** An output of the stack that is a text, a secret one in the clear. */
  async stackOutput(name: string): Promise<string> {
    const root = stateResources(this.stateFile).find(({ type }) => type === "pulumi:pulumi:Stack");
    return z.string().parse(await this.inTheClear(root?.outputs?.[name]));
  }

  /** A value of the state, decrypted if it is a secret. */
  inTheClear(value: unknown): Promise<unknown> {
    return inTheClear(this.stateFile, this.variables().PULUMI_CONFIG_PASSPHRASE ?? "", value);
  }
}

/**
 * A project with an initialised stack, configured for a sandbox whose service account exists already.
 * @param environment variables over the isolated environment
 */
export async function testStack(
  engine: TestEngine,
  sandbox: Sandbox,
  environment: Readonly<Record<string, string>> = {},
): Promise<TestStack> {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "Pulumi.yaml"), projectFile);
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({ name: "roster", type: "module", private: true }),
  );
  writeFileSync(join(folder, "index.mjs"), PROGRAM);
  const { seed } = sandbox.service;
  const account = await makeServiceAccount(sandbox);
  const isolated = projectEnvironment(sandbox, folder, {
    ORGSEAT_USERNAME: seed.username,
    ORGSEAT_PASSWORD: seed.password,
    ORGSEAT_CLIENT_ID: account.clientId,
    ORGSEAT_CLIENT_SECRET: account.clientSecret,
    ...environment,
  });
  const stack = new TestStack(engine, sandbox, folder, isolated);
  stack.declare([]);
  await initialize(stack);
  if (engine.door === "plugin") usePlugin(stack);
  await sandbox.requests();
  return stack;
}

const projectFile = `name: roster
main: index.mjs
runtime:
  name: nodejs
  options:
    typescript: false
    nodeargs: --stack-trace-limit=0
`;
