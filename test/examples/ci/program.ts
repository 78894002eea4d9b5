/** The repository of docs/programs-in-ci.md: the example org-members with the files of the guide, and its service. */
import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { withCli } from "../../../sandbox/pulumi/cli.ts";
import { packageRoot } from "../../../sandbox/pulumi/package-root.ts";
import { commandLines } from "../../docs/command-lines.ts";
import { type Ended, runIn } from "../../package/install.ts";
import { compileProvider } from "../../setup/compiled-provider.ts";
import { markedCredentials, markedSandbox } from "../../setup/copies.ts";
import { projectEnvironment, pulumiCommand, pulumiReady } from "../../setup/project.ts";
import { type Sandbox, temporaryFolder } from "../../setup/sandbox.ts";
import { until } from "../../setup/scripted-pulumi.ts";
import { examplesFolder } from "../example.ts";

export const GUIDE = "docs/programs-in-ci.md";

/** The commands of the guide, in its order. */
export const guideLines = commandLines(GUIDE).map(({ text }) => text);
const SETUP = 4;

const KEPT = ["PULUMI_BACKEND_URL", "PULUMI_CONFIG_PASSPHRASE"];
const SETTINGS = ["ORGSEAT_ORG_URL", "ORGSEAT_TOKEN_URL", "ORGSEAT_CLIENT_ID", "ORGSEAT_CLIENT_SECRET"];
/** A command waits for an answer of these, and no one is there. */
const ASKS = /^pulumi (up|cancel)\b/;

export class ProgramRepository {
  readonly sandbox: Sandbox;
  readonly folder = temporaryFolder();
  /** What all commands have printed. */
  readonly printed: string[] = [];

  private constructor(sandbox: Sandbox) {
    this.sandbox = sandbox;
  }

  /** As the guide sets it up. */
  static async open(): Promise<ProgramRepository> {
    const seed = { seats: 10, organizationId: "acme-data" };
    const repository = new ProgramRepository(await markedSandbox(seed, temporaryFolder(), "anaconda"));
    await Promise.all([compileProvider(), pulumiReady()]);
    repository.#fill();
    expect(guideLines[SETUP - 1]).toMatch(/^pulumi config set /);
    for (const line of guideLines.slice(0, SETUP)) await repository.succeed(line);
    await repository.writes();
    return repository;
  }

  #fill(): void {
    const { folder } = this;
    for (const name of ["index.ts", "people.ts", "package.json", "Pulumi.yaml"])
      cpSync(join(examplesFolder, "org-members", name), join(folder, name));
    cpSync(join(examplesFolder, "ci", "steps"), join(folder, "steps"), { recursive: true });
    symlinkSync(join(packageRoot, "node_modules"), join(folder, "node_modules"));
    mkdirSync(join(folder, "state"));
  }

  /** Brings the files of the repository into the folder of a job, as a checkout does. */
  checkout(folder: string): void {
    for (const name of ["index.ts", "people.ts", "package.json", "Pulumi.yaml", "Pulumi.acme.yaml", "steps"])
      cpSync(join(this.folder, name), join(folder, name), { recursive: true });
  }

  /** The variables and secrets of the repository. */
  get settings(): Record<string, string> {
    return this.#variables([...KEPT, ...SETTINGS]);
  }

  /** What a runner has besides them. */
  get machine(): Record<string, string> {
    const isSetting = (name: string) => KEPT.includes(name) || name.startsWith("ORGSEAT_");
    return this.#variables(Object.keys(this.#environment).filter((name) => !isSetting(name)));
  }

  #variables(names: readonly string[]): Record<string, string> {
    return Object.fromEntries(names.map((name) => [name, this.#environment[name] ?? ""]));
  }

  get #environment(): Record<string, string> {
    const isolated = projectEnvironment(this.sandbox, this.folder, markedCredentials);
    return withCli(isolated, { command: pulumiCommand });
  }

  /** Runs a command line in the repository, in the shell of a person. */
  async shell(line: string): Promise<Ended> {
    const asked = ASKS.test(line) ? `${line} --yes` : line;
    const ended = await runIn(this.folder, "bash", ["-e", "-c", asked], {
      ...this.machine,
      ...this.settings,
    });
    this.printed.push(ended.output);
    return ended;
  }

  async succeed(line: string): Promise<Ended> {
    const ended = await this.shell(line);
    expect(ended.code, `${line}: ${ended.output}`).toBe(0);
    return ended;
  }

  /** Starts an `up` of someone else, whose first seat gets no answer. Resolves when it holds the lock of the stack. */
  async startUp(): Promise<ChildProcess> {
    const { management } = this.sandbox.service;
    await management.addFaults({ match: { call: 6 }, fault: { kind: "hang" } });
    const env = { ...this.machine, ...this.settings };
    const child = spawn(pulumiCommand, ["up", "--yes", "--skip-preview"], { cwd: this.folder, env });
    onTestFinished(() => void child.kill("SIGKILL"));
    const locks = join(this.folder, "state", ".pulumi", "locks");
    await until(() => existsSync(locks) && globSync("**/*.json", { cwd: locks }).length > 0);
    return child;
  }

  /** @param from text of people.ts, which the other one replaces */
  edit(from: string | RegExp, to: string): void {
    const file = join(this.folder, "people.ts");
    const text = readFileSync(file, "utf8");
    expect(text).toMatch(from);
    writeFileSync(file, text.replace(from, to));
  }

  /** The requests since the last look that changed something. */
  async writes(): Promise<unknown[]> {
    const requests = await this.sandbox.requests();
    return requests
      .filter(({ method, call }) => method !== "GET" && call !== "token")
      .map(({ call }) => call);
  }

  /** The emails at the service, sorted; those with a seat have a star. */
  async members(): Promise<string[]> {
    const { users } = await this.sandbox.service.management.snapshot();
    return users.map(({ email, seat }) => `${email}${seat ? "*" : ""}`).toSorted();
  }

  async remove(person: string): Promise<void> {
    const { management } = this.sandbox.service;
    const { users } = await management.snapshot();
    await management.removeUser(users.find(({ email }) => email === person)?.userId ?? "");
  }
}
