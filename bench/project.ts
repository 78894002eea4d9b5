/** Pulumi projects to measure: real resources with the sandbox service, and as many that do nothing. */
import { spawn } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type PulumiCli, withCli } from "../sandbox/pulumi/cli.ts";
import { packageRoot } from "../sandbox/pulumi/package-root.ts";
import { type RunningService, type ServiceOptions, startService } from "../sandbox/service/index.ts";
import { isolatedEnvironment } from "../sandbox/start/isolated-environment.ts";
import { compileCache } from "../test/setup/quick-node.ts";

const REAL_PROGRAM = `import { OrgUser, SeatAssignment, ServiceAccount, UserToken } from "orgseat";
const members = Number(process.env.BENCH_MEMBERS);
new ServiceAccount("bot", { name: "bot" });
for (let index = 0; index < members; index++) {
  const user = new OrgUser(\`user-\${index}\`, { email: \`person-\${index}@acme.example\` });
  const seat = new SeatAssignment(\`seat-\${index}\`, { userId: user.id });
  new UserToken(\`token-\${index}\`, { seat });
}
`;

/** A resource whose provider responds immediately. */
const IDLE_CLASS = `import * as pulumi from "@pulumi/pulumi";
const members = Number(process.env.BENCH_MEMBERS);
const organizationId = process.env.ORGSEAT_ORGANIZATION_ID;
const provider = "exports.handler=()=>require('./idle.cjs')";
class Idle extends pulumi.CustomResource {
  constructor(name, props, options) {
    super("pulumi-nodejs:idle:Idle", name, { ...props, organizationId, result: undefined, __provider: provider }, options);
  }
}
`;

/** The same chains and the same number of properties. */
const IDLE_PROGRAM = `${IDLE_CLASS}
new Idle("bot", { name: "bot" });
for (let index = 0; index < members; index++) {
  const user = new Idle(\`user-\${index}\`, { email: \`person-\${index}@acme.example\` });
  const seat = new Idle(\`seat-\${index}\`, { userId: user.id });
  new Idle(\`token-\${index}\`, { userId: seat.id });
}
`;

/** One resource for each person, as rosters have. */
const IDLE_MEMBERS_PROGRAM = `${IDLE_CLASS}
for (let index = 0; index < members; index++)
  new Idle(\`member-\${index}\`, { email: \`person-\${index}@acme.example\`, seat: true, token: {} });
`;

const IDLE_PROVIDER = `let made = 0;
const delayMs = Number(process.env.BENCH_DELAY_MS ?? 0);
module.exports = {
  check: async (olds, news) => ({ inputs: news }),
  diff: async () => ({ changes: false }),
  create: async (inputs) => {
    if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
    return { id: "idle-" + made++, outs: { ...inputs, result: "done", stateVersion: 1 } };
  },
  read: async (id, props) => ({ id, props }),
  update: async (id, olds, news) => ({ outs: news }),
  delete: async () => {},
};
`;

const MEMBERS_PROGRAM = `import { OrgMember } from "orgseat";
const members = Number(process.env.BENCH_MEMBERS);
for (let index = 0; index < members; index++)
  new OrgMember(\`member-\${index}\`, { email: \`person-\${index}@acme.example\`, seat: true, token: {} });
`;

/** The real program through the packaged plugin. */
const PLUGIN_PROGRAM = `import { registerPluginTypes } from "${join(packageRoot, "dist", "sdk", "base", "registration.js")}";
registerPluginTypes();
${REAL_PROGRAM}`;

/** The same in YAML, which has no loops. */
function yamlProgram(members: number): string {
  const chains = Array.from({ length: members }, (_, index) => [
    `  user-${index}: {type: "orgseat:OrgUser", properties: {email: person-${index}@acme.example}}`,
    `  seat-${index}: {type: "orgseat:SeatAssignment", properties: {userId: "\${user-${index}.id}"}}`,
    `  token-${index}: {type: "orgseat:UserToken", properties: {userId: "\${seat-${index}.id}"}}`,
  ]);
  return [
    "resources:",
    '  bot: {type: "orgseat:ServiceAccount", properties: {name: bot}}',
    ...chains.flat(),
    "",
  ].join("\n");
}

const programs = {
  real: REAL_PROGRAM,
  members: MEMBERS_PROGRAM,
  idle: IDLE_PROGRAM,
  "idle-members": IDLE_MEMBERS_PROGRAM,
  plugin: PLUGIN_PROGRAM,
  yaml: "",
};
export type ProgramKind = keyof typeof programs;

/** What one run of the engine took. */
export interface Usage {
  readonly seconds: number;
  /** Of the engine and everything that it started. */
  readonly cpuSeconds: number;
  /** The most at one time, the engine included; 0 on systems without /proc. */
  readonly processes: number;
}

/** A project with its own state; `close` removes it. */
export class BenchProject {
  readonly folder = mkdtempSync(join(tmpdir(), "orgseat-bench-"));
  readonly #cli: PulumiCli;
  readonly #environment: Record<string, string>;
  /** The peak memory of the provider process, in bytes; 0 on systems without /proc. */
  peakProviderBytes = 0;

  constructor(cli: PulumiCli, kind: ProgramKind, members: number, configuration: Record<string, string>) {
    this.#cli = cli;
    const node = "main: index.mjs\nruntime: {name: nodejs, options: {typescript: false}}";
    const plugin = `plugins: {providers: [{name: orgseat, path: ${join(packageRoot, "plugin")}}]}`;
    const program = kind === "yaml" ? `runtime: yaml\n${yamlProgram(members)}` : node;
    writeFileSync(join(this.folder, "Pulumi.yaml"), `name: bench\n${plugin}\n${program}\n`);
    writeFileSync(join(this.folder, "index.mjs"), programs[kind]);
    writeFileSync(join(this.folder, "idle.cjs"), IDLE_PROVIDER);
    symlinkSync(join(packageRoot, "node_modules"), join(this.folder, "node_modules"));
    mkdirSync(join(this.folder, "state"));
    const isolated = isolatedEnvironment(process.env, {
      folder: this.folder,
      passphrase: "bench",
      compileCache,
      configuration,
    });
    this.#environment = { ...withCli(isolated, cli), BENCH_MEMBERS: String(members) };
  }

  init(): Promise<void> {
    return this.run("stack", "init", "bench");
  }
  up(): Promise<void> {
    return this.run("up", "--yes", "--skip-preview");
  }
  destroy(): Promise<void> {
    return this.run("destroy", "--yes", "--skip-preview");
  }

  /** The size of the state file. */
  stateBytes(): number {
    return statSync(join(this.folder, "state", ".pulumi", "stacks", "bench", "bench.json")).size;
  }

  close(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Runs a command of the engine without questions. */
  async run(...args: string[]): Promise<void> {
    await this.measured(...args);
  }

  /** The same, and what it took. */
  async measured(...args: string[]): Promise<Usage> {
    const started = performance.now();
    let processes = 0;
    // The shell reports the processor time of everything that has ended below it.
    const shell = ["-c", '"$@"; code=$?; times >&2; exit $code', "bench"];
    const child = spawn("bash", [...shell, this.#cli.command, ...args, "--non-interactive"], {
      cwd: this.folder,
      env: this.#environment,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const output: string[] = [];
    child.stdout.on("data", (text) => output.push(String(text)));
    child.stderr.on("data", (text) => output.push(String(text)));
    const watch = setInterval(() => {
      processes = Math.max(processes, this.#watchProcesses());
    }, 100);
    const code = await new Promise((resolve) => child.once("close", resolve));
    clearInterval(watch);
    if (code !== 0) throw new Error(`${args.join(" ")} failed:\n${output.join("")}`);
    const seconds = (performance.now() - started) / 1000;
    return { seconds, cpuSeconds: cpuSecondsOf(output.join("")), processes };
  }

  /** Linux reports the peak memory of running processes only. @returns how many run, without the shell */
  #watchProcesses(): number {
    if (process.platform !== "linux") return 0;
    let found = 0;
    for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
      try {
        if (readlinkSync(`/proc/${pid}/cwd`) !== this.folder) continue;
        found++;
        if (!readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("dynamic-provider")) continue;
        const peak = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
        this.peakProviderBytes = Math.max(this.peakProviderBytes, Number(peak?.[1] ?? 0) * 1024);
      } catch {
        // The process has just ended.
      }
    }
    return Math.max(0, found - 1);
  }
}

/** The last line of bash's `times`: user and system time of its children. */
function cpuSecondsOf(output: string): number {
  const [, userMinutes, user, systemMinutes, system] =
    /(\d+)m([\d.]+)s (\d+)m([\d.]+)s\s*$/.exec(output)?.map(Number) ?? [];
  return ((userMinutes ?? 0) + (systemMinutes ?? 0)) * 60 + (user ?? 0) + (system ?? 0);
}

/** The emails of an organization of so many people. */
export function emailsOf(people: number): string[] {
  return Array.from({ length: people }, (_, index) => `person-${index}@acme.example`);
}

/** Runs the work with a service of its own. */
export async function withService<Result>(
  options: Pick<ServiceOptions, "seed" | "platform">,
  work: (service: RunningService) => Promise<Result>,
): Promise<Result> {
  const dataFolder = mkdtempSync(join(tmpdir(), "orgseat-bench-service-"));
  const service = await startService({ ...options, dataFolder });
  try {
    return await work(service);
  } finally {
    await service.close();
    rmSync(dataFolder, { recursive: true, force: true });
  }
}

/** Configuration of a service, with its administrator and one service account. */
export function configurationOf(
  service: RunningService,
  account: { clientId: string; clientSecret: string },
): Record<string, string> {
  const { seed, orgUrl, tokenUrl } = service;
  return {
    ORGSEAT_ORGANIZATION_ID: seed.organizationId,
    ORGSEAT_ORG_URL: orgUrl,
    ORGSEAT_TOKEN_URL: tokenUrl,
    ORGSEAT_USERNAME: seed.username,
    ORGSEAT_PASSWORD: seed.password,
    ORGSEAT_CLIENT_ID: account.clientId,
    ORGSEAT_CLIENT_SECRET: account.clientSecret,
    ORGSEAT_SUBSCRIPTION_EXPIRES_AT: seed.subscriptionExpiresAt,
    // The projects remove their own members at the end.
    ORGSEAT_MAX_REMOVALS: "999999",
  };
}
