/**
 * An organization with its roster in a folder of a test's own and its own service, whose secrets are all marked. It
 * is run by the command `orgseat` as a process, or in the test's process by the functions of `orgseat/automation`.
 */
import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { z } from "zod";
import { csvLine } from "../../command/roster/write.ts";
import type { OrganizationApi, TimeLimit } from "../../provider/api/index.ts";
import { packageRoot } from "../../sandbox/pulumi/package-root.ts";
import type { OrganizationSeed, PlatformName, ServiceOptions } from "../../sandbox/service/index.ts";
import { compileProvider } from "../setup/compiled-provider.ts";
import { markedCredentials, markedSandbox } from "../setup/copies.ts";
import { oncePerRun } from "../setup/once.ts";
import { projectEnvironment, pulumiCommand, pulumiReady } from "../setup/project.ts";
import { nodeOptions } from "../setup/quick-node.ts";
import { callService, type Sandbox, temporaryFolder } from "../setup/sandbox.ts";
import { findSecrets, markedSecrets } from "../setup/secrets.ts";

/** One line of the roster, by the names of its columns. */
export type Row = Readonly<Partial<Record<(typeof COLUMNS)[number], string>>>;

const COLUMNS = [
  ...["key", "email", "purpose", "first_name", "last_name", "team", "seat", "token"],
  ...[
    "expires",
    "window",
    "recipients",
    "user_id",
    "rotation",
    "rotate_every",
    "access_until",
    "protected",
    "keep_previous",
  ],
] as const;

/** What a process said, and how it ended. */
export interface CommandOutput {
  /** Null if a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunningCommand {
  readonly pid: number;
  readonly ended: Promise<CommandOutput>;
  /** Resolves as soon as something has been printed that fits. */
  says(pattern: RegExp): Promise<void>;
}

export class TestOrganization {
  readonly sandbox: Sandbox;
  readonly folder: string;
  /** Of the service; it may be copied when the service is closed. */
  readonly dataFolder: string;
  /** Variables over those of the isolated environment; a test may change them between runs. */
  readonly environment: Record<string, string> = {};
  /** What all commands have printed so far. */
  readonly printed: string[] = [];
  /** The file with the state of the stack. */
  stateFile: string;
  /** What runs the command, such as a tracer with its flags. */
  wrapper: readonly string[] = [];

  private constructor(sandbox: Sandbox, folder: string, dataFolder: string) {
    this.sandbox = sandbox;
    this.folder = folder;
    this.dataFolder = dataFolder;
    this.stateFile = join(folder, "state/.pulumi/stacks/orgseat/people.json");
  }

  /** @param dataFolder may hold the data of an earlier service; the seed is then ignored */
  static async open(
    folder: string,
    dataFolder = temporaryFolder(),
    seed: Partial<OrganizationSeed> = {},
    platform?: PlatformName,
    ids?: Pick<ServiceOptions, "newId">,
  ): Promise<TestOrganization> {
    const service = await markedSandbox(seed, dataFolder, platform, ids);
    const organization = new TestOrganization(service, folder, dataFolder);
    if (platform !== undefined) organization.environment.ORGSEAT_PLATFORM = platform;
    return organization;
  }

  /** The same organization on another machine: a clone of the repository, with the same backend. */
  clone(): TestOrganization {
    const folder = temporaryFolder();
    symlinkSync(join(packageRoot, "node_modules"), join(folder, "node_modules"));
    for (const name of readdirSync(this.folder))
      if (/^people\..*csv$/.test(name)) cpSync(join(this.folder, name), join(folder, name));
    const clone = new TestOrganization(this.sandbox, folder, this.dataFolder);
    const { PULUMI_BACKEND_URL = "" } = this.variables();
    Object.assign(clone.environment, this.environment, { PULUMI_BACKEND_URL });
    clone.stateFile = this.stateFile;
    return clone;
  }

  /** The service ends; its data can be copied from then on. */
  close(): Promise<void> {
    return this.sandbox.service.close();
  }

  /** The roster's file. */
  get file(): string {
    return join(this.folder, "people.csv");
  }

  /** The folder of the backend. */
  get stateFolder(): string {
    return this.stateFile.slice(0, this.stateFile.indexOf("/.pulumi/"));
  }

  get auditFile(): string {
    return join(this.folder, ".orgseat", "audit.jsonl");
  }

  /** Writes the roster. @param header fields besides the organization's id */
  write(rows: readonly Row[], header: Readonly<Record<string, string | number>> = {}): void {
    const id = this.rosterId();
    const fields = {
      organization: this.sandbox.organizationId,
      ...(id !== undefined && { roster: id }),
      ...header,
    };
    const lines = Object.entries(fields).map(([name, value]) => `# ${name}: ${value}\n`);
    const cells = rows.map((row) => COLUMNS.map((name) => row[name]));
    const table = [COLUMNS, ...cells].map((row) => `${csvLine(row)}\n`);
    writeFileSync(this.file, [...lines, ...table].join(""));
  }

  /** The id that the file has, which people keep when they edit the rest. */
  rosterId(): string | undefined {
    return existsSync(this.file) ? /^# roster: (\S+)$/m.exec(this.read())?.[1] : undefined;
  }

  read(): string {
    return readFileSync(this.file, "utf8");
  }

  variables(): Record<string, string> {
    const { username } = this.sandbox.service.seed;
    return {
      ...projectEnvironment(this.sandbox, this.folder, { ORGSEAT_USERNAME: username, ...markedCredentials }),
      ORGSEAT_PULUMI_PATH: pulumiCommand,
      NODE_OPTIONS: nodeOptions,
      ...this.environment,
    };
  }

  orgseat(...args: string[]): Promise<CommandOutput> {
    return this.start(...args).ended;
  }

  /** Runs a command that has to succeed. @returns what it printed */
  async succeed(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.orgseat(...args);
    expect(code, `${args.join(" ")}: ${stdout}${stderr}`).toBe(0);
    return stdout + stderr;
  }

  /** Runs a command that prints JSON. @returns what it printed, with the exit code */
  async json<Output>(
    schema: z.ZodType<Output>,
    ...args: string[]
  ): Promise<Output & { code: number | null }> {
    const { code, stdout, stderr } = await this.orgseat(...args, "--json");
    expect(stdout, `${args.join(" ")} says: ${stderr}`).toMatch(/^\{/);
    return { ...schema.parse(JSON.parse(stdout)), code };
  }

  /** Starts a command in its own process group, as a terminal would. */
  start(...args: string[]): RunningCommand {
    const command = [process.execPath, join(packageRoot, "sdk/bin/orgseat.js"), ...args];
    const [first = "", ...rest] = [...this.wrapper, ...command];
    return this.#started(spawn(first, rest, this.#spawning()));
  }

  /** The engine's own command line, in the project of the folder, or in the one that is made for rosters. */
  pulumi(...args: string[]): Promise<CommandOutput> {
    const isProject = existsSync(join(this.folder, "Pulumi.yaml"));
    const cwd = isProject ? this.folder : join(this.folder, ".orgseat", "pulumi");
    const child = spawn(pulumiCommand, [...args, "--non-interactive"], { ...this.#spawning(), cwd });
    return this.#started(child).ended;
  }

  #spawning(): SpawnOptions {
    const { folder: cwd } = this;
    return { cwd, env: this.variables(), detached: true, stdio: ["ignore", "pipe", "pipe"] };
  }

  #started(child: ChildProcess): RunningCommand {
    const said = { stdout: "", stderr: "" };
    const listeners = new Set<() => void>();
    for (const stream of ["stdout", "stderr"] as const) {
      child[stream]?.setEncoding("utf8").on("data", (text: string) => {
        said[stream] += text;
        for (const listener of listeners) listener();
      });
    }
    const ended = new Promise<CommandOutput>((resolve) => {
      child.once("close", (code) => {
        this.printed.push(said.stdout, said.stderr);
        resolve({ code, ...said });
      });
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    const { pid } = child;
    if (pid === undefined) throw new Error("the command does not start");
    const says = (pattern: RegExp): Promise<void> =>
      new Promise((resolve, reject) => {
        const look = () => pattern.test(said.stdout + said.stderr) && resolve();
        listeners.add(look);
        void ended.then(() => reject(new Error(`it ended without ${pattern}: ${said.stdout}${said.stderr}`)));
        look();
      });
    return { pid, ended, says };
  }

  /** Calls of someone else, past every state. */
  behindOurBack<T>(work: (api: OrganizationApi, operation: TimeLimit) => Promise<T>): Promise<T> {
    const { ORGSEAT_CLIENT_ID: clientId = "", ORGSEAT_CLIENT_SECRET: clientSecret = "" } = this.variables();
    return callService(this.sandbox, { serviceAccount: { clientId, clientSecret } }, work);
  }

  /** Who is a member at the service: emails, or purposes of machine users, in order, with seat and token. */
  async members(): Promise<Record<string, { seat: boolean; token: string | undefined }>> {
    const { users, tokens } = await this.sandbox.service.management.snapshot();
    return Object.fromEntries(
      users
        .map(({ userId, email, firstName, seat }) => {
          const token = tokens.find((one) => one.userId === userId)?.hash;
          return [email ?? firstName ?? userId, { seat, token }] as const;
        })
        .toSorted(([a], [b]) => (a < b ? -1 : 1)),
    );
  }

  /** The numbers of the calls that wrote since the requests were asked for last. */
  async writes(): Promise<number[]> {
    const calls = await this.sandbox.calls();
    return calls.filter((call) => typeof call === "number").filter((call) => call !== 2);
  }

  /** The lines of the audit log. */
  audit(): z.output<typeof auditSchema>[] {
    if (!existsSync(this.auditFile)) return [];
    const lines = readFileSync(this.auditFile, "utf8").trimEnd().split("\n");
    return lines.map((line) => auditSchema.parse(JSON.parse(line)));
  }

  /** Fails if a secret stands in anything that was printed, in a file of the organization, or in a state, backup, or history. */
  expectNoSecrets(texts: Readonly<Record<string, string>> = {}): void {
    const printed = Object.fromEntries(this.printed.map((text, index) => [`output ${index}`, text]));
    const found = findSecrets(markedSecrets, {
      texts: { ...printed, ...texts, roster: this.read() },
      folders: [join(this.folder, ".orgseat"), this.stateFolder],
    });
    expect(found).toEqual([]);
  }
}

const auditSchema = z.object({
  call: z.number(),
  name: z.string(),
  outcome: z.string(),
  id: z.string().optional(),
  run: z.string().optional(),
  plan: z.string().optional(),
  actor: z.string().optional(),
  approver: z.string().optional(),
});

/**
 * @param seed of the service, whose secrets are marked anyway
 * @param dataFolder may hold the data of an earlier service; the seed is then ignored
 * @param platform of the service; default: `basic`
 */
export async function testOrganization(
  seed: Partial<OrganizationSeed> = {},
  dataFolder?: string,
  platform?: PlatformName,
  ids?: Pick<ServiceOptions, "newId">,
): Promise<TestOrganization> {
  await Promise.all([compileProvider(), pulumiReady()]);
  const folder = temporaryFolder();
  symlinkSync(join(packageRoot, "node_modules"), join(folder, "node_modules"));
  // The CLI wants the folder of its backend to be there.
  mkdirSync(join(folder, "state"), { recursive: true });
  return TestOrganization.open(folder, dataFolder, seed, platform, ids);
}

/** An organization after its first `up`, which is made once for all tests of a run that ask for the same. */
export async function runningOrganization(
  rows: readonly Row[],
  header: Readonly<Record<string, string | number>> = {},
  seed: Partial<OrganizationSeed> = {},
  platform?: PlatformName,
): Promise<TestOrganization> {
  const name = createHash("sha256").update(JSON.stringify([rows, header, seed, platform]));
  const made = await oncePerRun(`organization-${name.digest("hex").slice(0, 16)}`, async (copy) => {
    const original = await testOrganization(seed, undefined, platform);
    original.write(rows, header);
    const { code, stdout, stderr } = await original.orgseat("up", "--yes");
    if (code !== 0) throw new Error(`${stdout}${stderr}`);
    await original.close();
    cpSync(original.folder, join(copy, "project"), { recursive: true });
    cpSync(original.dataFolder, join(copy, "data"), { recursive: true });
  });
  const [folder, data] = [temporaryFolder(), temporaryFolder()];
  cpSync(join(made, "project"), folder, { recursive: true });
  cpSync(join(made, "data"), data, { recursive: true });
  const organization = await TestOrganization.open(folder, data, {}, platform);
  await organization.sandbox.requests();
  return organization;
}

/** Three people and a machine user. */
export const fourPeople: readonly Row[] = [
  { email: "ada@acme.example" },
  { email: "grace@acme.example" },
  { key: "builds", purpose: "Nightly builds" },
  { email: "edsger@acme.example" },
];

/** So many people: p000@acme.example and so on. */
export function peopleRows(count: number, more: Row = {}): Row[] {
  return Array.from({ length: count }, (_, index) => ({
    email: `p${String(index).padStart(3, "0")}@acme.example`,
    ...more,
  }));
}
