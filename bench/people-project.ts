/** A roster in a folder of its own, and the command `orgseat` on it as a process. */
import { spawn } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { readlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packageRoot } from "../sandbox/package-root.ts";
import type { EngineCommand } from "../sandbox/start/engine.ts";
import { isolatedEnvironment } from "../sandbox/start/isolated-environment.ts";
import { compileCache } from "../test/setup/quick-node.ts";

export interface Ended {
  readonly seconds: number;
  /** The most that all processes had together, in bytes; 0 where the system does not tell. */
  readonly peakBytes: number;
}

export interface Started {
  /** Rejects where the command fails. */
  readonly ended: Promise<Ended>;
  says(pattern: RegExp): Promise<void>;
}

/** How often the memory is looked at. */
const LOOK_MS = 250;

export class PeopleProject {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), "orgseat-bench-")));
  readonly environment: Record<string, string>;

  constructor(engine: EngineCommand, configuration: Record<string, string>) {
    mkdirSync(join(this.folder, "state"));
    symlinkSync(join(packageRoot, "node_modules"), join(this.folder, "node_modules"));
    const room = isolatedEnvironment(process.env, {
      folder: this.folder,
      passphrase: "bench",
      compileCache,
      configuration,
    });
    this.environment = { ...room, ORGSEAT_PULUMI: engine.command };
  }

  write(organization: string, emails: readonly string[], stacks: number): void {
    const header = `# organization: ${organization}\n# stacks: ${stacks}\n`;
    writeFileSync(join(this.folder, "people.csv"), `${header}email\n${emails.join("\n")}\n`);
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
    const hearers = new Set<() => void>();
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        output += text;
        for (const hear of hearers) hear();
      });
    }
    let peakBytes = 0;
    const watch = setInterval(() => {
      void this.#memory().then((bytes) => {
        peakBytes = Math.max(peakBytes, bytes);
      });
    }, LOOK_MS);
    const ended = new Promise<Ended>((resolve, reject) => {
      child.once("close", (code) => {
        clearInterval(watch);
        if (code === 0) resolve({ seconds: (performance.now() - begun) / 1000, peakBytes });
        else reject(new Error(`orgseat ${args.join(" ")} ended with ${code}:\n${output.slice(-4000)}`));
      });
    });
    const says = (pattern: RegExp): Promise<void> =>
      new Promise((resolve, reject) => {
        hearers.add(() => pattern.test(output) && resolve());
        void ended.then(
          () => reject(new Error(`it ended without ${pattern}:\n${output.slice(-4000)}`)),
          reject,
        );
      });
    return { ended, says };
  }

  close(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** What all processes in the folder hold at this moment: the command, its runners, engines and providers. */
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
      // It ended while it was looked at.
      return 0;
    }
  }
}
