/** A `pulumi` that notes how it is called, does nothing, and can be held up: for what happens around Pulumi. */
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect } from "vitest";
import type { Program } from "../../command/engine/engine.ts";
import { PulumiEngine } from "../../command/engine/pulumi.ts";
import { hangMs } from "./limits.ts";
import { temporaryFolder } from "./temporary.ts";

/** SIGINT ends an operation that is held up, unless it is stubborn, and nothing else. */
const SCRIPT = `#!/bin/sh
cd "$(dirname "$0")"
echo "$*" >> calls
echo "$PPID $PULUMI_STACK $1" >> callers
[ -e "stderr-$1" ] && { cat "stderr-$1" >&2; exit 1; }
trap '' INT
case "$1" in
  version) echo v3.270.0 ;;
  up|preview)
    trap 'echo interrupted >> calls; [ -e stubborn ] || exit 130' INT ;;
esac
while [ -e "hold-$1" ]; do sleep 0.05; done
case "$1 $2" in
  "whoami --json") cat backend 2>/dev/null || echo '{"url":"file:///state"}' ;;
  "config --json") cat config 2>/dev/null || echo "{}" ;;
  "stack export") cat state 2>/dev/null || { echo "error: no stack named 'people' found" >&2; exit 1; } ;;
  "stack output") echo '{}' ;;
  "stack history") echo '[]' ;;
esac
`;

/** Of a roster of nobody. */
export const program: Program = { rosterId: "00000000-0000-4000-8000-000000000001", facts: {}, members: [] };

/** The commands of Pulumi that are told apart. */
type Held = "up" | "preview" | "stack";

export class ScriptedPulumi {
  readonly folder = temporaryFolder();
  readonly command = join(this.folder, "pulumi");

  readonly #deed = join(this.folder, "deed.mjs");

  constructor() {
    writeFileSync(this.command, SCRIPT);
    chmodSync(this.command, 0o755);
    writeFileSync(this.#deed, "");
  }

  /** The variables of its runners. @param more variables */
  environment(more: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
    return { NODE_OPTIONS: `--import ${this.#deed}`, ...more };
  }

  /** @param more variables */
  engine(more: Readonly<Record<string, string>> = {}, secretsProvider?: string): PulumiEngine {
    return new PulumiEngine({
      folder: this.folder,
      secretsProvider,
      environment: this.environment({ ...more, ORGSEAT_PULUMI_PATH: this.command }),
    });
  }

  /** @returns the folder of a project */
  makeProject(): string {
    const folder = join(this.folder, "project");
    mkdirSync(folder);
    writeFileSync(join(folder, "Pulumi.yaml"), "name: scripted\nruntime: nodejs\n");
    return folder;
  }

  /** Lets a runner do something right before it starts Pulumi, when its workspace is asked for arguments. @param deed code */
  beforePulumi(deed: string): void {
    const library = JSON.stringify(import.meta.resolve("@pulumi/pulumi/automation/index.js"));
    writeFileSync(
      this.#deed,
      `import { writeFileSync } from "node:fs";
      import { LocalWorkspace } from ${library};
      LocalWorkspace.prototype.serializeArgsForOp = async () => {
        ${deed};
        return [];
      };`,
    );
  }

  hold(what: Held): void {
    writeFileSync(join(this.folder, `hold-${what}`), "");
  }

  /** From now on an operation that is held up ignores SIGINT. */
  ignoreInterrupts(): void {
    writeFileSync(join(this.folder, "stubborn"), "");
  }

  letGo(what: Held): void {
    rmSync(join(this.folder, `hold-${what}`));
  }

  /** Makes a command fail with this on its standard error. */
  fail(what: Held | "config", stderr = "error: no\n"): void {
    writeFileSync(join(this.folder, `stderr-${what}`), stderr);
  }

  /** Gives every stack this configuration. */
  configure(config: unknown): void {
    writeFileSync(join(this.folder, "config"), JSON.stringify(config));
  }

  /** The address of its backend. Default: a folder. */
  useBackend(url: string): void {
    writeFileSync(join(this.folder, "backend"), JSON.stringify({ url }));
  }

  /** Gives every stack this state. */
  store(deployment: unknown): void {
    writeFileSync(join(this.folder, "state"), JSON.stringify(deployment));
  }

  /** The lines of its commands that begin so. */
  calls(beginning: string): string[] {
    const file = join(this.folder, "calls");
    if (!existsSync(file)) return [];
    return readFileSync(file, "utf8")
      .split("\n")
      .filter((line) => line.startsWith(beginning));
  }

  /** The process and the PULUMI_STACK of each call of a command. */
  callers(command: Held): { readonly process: string; readonly stack: string }[] {
    const lines = readFileSync(join(this.folder, "callers"), "utf8").trim().split("\n");
    return lines.flatMap((line) => {
      const [process = "", stack = "", called] = line.split(" ");
      return called === command ? [{ process, stack }] : [];
    });
  }

  async called(beginning: string): Promise<void> {
    await until(() => this.calls(beginning).length > 0);
  }
}

/** @throws if it does not come about */
export async function until(isSo: () => boolean): Promise<void> {
  const end = performance.now() + hangMs;
  while (!isSo()) {
    expect(performance.now(), "waited for too long").toBeLessThan(end);
    await pause(20);
  }
}
