/** A project whose program makes the resources that a JSON file lists, so a test changes the program by data. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { type Declared, type DeclaredProgram, programFile } from "./declared.ts";
import { withInlineProgram } from "./inline.ts";
import { usePlugin } from "./plugin-stack.ts";
import { type Door, initialize, type Outcome, ProjectStack, projectEnvironment } from "./project.ts";
import { nodeOptions } from "./quick-node.ts";
import { makeServiceAccount, type Sandbox, temporaryFolder } from "./sandbox.ts";
import { changeOutputs, inTheClear, type StateResource, stateResources } from "./state-file.ts";

export type { Declared } from "./declared.ts";
export { type Door, type Outcome, onEachDoor } from "./project.ts";
export type { StateResource } from "./state-file.ts";

/**
 * Where the program runs: `inline` in a process that has it ready, as with the Automation API, which spares each command the
 * start of one; `process` in one of its own, as with the command line.
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

  readonly door: Door;

  constructor(sandbox: Sandbox, folder: string, isolated: Record<string, string>, door: Door = "dynamic") {
    super(sandbox, folder, isolated);
    this.door = door;
    this.environment.NODE_OPTIONS = nodeOptions;
  }

  /** Writes the program. */
  declare(resources: readonly Declared[], exports: Record<string, string> = {}): void {
    const program: DeclaredProgram = { resources, exports };
    writeFileSync(join(this.folder, programFile), JSON.stringify(program));
  }

  override async pulumi(command: string, ...args: string[]): Promise<Outcome> {
    const run = (...whole: string[]) => super.pulumi(...whole);
    const runsProgram = command === "up" || command === "preview";
    if (!runsProgram || this.programs === "process") return run(command, ...args);
    return withInlineProgram(this.folder, this.variables(), (options) => run(command, ...args, ...options));
  }

  get #typePrefix(): string {
    return this.door === "plugin" ? "orgseat:index:" : "pulumi-nodejs:orgseat:";
  }

  /** The file in which the engine keeps the state. */
  get stateFile(): string {
    return join(this.folder, "state/.pulumi/stacks/roster/test.json");
  }

  /** The resources of the state, the stack and the providers left out; secrets are encrypted. */
  resources(): StateResource[] {
    return stateResources(this.stateFile).filter(({ type }) => type.startsWith(this.#typePrefix));
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
  sandbox: Sandbox,
  environment: Readonly<Record<string, string>> = {},
  door: Door = "dynamic",
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
  const stack = new TestStack(sandbox, folder, isolated, door);
  stack.declare([]);
  await initialize(stack);
  if (door === "plugin") usePlugin(stack);
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
