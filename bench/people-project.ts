/** A roster in a temporary folder, and processes of the command `orgseat` for it. */
import { spawn } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { readlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type PulumiCli, withCli } from "../sandbox/pulumi/cli.ts";
import { packageRoot } from "../sandbox/pulumi/package-root.ts";
import { isolatedEnvironment } from "../sandbox/start/isolated-environment.ts";
import { compileCache } from "../test/setup/quick-node.ts";

export interface Ended {
  readonly seconds: number;
  /** The maximum memory of all processes together, in bytes; 0 on systems without /proc. */
  readonly peakBytes: number;
}

interface Started {
  /** Rejects where the command fails. */
  readonly ended: Promise<Ended>;
  /** Resolves when the output matches. */
  prints(pattern: RegExp): Promise<void>;
}

/** The interval of memory measurements. */
const MEASURE_MS = 250;

export class PeopleProject {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), "orgseat-bench-")));
  readonly environment: Record<string, string>;

  constructor(cli: PulumiCli, configuration: Record<string, string>) {
    mkdirSync(join(this.folder, "state"));
    symlinkSync(join(packageRoot, "node_modules"), join(this.folder, "node_modules"));
    const isolated = isolatedEnvironment(process.env, {
      folder: this.folder,
      passphrase: "bench",
      compileCache,
      configuration,
    });
    this.environment = withCli(isolated, cli);
  }

  write(organization: string, emails: readonly string[]): void {
    const text = `# organization: ${organization}\nemail\n${emails.join("\n")}\n`;
    writeFileSync(join(this.folder, "people.csv"), text);
  }

  /** Changes the rows, and keeps the header: a run has added the id of the roster. */
  edit(change: (emails: readonly string[]) => readonly string[]): void {
    const file = join(this.folder, "people.csv");
    const [header = "", rows = ""] = readFileSync(file, "utf8").split("\nemail\n");
    writeFileSync(file, `${header}\nemail\n${change(rows.trimEnd().split("\n")).join("\n")}\n`);
  }

  run(...args: string[]): Promise<Ended> {
    return this.start(...args).ended;
  }

  start(...args: string[]): Started {
    const begun = performance.now();
    const command = [join(packageRoot, "sdk/bin/orgseat.js"), ...args, "--quiet"];
    const child = spawn(process.execPath, command, {
      cwd: this.folder,
      env: this.environment,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    const listeners = new Set<() => void>();
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        output += text;
        for (const listener of listeners) listener();
      });
    }
    let peakBytes = 0;
    const watch = setInterval(() => {
      void this.#memory().then((bytes) => {
        peakBytes = Math.max(peakBytes, bytes);
      });
    }, MEASURE_MS);
    const ended = new Promise<Ended>((resolve, reject) => {
      child.once("close", (code) => {
        clearInterval(watch);
        if (code === 0) resolve({ seconds: (performance.now() - begun) / 1000, peakBytes });
        else reject(new Error(`orgseat ${args.join(" ")} ended with ${code}:\n${output.slice(-4000)}`));
      });
    });
    const prints = (pattern: RegExp): Promise<void> =>
      new Promise((resolve, reject) => {
        listeners.add(() => pattern.test(output) && resolve());
        void ended.then(
          () => reject(new Error(`it ended without ${pattern}:\n${output.slice(-4000)}`)),
          reject,
        );
      });
    return { ended, prints };
  }

  /** The size of the state file. */
  stateBytes(): number {
    return statSync(join(this.folder, "state", ".pulumi", "stacks", "orgseat", "people.json")).size;
  }

  close(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** The current memory of all processes in the folder: the command, its runners, engines and providers. */
  async #memory(): Promise<number> {
    if (process.platform !== "linux") return 0;
    const ids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
    const each = await Promise.all(ids.map((id) => this.#memoryOf(id)));
    return each.reduce((sum, bytes) => sum + bytes, 0);
  }

  async #memoryOf(id: string): Promise<number> {
    try {
      const where = await readlink(`/proc/${id}/cwd`);
      if (!where.startsWith(this.folder)) return 0;
      const [, kilobytes] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${id}/status`, "utf8")) ?? [];
      return Number(kilobytes ?? 0) * 1024;
    } catch {
      // The process has just ended.
      return 0;
    }
  }
}
